package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindGroups implements an operation that the specification leaves out.
func (s *Server) FindGroups(
	ctx context.Context, request oasb.FindGroupsRequestObject,
) (oasb.FindGroupsResponseObject, error) {
	params := request.Params
	filter := app.GroupFilter{
		PrincipalID: params.PrincipalID, IDs: params.GroupID, Codes: params.GroupCode, TenantIDs: params.TenantID,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindGroups(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindGroups200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, groupPageItem)
	return answer, nil
}

func groupPageItem(g *domain.Group) oasb.GroupPageItem {
	return oasb.GroupPageItem{ID: g.ID, Name: g.Name, Code: g.Code, TenantID: g.TenantID}
}
