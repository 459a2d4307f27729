package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

const (
	defaultDataSourcePage = 25
	// dataSourceRetry is how many seconds clients should wait before they ask again.
	dataSourceRetry = 1
)

// CreateDataSourceQuery asks a data source for items.
func (s *Server) CreateDataSourceQuery(
	ctx context.Context, request oasb.CreateDataSourceQueryRequestObject,
) (oasb.CreateDataSourceQueryResponseObject, error) {
	body := request.Body
	in := app.NewDataSourceQuery{
		TenantID: body.TenantID, SourceCode: body.DataSourceCode, Query: body.Query, Filter: body.Filter,
		Context: body.Context, PageSize: defaultDataSourcePage,
	}
	if body.PageNumber != nil {
		in.PageNumber = int(*body.PageNumber)
	}
	if body.PageSize != nil {
		in.PageSize = int(*body.PageSize)
	}
	run, err := s.app.CreateDataSourceQuery(ctx, s.call(ctx), in)
	if err != nil {
		return nil, err
	}
	return oasb.CreateDataSourceQuery202JSONResponse{
		Body: dataSourceQuery(run),
		// Relative to the address of the request.
		Headers: oasb.CreateDataSourceQuery202ResponseHeaders{Location: new("data-source-queries/" + run.ID.String())},
	}, nil
}

// RetrieveDataSourceQuery returns a query of a data source and its answer.
func (s *Server) RetrieveDataSourceQuery(
	ctx context.Context, request oasb.RetrieveDataSourceQueryRequestObject,
) (oasb.RetrieveDataSourceQueryResponseObject, error) {
	run, err := s.app.RetrieveDataSourceQuery(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveDataSourceQuery200JSONResponse(dataSourceQuery(run)), nil
}

func dataSourceQuery(r *domain.DataSourceRun) oasb.DataSourceQuery {
	answer := oasb.DataSourceQuery{
		ID: r.ID, TenantID: r.TenantID, DataSourceCode: r.SourceCode, State: oasb.DataSourceQueryState(r.State),
		CreatedAt: r.CreatedAt.UTC(),
	}
	if r.FinishedAt != nil {
		answer.FinishedAt = new(r.FinishedAt.UTC())
	}
	switch r.State {
	case domain.DataSourceRunPending:
		answer.RetryAfterSeconds = new(int32(dataSourceRetry))
	case domain.DataSourceRunFailed:
		answer.ErrorCode = new(oasb.DataSourceQueryErrorCode(r.ErrorCode))
		answer.ErrorMessage = httpio.PtrOrNil(r.ErrorMessage)
	case domain.DataSourceRunCompleted:
		answer.Page = &oasb.DataSourceQueryPage{
			Metadata: oasb.PageMetadata{
				Size: r.Page.Size, Page: r.Page.Number, TotalElements: r.Page.TotalElements, TotalPages: r.Page.TotalPages,
			},
			Content: make([]oasb.DataSourceItem, len(r.Page.Items)),
		}
		for i, item := range r.Page.Items {
			answer.Page.Content[i] = oasb.DataSourceItem{Value: httpio.PtrOrNil(item.Value), Properties: item.Properties}
		}
	}
	return answer
}
