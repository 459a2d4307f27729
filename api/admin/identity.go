package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/administration"
)

// RetrieveIdentity returns the identity of the caller.
func (s *Server) RetrieveIdentity(
	ctx context.Context, _ RetrieveIdentityRequestObject,
) (RetrieveIdentityResponseObject, error) {
	found, err := s.administration.RetrieveIdentity(ctx, s.call(ctx))
	if err != nil {
		return nil, err
	}
	p := found.Principal
	return RetrieveIdentity200JSONResponse{
		Principal:   oasadmin.IdentityPrincipal{ID: p.ID, Type: oasadmin.PrincipalType(p.Type), Name: p.Name},
		Operator:    found.Operator,
		Memberships: listOf(found.Memberships, convertMembership),
	}, nil
}

func convertMembership(m *administration.IdentityMembership) oasadmin.Membership {
	return oasadmin.Membership{
		TenantID: m.TenantID, TenantCode: m.TenantCode, TenantName: m.TenantName, Role: oasadmin.TenantRole(m.Role),
	}
}
