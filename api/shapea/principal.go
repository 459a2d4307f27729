package shapea

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindPrincipals implements operation A1.
func (s *Server) FindPrincipals(
	ctx context.Context, request oasa.FindPrincipalsRequestObject,
) (oasa.FindPrincipalsResponseObject, error) {
	params := request.Params
	filter := app.PrincipalFilter{
		Type: domain.PrincipalType(httpio.Deref(params.Type)), GroupIDs: params.GroupID, TenantIDs: params.TenantID,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindPrincipals(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	answer := oasa.FindPrincipals200JSONResponse{ObjectType: new(oasa.PagedObjectTypePRINCIPALPAGE)}
	answer.Metadata, answer.Content = httpio.PageOf[oasa.PageMetadata](found, convertPrincipal)
	return answer, nil
}

// RetrievePrincipal implements operation A2.
func (s *Server) RetrievePrincipal(
	ctx context.Context, request oasa.RetrievePrincipalRequestObject,
) (oasa.RetrievePrincipalResponseObject, error) {
	found, err := s.app.RetrievePrincipal(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasa.RetrievePrincipal200JSONResponse(convertPrincipal(found)), nil
}

// convertPrincipal shows the part that its type has: the id of a user or application
// is the principal's own.
func convertPrincipal(p *domain.Principal) oasa.Principal {
	answer := oasa.Principal{ID: &p.ID, Type: new(oasa.PrincipalType(p.Type)), Name: &p.Name}
	switch p.Type {
	case domain.PrincipalUser:
		answer.User = &oasa.PrincipalUser{ID: &p.ID, Email: httpio.PtrOrNil(p.Email)}
	case domain.PrincipalApplication:
		answer.Application = &oasa.PrincipalApplication{ID: &p.ID}
	case domain.PrincipalSystem:
	}
	return answer
}
