package resource

import "slices"

// Right is something that a resource lets its holders do. Owners and administrators of the tenant may do it anyway.
type Right struct {
	// May is the permitted operation, such as "start processes", "claim" or "see".
	May string
	// Item is the code of the item that they may do it to, "" for the whole resource.
	Item    string
	Holders []Grantee
	// Because is the right that implies this one, or MayRunWorkflow, "" for a right that the resource gives.
	Because string
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
	MayOwnTenant        = "own the tenant"
	MayAdministerTenant = "administer the tenant"
	// MayRunWorkflow is the reason for the rights of applications that run a workflow or a user action.
	MayRunWorkflow = "run the workflow"
)

// Subjects returns all subjects of rights.
func Subjects() []string {
	return []string{
		MayStartProcesses, MaySeeProcesses, MayManageProcesses, MayChangeDefinition, MayRepairProcesses, MayClaim, MaySee,
		MaySeeArtifacts, MayEditArtifacts, MayManageArtifacts, MayRunRobot, MayDownloadRobot, MayRunSource, MayQuerySource,
		MayOwnTenant, MayAdministerTenant,
	}
}

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

// runners returns the applications that run the workflow and the user actions.
func (s *ProcessDefinitionSpec) runners() []Grantee {
	var runners []Grantee
	add := func(runner string) {
		for _, g := range runnerGrantees(runner) {
			if !slices.Contains(runners, g) {
				runners = append(runners, g)
			}
		}
	}
	if s.Engine != nil {
		add(s.Engine.Runner)
	}
	for i := range s.UserActions {
		add(s.UserActions[i].Runner)
	}
	return runners
}

// ExplainRights returns the rights that a resource gives with those that follow from them. A right with several reasons is
// returned once for each.
func ExplainRights(spec Spec) []Right {
	if definition, ok := spec.(*ProcessDefinitionSpec); ok {
		return definition.explainRights()
	}
	return spec.Rights()
}

// explainRights returns the rights on all processes of the definition: managers and runners start and see processes, viewers and
// candidates see items. Owners, candidates and initiators see single processes too.
func (s *ProcessDefinitionSpec) explainRights() []Right {
	p := s.Permissions
	runners := s.runners()
	var rights []Right
	add := func(may, item string, given []Grantee, implied ...Right) {
		rights = append(rights, Right{May: may, Item: item, Holders: given})
		for _, r := range implied {
			if len(r.Holders) > 0 {
				rights = append(rights, Right{May: may, Item: item, Holders: r.Holders, Because: r.May})
			}
		}
	}
	manages, runs := Right{May: MayManageProcesses, Holders: p.Managers}, Right{May: MayRunWorkflow, Holders: runners}
	add(MayStartProcesses, "", p.Initiators, manages, runs)
	add(MaySeeProcesses, "", p.Viewers, manages, runs)
	add(MayManageProcesses, "", p.Managers, runs)
	add(MayChangeDefinition, "", p.Administrators)
	add(MayRepairProcesses, "", p.Repairers)
	for i := range s.Items {
		item := &s.Items[i]
		add(MayClaim, item.Code, item.Candidates)
		add(MaySee, item.Code, item.Viewers, Right{May: MayClaim, Holders: item.Candidates},
			Right{May: MaySeeProcesses, Holders: p.Viewers}, manages, runs)
	}
	return rights
}

// EffectiveRights returns the rights of ExplainRights, each once with all its holders.
func (s *ProcessDefinitionSpec) EffectiveRights() []Right {
	var rights []Right
	for _, r := range s.explainRights() {
		if last := len(rights) - 1; last >= 0 && rights[last].May == r.May && rights[last].Item == r.Item {
			rights[last].Holders = slices.Concat(rights[last].Holders, r.Holders)
			continue
		}
		rights = append(rights, r)
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
