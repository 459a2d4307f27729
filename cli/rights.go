package cli

import (
	"encoding/json"
	"slices"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// right says who may do something.
type right struct{ what, who string }

// rightsOf lists who may do what because of a resource, beside the owners and
// administrators of the tenant.
func rightsOf(r oasadmin.Resource) []right {
	if view := viewOf(r.Kind); view.rights != nil {
		return view.rights(r.Spec)
	}
	return nil
}

// rightsFrom reads the rights from a spec. A spec that cannot be read, such as that
// of a newer service, gives none.
func rightsFrom[S any](list func(*S) []right) func(json.RawMessage) []right {
	return func(text json.RawMessage) []right {
		var spec S
		if json.Unmarshal(text, &spec) != nil {
			return nil
		}
		return list(&spec)
	}
}

func artifactRights(spec *resource.BusinessArtifactDefinitionSpec) []right {
	p := spec.Permissions
	return []right{
		{"see artifacts", grantees(p.Viewers)},
		{"edit artifacts", grantees(p.Editors)},
		{"manage artifacts", grantees(p.Managers)},
	}
}

func robotRights(spec *resource.RobotSpec) []right {
	var runners []resource.Grantee
	if spec.Runner != "" {
		runners = []resource.Grantee{{Application: spec.Runner}}
	}
	return []right{
		{"run, and see the environment", grantees(runners)},
		{"see and download", grantees(spec.Permissions.Viewers)},
	}
}

func dataSourceRights(spec *resource.DataSourceSpec) []right {
	return []right{
		{"run", grantees([]resource.Grantee{{Application: spec.Runner}})},
		{"query", grantees(spec.Permissions.Queriers)},
	}
}

func processRights(spec *resource.ProcessDefinitionSpec) []right {
	p := spec.Permissions
	managers := p.Managers
	if spec.Engine != nil {
		managers = append(slices.Clone(managers), resource.Grantee{Application: spec.Engine.Runner})
	}
	rights := []right{
		{"start processes", grantees(p.Initiators)},
		{"see processes", grantees(p.Viewers)},
		{"manage processes", grantees(managers)},
		{"change the definition", grantees(p.Administrators)},
	}
	for _, item := range spec.Items {
		if len(item.Candidates) > 0 {
			rights = append(rights, right{"claim " + item.Code, grantees(item.Candidates)})
		}
		if len(item.Viewers) > 0 {
			rights = append(rights, right{"see " + item.Code, grantees(item.Viewers)})
		}
	}
	return rights
}

func grantees(list []resource.Grantee) string {
	if len(list) == 0 {
		return "none"
	}
	names := make([]string, len(list))
	for i, g := range list {
		switch {
		case g.User != "":
			names[i] = "user " + g.User
		case g.Application != "":
			names[i] = "application " + g.Application
		case g.Group != "":
			names[i] = "group " + g.Group
		case g.Role == resource.RoleProcessInitiator:
			names[i] = "the initiator of the process"
		default:
			names[i] = "role " + g.Role
		}
	}
	return strings.Join(names, ", ")
}
