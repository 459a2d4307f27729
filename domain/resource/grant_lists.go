package resource

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

// GrantList is a list of the holders of a right in a spec.
type GrantList struct {
	// May and Item are as in Right.
	May, Item string
	// Grantees is the list in the spec.
	Grantees *[]Grantee
}

// GrantLists returns the lists of holders in a spec.
func GrantLists(spec Spec) []GrantList {
	switch s := spec.(type) {
	case *ProcessDefinitionSpec:
		lists := []GrantList{
			{MayStartProcesses, "", &s.Permissions.Initiators},
			{MaySeeProcesses, "", &s.Permissions.Viewers},
			{MayManageProcesses, "", &s.Permissions.Managers},
			{MayChangeDefinition, "", &s.Permissions.Administrators},
			{MayRepairProcesses, "", &s.Permissions.Repairers},
		}
		for i := range s.Items {
			item := &s.Items[i]
			lists = append(lists, GrantList{MayClaim, item.Code, &item.Candidates}, GrantList{MaySee, item.Code, &item.Viewers})
		}
		return lists
	case *BusinessArtifactDefinitionSpec:
		return []GrantList{
			{MaySeeArtifacts, "", &s.Permissions.Viewers},
			{MayEditArtifacts, "", &s.Permissions.Editors},
			{MayManageArtifacts, "", &s.Permissions.Managers},
		}
	case *RobotSpec:
		return []GrantList{{MayDownloadRobot, "", &s.Permissions.Viewers}}
	case *DataSourceSpec:
		return []GrantList{{MayQuerySource, "", &s.Permissions.Queriers}}
	}
	return nil
}

// RemoveUsers takes users out of the members or the lists of holders of a spec, and reports whether that changed it.
func RemoveUsers(spec Spec, isRemoved func(code string) bool) bool {
	changed := false
	if group, ok := spec.(*GroupSpec); ok {
		before := len(group.Members)
		group.Members = slices.DeleteFunc(group.Members, func(m Member) bool { return m.User != "" && isRemoved(m.User) })
		return len(group.Members) < before
	}
	for _, list := range GrantLists(spec) {
		before := len(*list.Grantees)
		*list.Grantees = slices.DeleteFunc(*list.Grantees, func(g Grantee) bool { return g.User != "" && isRemoved(g.User) })
		changed = changed || len(*list.Grantees) < before
	}
	return changed
}

// Clone returns a copy of a document that shares nothing with it.
func (d Document) Clone() (*Document, error) {
	text, err := jsontext.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("copying a document: %w", err)
	}
	decoded, violations := Decode([]json.RawMessage{text})
	if len(decoded) != 1 || len(violations) > 0 {
		return nil, fmt.Errorf("copying %s %s: %v", d.Kind, d.Metadata.Code, violations)
	}
	return &decoded[0], nil
}
