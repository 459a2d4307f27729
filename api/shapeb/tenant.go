package shapeb

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindTenants implements operation B3.
func (s *Server) FindTenants(
	ctx context.Context, request oasb.FindTenantsRequestObject,
) (oasb.FindTenantsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindTenants(ctx, s.call(ctx), params.TenantID, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindTenants200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, tenantPageItem)
	return answer, nil
}

// RetrieveTenant implements operation B4.
func (s *Server) RetrieveTenant(
	ctx context.Context, request oasb.RetrieveTenantRequestObject,
) (oasb.RetrieveTenantResponseObject, error) {
	found, err := s.app.RetrieveTenant(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveTenant200JSONResponse(convertTenant(found)), nil
}

// FindTenantUsers implements operation B5.
func (s *Server) FindTenantUsers(
	ctx context.Context, request oasb.FindTenantUsersRequestObject,
) (oasb.FindTenantUsersResponseObject, error) {
	params := request.Params
	filter := app.TenantUserFilter{
		GroupIDs: params.GroupID, GroupCodes: params.GroupCode, Emails: params.Email, TenantIDs: params.TenantID,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	return listing(func(w http.ResponseWriter) error {
		show := func(found *domain.Listing[domain.TenantUser]) error {
			return httpio.WriteListing(w, found, tenantUserPage, func(items []domain.TenantUser) ([]oasb.TenantUserPageItem, error) {
				return httpio.ConvertAll(items, func(u *domain.TenantUser) (oasb.TenantUserPageItem, error) {
					return tenantUserPageItem(u), nil
				})
			})
		}
		return s.app.FindTenantUsers(ctx, s.call(ctx), filter, page, sort, show)
	}), nil
}

// listing is the answer of a list of whole values, which reads them while it
// writes them.
type listing func(w http.ResponseWriter) error

// VisitFindTenantUsersResponse implements oasb.FindTenantUsersResponseObject.
func (l listing) VisitFindTenantUsersResponse(w http.ResponseWriter) error { return l(w) }

func tenantUserPage(metadata httpio.PageMetadata, content []oasb.TenantUserPageItem) any {
	return oasb.TenantUserPage{Metadata: oasb.PageMetadata(metadata), Content: content}
}

// RetrieveTenantUser implements operation B6.
func (s *Server) RetrieveTenantUser(
	ctx context.Context, request oasb.RetrieveTenantUserRequestObject,
) (oasb.RetrieveTenantUserResponseObject, error) {
	found, err := s.app.RetrieveTenantUser(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveTenantUser200JSONResponse(tenantUser(found)), nil
}

func convertTenant(t *domain.Tenant) oasb.Tenant {
	answer := oasb.Tenant{ID: t.ID, Name: t.Name, Plan: oasb.TenantPricingPlan(t.Plan)}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(t.Audit)
	return answer
}

func tenantPageItem(t *domain.Tenant) oasb.TenantPageItem {
	return oasb.TenantPageItem{ID: t.ID, Name: t.Name}
}

func tenantUser(u *domain.TenantUser) oasb.TenantUser {
	answer := oasb.TenantUser{
		ID: u.ID, TenantID: u.TenantID, Principal: convertPrincipal(&u.Principal), Metadata: jsonValue(u.Metadata),
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(u.Audit)
	return answer
}

func tenantUserPageItem(u *domain.TenantUser) oasb.TenantUserPageItem {
	answer := oasb.TenantUserPageItem{ID: u.ID, TenantID: u.TenantID, PrincipalID: u.Principal.ID}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(u.Audit)
	return answer
}
