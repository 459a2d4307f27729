package cli

import (
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// right contains the holders of a right.
type right struct{ right, holder string }

// rightsOf lists the rights that a resource grants, in addition to owners and
// administrators of the tenant. An unreadable spec, for example of a newer service,
// grants none.
func rightsOf(r oasadmin.Resource) []right {
	document, err := resource.FromStored(resource.Kind(r.Kind), resource.Metadata{}, r.Spec)
	if err != nil {
		return nil
	}
	grants := document.Spec.Rights()
	rights := make([]right, len(grants))
	for i, g := range grants {
		rights[i] = right{strings.TrimSpace(g.May + " " + g.Item), granteeNames(g.Holders)}
	}
	return rights
}

func granteeNames(list []resource.Grantee) string {
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
		case g.Role == resource.RoleEveryone:
			names[i] = "everyone of the tenant"
		default:
			names[i] = "role " + g.Role
		}
	}
	return strings.Join(names, ", ")
}
