package shapea

import (
	"context"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindTenantUsers implements operation A3.
func (s *Server) FindTenantUsers(
	ctx context.Context, request oasa.FindTenantUsersRequestObject,
) (oasa.FindTenantUsersResponseObject, error) {
	params := request.Params
	filter := app.TenantUserFilter{GroupIDs: params.GroupID, Emails: params.Email, TenantIDs: params.TenantID}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	return listing(func(w http.ResponseWriter) error {
		show := func(found *domain.Listing[domain.TenantUser]) error {
			return httpio.WriteListing(w, found, tenantUserPage, func(items []domain.TenantUser) ([]oasa.TenantUser, error) {
				return httpio.ConvertAll(items, func(u *domain.TenantUser) (oasa.TenantUser, error) { return tenantUser(u), nil })
			})
		}
		return s.app.FindTenantUsers(ctx, s.call(ctx), filter, page, sort, show)
	}), nil
}

func tenantUserPage(metadata httpio.PageMetadata, content []oasa.TenantUser) any {
	return oasa.TenantUserPage{
		ObjectType: new(oasa.PagedObjectTypeTENANTUSERPAGE), Metadata: oasa.PageMetadata(metadata), Content: content,
	}
}

// RetrieveTenantUser implements operation A4.
func (s *Server) RetrieveTenantUser(
	ctx context.Context, request oasa.RetrieveTenantUserRequestObject,
) (oasa.RetrieveTenantUserResponseObject, error) {
	found, err := s.app.RetrieveTenantUser(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasa.RetrieveTenantUser200JSONResponse(tenantUser(found)), nil
}

func tenantUser(u *domain.TenantUser) oasa.TenantUser {
	answer := oasa.TenantUser{
		ID: u.ID, TenantID: u.TenantID, Principal: convertPrincipal(&u.Principal),
		ObjectType: new(oasa.AuditedObjectTypeTENANTUSER),
	}
	if u.Metadata != nil {
		answer.Metadata = &oasa.TenantUserMetadata{Valid: u.Metadata.Valid, Value: u.Metadata.Value}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(u.Audit)
	return answer
}
