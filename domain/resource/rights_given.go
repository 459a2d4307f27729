package resource

import "slices"

// Right is something that a resource lets its holders do. Owners and administrators of the tenant may do it anyway.
type Right struct {
	// May is the permitted operation, such as "start processes", "claim" or "see".
	May string
	// Item is the code of the item that they may do it to, "" for the whole resource.
	Item    string
	Holders []Grantee
}

// The subjects of rights.
const (
	MayStartProcesses   = "start processes"
	MaySeeProcesses     = "see processes"
	MayManageProcesses  = "manage processes"
	MayChangeDefinition = "change the definition"
	MayRepairProcesses  = "repair processes"
	MayClaim            = "claim"
	MaySee              = "see"
	MaySeeArtifacts     = "see artifacts"
	MayEditArtifacts    = "edit artifacts"
	MayManageArtifacts  = "manage artifacts"
	MayRunRobot         = "run, and see the environment"
	MayDownloadRobot    = "see and download"
	MayRunSource        = "run"
	MayQuerySource      = "query"
)

// Rights implements Spec.
func (*TenantSpec) Rights() []Right { return nil }

// Rights implements Spec.
func (*UserSpec) Rights() []Right { return nil }

// Rights implements Spec.
func (*ApplicationSpec) Rights() []Right { return nil }

// Rights implements Spec. Rights are given to a group, not by it.
func (*GroupSpec) Rights() []Right { return nil }

// Rights implements Spec.
func (*DataStructureSpec) Rights() []Right { return nil }

// Rights implements Spec.
func (*EncryptionKeySpec) Rights() []Right { return nil }

// Rights implements Spec.
func (*WebhookSubscriptionSpec) Rights() []Right { return nil }

// Rights implements Spec.
func (s *BusinessArtifactDefinitionSpec) Rights() []Right {
	return []Right{
		{May: MaySeeArtifacts, Holders: s.Permissions.Viewers},
		{May: MayEditArtifacts, Holders: s.Permissions.Editors},
		{May: MayManageArtifacts, Holders: s.Permissions.Managers},
	}
}

// Rights implements Spec.
func (s *RobotSpec) Rights() []Right {
	return []Right{
		{May: MayRunRobot, Holders: runnerGrantees(s.Runner)},
		{May: MayDownloadRobot, Holders: s.Permissions.Viewers},
	}
}

// Rights implements Spec.
func (s *DataSourceSpec) Rights() []Right {
	return []Right{
		{May: MayRunSource, Holders: runnerGrantees(s.Runner)},
		{May: MayQuerySource, Holders: s.Permissions.Queriers},
	}
}

// Rights implements Spec.
func (s *ProcessDefinitionSpec) Rights() []Right {
	managers := s.Permissions.Managers
	if s.Engine != nil {
		managers = append(slices.Clone(managers), runnerGrantees(s.Engine.Runner)...)
	}
	rights := []Right{
		{May: MayStartProcesses, Holders: s.Permissions.Initiators},
		{May: MaySeeProcesses, Holders: s.Permissions.Viewers},
		{May: MayManageProcesses, Holders: managers},
		{May: MayChangeDefinition, Holders: s.Permissions.Administrators},
		{May: MayRepairProcesses, Holders: s.Permissions.Repairers},
	}
	for i := range s.Items {
		item := &s.Items[i]
		if len(item.Candidates) > 0 {
			rights = append(rights, Right{May: MayClaim, Item: item.Code, Holders: item.Candidates})
		}
		if len(item.Viewers) > 0 {
			rights = append(rights, Right{May: MaySee, Item: item.Code, Holders: item.Viewers})
		}
	}
	return rights
}

// managers returns the managers, among them the applications that run the workflow and the user actions.
func (s *ProcessDefinitionSpec) managers() []Grantee {
	managers := slices.Clone(s.Permissions.Managers)
	add := func(runner string) {
		for _, g := range runnerGrantees(runner) {
			if !slices.Contains(managers, g) {
				managers = append(managers, g)
			}
		}
	}
	if s.Engine != nil {
		add(s.Engine.Runner)
	}
	for i := range s.UserActions {
		add(s.UserActions[i].Runner)
	}
	return managers
}

// EffectiveRights returns the rights on all processes of the definition with those that follow from others: managers start and see
// processes, viewers and candidates see items. Owners, candidates and initiators see single processes too.
func (s *ProcessDefinitionSpec) EffectiveRights() []Right {
	managers, readers := s.managers(), append(slices.Clone(s.Permissions.Viewers), s.managers()...)
	rights := []Right{
		{May: MayStartProcesses, Holders: append(slices.Clone(s.Permissions.Initiators), managers...)},
		{May: MaySeeProcesses, Holders: readers},
		{May: MayManageProcesses, Holders: managers},
		{May: MayChangeDefinition, Holders: s.Permissions.Administrators},
	}
	for i := range s.Items {
		item := &s.Items[i]
		rights = append(rights,
			Right{May: MayClaim, Item: item.Code, Holders: item.Candidates},
			Right{May: MaySee, Item: item.Code, Holders: slices.Concat(item.Viewers, item.Candidates, readers)})
	}
	return rights
}

// runnerGrantees returns the application that runs something, none for "".
func runnerGrantees(code string) []Grantee {
	if code == "" {
		return nil
	}
	return []Grantee{{Application: code}}
}

// Holds reports whether a grantee is the resource with a key: a user, an application or a group of the tenant.
func (g Grantee) Holds(key Key) bool {
	switch key.Kind { //nolint:exhaustive // the others hold no rights
	case KindUser:
		return g.User == key.Code
	case KindApplication:
		return g.Application == key.Code
	case KindGroup:
		return g.Group == key.Code
	default:
		return false
	}
}

// HasItem reports whether the definition has an item with a code.
func (s *ProcessDefinitionSpec) HasItem(code string) bool {
	return slices.ContainsFunc(s.Items, func(item ItemSpec) bool { return item.Code == code })
}
