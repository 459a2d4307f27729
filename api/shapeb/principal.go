package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindPrincipals implements operation B1.
func (s *Server) FindPrincipals(
	ctx context.Context, request oasb.FindPrincipalsRequestObject,
) (oasb.FindPrincipalsResponseObject, error) {
	params := request.Params
	filter := app.PrincipalFilter{
		Type: domain.PrincipalType(httpio.Deref(params.Type)), GroupIDs: params.GroupID, GroupCodes: params.GroupCode,
		TenantIDs: params.TenantID,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindPrincipals(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindPrincipals200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, principalPageItem)
	return answer, nil
}

// RetrievePrincipal implements operation B2.
func (s *Server) RetrievePrincipal(
	ctx context.Context, request oasb.RetrievePrincipalRequestObject,
) (oasb.RetrievePrincipalResponseObject, error) {
	found, err := s.app.RetrievePrincipal(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrievePrincipal200JSONResponse(convertPrincipal(found)), nil
}

// convertPrincipal shows the part that its type has: the id of a user or application
// is the principal's own.
func convertPrincipal(p *domain.Principal) oasb.Principal {
	answer := oasb.Principal{ID: &p.ID, Type: new(oasb.PrincipalType(p.Type)), Name: &p.Name}
	switch p.Type {
	case domain.PrincipalUser:
		answer.User = &oasb.PrincipalUser{ID: &p.ID, Email: httpio.PtrOrNil(p.Email)}
	case domain.PrincipalApplication:
		answer.Application = &oasb.PrincipalApplication{ID: &p.ID}
	case domain.PrincipalSystem:
	}
	return answer
}

func principalPageItem(p *domain.Principal) oasb.PrincipalPageItem {
	return oasb.PrincipalPageItem{ID: &p.ID, Type: new(oasb.PrincipalType(p.Type)), Name: &p.Name}
}
