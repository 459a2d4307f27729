package resource

import "fmt"

// Presence is whether other resources can refer to a resource.
type Presence int

// The presences. A resource that is Pruned is there, and about to be deleted.
const (
	Absent Presence = iota
	Present
	Pruned
)

// MissingReferences lists the places of manifests that name a resource which is neither among them nor,
// according to find, there to stay. The tenant of a manifest is such a place.
func MissingReferences(documents []Document, find func(Key) Presence) []Violation {
	cached := map[Key]Presence{}
	for i := range documents {
		cached[documents[i].Key()] = Present
	}
	presence := func(key Key) Presence {
		found, ok := cached[key]
		if !ok {
			found = find(key)
			cached[key] = found
		}
		return found
	}
	var violations []Violation
	for i := range documents {
		place, tenant := documents[i].Place, documents[i].TenantCode()
		if presence(Key{Tenant: tenant, Kind: KindTenant, Code: tenant}) != Present {
			violations = append(violations, Violation{place, "/metadata/tenant", fmt.Sprintf("there is no tenant %s", tenant)})
			continue
		}
		for _, reference := range documents[i].Spec.References() {
			switch presence(Key{Tenant: tenant, Kind: reference.Kind, Code: reference.Code}) {
			case Present:
			case Absent:
				violations = append(violations, Violation{
					place, reference.Pointer, fmt.Sprintf("there is no %s %s in the tenant %s", reference.Kind, reference.Code, tenant),
				})
			case Pruned:
				violations = append(violations, Violation{
					place, reference.Pointer, fmt.Sprintf("needs %s %s, which would be pruned", reference.Kind, reference.Code),
				})
			}
		}
		if len(violations) >= maxViolations {
			return violations[:maxViolations]
		}
	}
	return violations
}

// references collects the references of a spec.
type references []Reference

// add adds a reference unless the code is empty.
func (r *references) add(kind Kind, code, pointer string) {
	if code != "" {
		*r = append(*r, Reference{Kind: kind, Code: code, Pointer: pointer})
	}
}

func (r *references) addGrantees(grantees []Grantee, pointer string) {
	for i, g := range grantees {
		r.add(KindUser, g.User, extendPointer(pointer, i, "user"))
		r.add(KindApplication, g.Application, extendPointer(pointer, i, "application"))
		r.add(KindGroup, g.Group, extendPointer(pointer, i, "group"))
	}
}

// References implements Spec: a tenant refers to the groups of its sign-ins.
func (s *TenantSpec) References() []Reference {
	if s.Provisioning == nil {
		return nil
	}
	var found references
	for i := range s.Provisioning.SignIn {
		rule, place := &s.Provisioning.SignIn[i], extendPointer("/spec/provisioning/signIn", i)
		for j, m := range rule.Groups {
			found.add(KindGroup, m.Group, extendPointer(place+"/groups", j, "group"))
		}
		if rule.Create != nil {
			for j, code := range rule.Create.Groups {
				found.add(KindGroup, code, extendPointer(place+"/create/groups", j))
			}
		}
	}
	return found
}

// References implements Spec.
func (*UserSpec) References() []Reference { return nil }

// References implements Spec.
func (*ApplicationSpec) References() []Reference { return nil }

// References implements Spec: a group refers to its members.
func (s *GroupSpec) References() []Reference {
	var found references
	for i, m := range s.Members {
		found.add(KindUser, m.User, extendPointer("/spec/members", i, "user"))
		found.add(KindApplication, m.Application, extendPointer("/spec/members", i, "application"))
	}
	return found
}

// References implements Spec: a data structure refers to the data sources in its schema.
func (s *DataStructureSpec) References() []Reference {
	var found references
	found.addDataSources(s.Schema, "/spec/schema")
	return found
}

// References implements Spec.
func (*EncryptionKeySpec) References() []Reference { return nil }

// References implements Spec: a process definition refers to the application that runs it, the key of its payloads,
// the structures of its messages, its grantees, its calendar, the robots of its tasks, definitions, applications and keys of its
// actions, and the data sources in its schemas.
func (s *ProcessDefinitionSpec) References() []Reference {
	var found references
	if s.Engine != nil {
		found.add(KindApplication, s.Engine.Runner, "/spec/engine/runner")
		found.add(KindEncryptionKey, s.Engine.EncryptionKey, "/spec/engine/encryptionKey")
	}
	found.add(KindCalendar, s.Calendar, "/spec/calendar")
	found.addDataSources(s.MetadataSchema, "/spec/metadataSchema")
	found.addDataSources(s.EntitySchema, "/spec/entitySchema")
	for i, code := range s.DataStructures {
		found.add(KindDataStructure, code, extendPointer("/spec/dataStructures", i))
	}
	for i := range s.Items {
		item := extendPointer("/spec/items", i)
		found.addDataSources(s.Items[i].DataSchema, item+"/dataSchema")
		found.addDataSources(s.Items[i].ContextDataSchema, item+"/contextDataSchema")
		found.addGrantees(s.Items[i].Candidates, item+"/candidates")
		found.addGrantees(s.Items[i].Viewers, item+"/viewers")
		for j, step := range s.Items[i].Escalation {
			place := extendPointer(item+"/escalation", j)
			found.addGrantees(step.Notify, place+"/notify")
			if step.Assign != nil {
				found.add(KindUser, step.Assign.User, place+"/assign/user")
				found.add(KindApplication, step.Assign.Application, place+"/assign/application")
				found.add(KindGroup, step.Assign.Group, place+"/assign/group")
			}
		}
		if robot := s.Items[i].Robot; robot != nil {
			found.add(KindRobot, robot.Code, item+"/robot/code")
		}
	}
	for i := range s.UserActions {
		action, pointer := &s.UserActions[i], extendPointer("/spec/userActions", i)
		found.add(KindApplication, action.Runner, pointer+"/runner")
		found.add(KindProcessDefinition, action.ProcessDefinition, pointer+"/processDefinition")
	}
	for _, list := range s.Permissions.granteeLists() {
		found.addGrantees(list.grantees, list.pointer)
	}
	return found
}

// References implements Spec: an artifact definition refers to its grantees, to the definitions and applications of
// its actions, and to the data sources in its schemas.
func (s *BusinessArtifactDefinitionSpec) References() []Reference {
	var found references
	found.addDataSources(s.DataSchema, "/spec/dataSchema")
	for i := range s.Actions {
		action, pointer := &s.Actions[i], extendPointer("/spec/actions", i)
		found.addDataSources(action.InputSchema, pointer+"/inputSchema")
		found.add(KindApplication, action.Runner, pointer+"/runner")
		found.add(KindProcessDefinition, action.ProcessDefinition, pointer+"/processDefinition")
		found.add(KindBusinessArtifactDefinition, action.BusinessArtifactDefinition, pointer+"/businessArtifactDefinition")
	}
	for _, list := range s.Permissions.granteeLists() {
		found.addGrantees(list.grantees, list.pointer)
	}
	return found
}

// References implements Spec: a subscription may be to one process definition.
func (s *WebhookSubscriptionSpec) References() []Reference {
	var found references
	found.add(KindProcessDefinition, s.ProcessDefinition, "/spec/processDefinition")
	return found
}

// References implements Spec: a robot refers to the application that runs it and to its grantees.
func (s *RobotSpec) References() []Reference {
	var found references
	found.add(KindApplication, s.Runner, "/spec/runner")
	found.addGrantees(s.Permissions.Viewers, "/spec/permissions/viewers")
	return found
}

// A granteeList is one of the lists of grantees of a spec.
type granteeList struct {
	grantees []Grantee
	pointer  string
	// roles are the roles that the list may name.
	roles []string
}

func (p *ProcessPermissions) granteeLists() []granteeList {
	return []granteeList{
		{p.Initiators, "/spec/permissions/initiators", []string{RoleEveryone}},
		{p.Viewers, "/spec/permissions/viewers", []string{RoleEveryone}},
		{p.Managers, "/spec/permissions/managers", []string{RoleEveryone}},
		{p.Administrators, "/spec/permissions/administrators", nil},
		{p.Repairers, "/spec/permissions/repairers", nil},
	}
}

func (p *ArtifactPermissions) granteeLists() []granteeList {
	return []granteeList{
		{p.Viewers, "/spec/permissions/viewers", []string{RoleEveryone}},
		{p.Editors, "/spec/permissions/editors", []string{RoleEveryone}},
		{p.Managers, "/spec/permissions/managers", []string{RoleEveryone}},
	}
}
