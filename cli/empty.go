package cli

import (
	"context"
	"slices"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// checkEmpty returns why a list cannot but be empty: there is no such tenant, or the
// rows are for owners and administrators, and the caller is neither. It returns nil
// for a list that has no rows, of the tenant with the code or of all.
func (s *service) checkEmpty(ctx context.Context, rows, tenant string) error {
	answer, err := s.RetrieveIdentity(ctx)
	identity, err := receive[oasadmin.Identity](s, answer, err)
	if err != nil {
		return err
	}
	memberships := identity.Memberships
	if tenant != "" {
		memberships = slices.DeleteFunc(memberships, func(m oasadmin.Membership) bool { return m.TenantCode != tenant })
	}
	switch {
	case identity.Operator && tenant != "":
		_, err := s.retrieveResource(ctx, resource.KindTenant, tenant, tenant)
		return err
	case identity.Operator:
		return nil
	case tenant != "" && len(memberships) == 0:
		return notFoundError(string(resource.KindTenant) + "/" + tenant)
	}
	var roles []string
	for _, m := range memberships {
		if m.Role != oasadmin.TenantRoleMEMBER {
			return nil
		}
		roles = append(roles, string(m.Role)+" of "+m.TenantCode)
	}
	return &failure{
		kind: domain.KindDenied,
		text: "only owners and administrators see the " + rows + " of a tenant; you are " + strings.Join(roles, ", "),
	}
}
