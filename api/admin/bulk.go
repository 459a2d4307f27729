package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/domain"
)

// FindBulkOperations lists bulk operations.
func (s *Server) FindBulkOperations(
	ctx context.Context, request FindBulkOperationsRequestObject,
) (FindBulkOperationsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), params.Sort)
	filter := bulk.Filter{States: httpio.ConvertStrings[domain.BulkState](params.State), TenantCodes: params.Tenant}
	found, err := s.bulk.FindOperations(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer FindBulkOperations200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, func(b *domain.NamedBulkOperation) oasadmin.BulkOperation {
		return convertBulk(&b.BulkOperation)
	})
	return answer, nil
}

// PreviewBulkOperation fixes the selection of a bulk operation.
func (s *Server) PreviewBulkOperation(
	ctx context.Context, request PreviewBulkOperationRequestObject,
) (PreviewBulkOperationResponseObject, error) {
	body := request.Body
	f := body.Filter
	previewed, err := s.bulk.Preview(ctx, s.call(ctx), bulk.Request{
		TenantID: body.TenantID, Tenant: httpio.Deref(body.Tenant), Kind: domain.BulkKind(body.Kind),
		Filter: domain.BulkFilter{
			IDs: f.Ids, States: f.States, Search: httpio.Deref(f.Search), DefinitionID: f.DefinitionID,
			Standing: domain.Standing(httpio.Deref(f.Standing)), InitiatorID: f.InitiatorID, Metadata: f.Metadata, OwnerID: f.OwnerID,
			View: domain.InboxView(httpio.Deref(f.View)), DueAfter: f.DueAfter, DueBefore: f.DueBefore, Overdue: httpio.Deref(f.Overdue), Cause: httpio.Deref(f.Cause), Worker: httpio.Deref(f.Worker),
			Kinds: httpio.ConvertStrings[domain.IncidentKind](f.Kinds), AssigneeID: f.AssigneeID, Assigned: f.Assigned, Acknowledged: f.Acknowledged,
		},
		NewOwner:  app.PrincipalKey{ID: body.NewOwnerID, Email: httpio.Deref(body.NewOwnerEmail)},
		ToVersion: int(httpio.Deref(body.ToVersion)),
	})
	if err != nil {
		return nil, err
	}
	return PreviewBulkOperation201JSONResponse(convertBulk(previewed)), nil
}

// RetrieveBulkOperation returns a bulk operation with its progress.
func (s *Server) RetrieveBulkOperation(
	ctx context.Context, request RetrieveBulkOperationRequestObject,
) (RetrieveBulkOperationResponseObject, error) {
	found, err := s.bulk.RetrieveOperation(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return RetrieveBulkOperation200JSONResponse(convertBulk(&found.BulkOperation)), nil
}

// FindBulkOperationItems lists the resources of a bulk operation.
func (s *Server) FindBulkOperationItems(
	ctx context.Context, request FindBulkOperationItemsRequestObject,
) (FindBulkOperationItemsResponseObject, error) {
	params := request.Params
	page, _ := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), nil)
	found, err := s.bulk.FindItems(ctx, s.call(ctx), request.ID, httpio.ConvertStrings[domain.BulkItemState](params.State), page)
	if err != nil {
		return nil, err
	}
	var answer FindBulkOperationItems200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, func(i *domain.BulkItem) oasadmin.BulkItem {
		return oasadmin.BulkItem{
			ID: i.TargetID, Label: httpio.PtrOrNil(i.Label), State: oasadmin.BulkItemState(i.State), Code: httpio.PtrOrNil(string(i.Code)),
			Message: httpio.PtrOrNil(i.Message), EndedAt: inUTC(i.EndedAt),
		}
	})
	return answer, nil
}

// StartBulkOperation starts a previewed bulk operation.
func (s *Server) StartBulkOperation(
	ctx context.Context, request StartBulkOperationRequestObject,
) (StartBulkOperationResponseObject, error) {
	started, err := s.bulk.Start(ctx, s.call(ctx), request.ID, request.Body.Reason)
	if err != nil {
		return nil, err
	}
	return StartBulkOperation200JSONResponse(convertBulk(started)), nil
}

// StopBulkOperation ends a running bulk operation.
func (s *Server) StopBulkOperation(
	ctx context.Context, request StopBulkOperationRequestObject,
) (StopBulkOperationResponseObject, error) {
	stopped, err := s.bulk.Stop(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return StopBulkOperation200JSONResponse(convertBulk(stopped)), nil
}

func convertBulk(b *domain.BulkOperation) oasadmin.BulkOperation {
	f := b.Filter
	answer := oasadmin.BulkOperation{
		ID: b.ID, TenantID: b.TenantID, Kind: oasadmin.BulkKind(b.Kind), State: oasadmin.BulkState(b.State), NewOwnerID: b.Parameters.NewOwnerID,
		Filter: oasadmin.BulkFilter{
			Ids: f.IDs, States: f.States, Search: httpio.PtrOrNil(f.Search), DefinitionID: f.DefinitionID,
			Standing: httpio.PtrOrNil(oasadmin.BulkFilterStanding(f.Standing)), InitiatorID: f.InitiatorID, Metadata: f.Metadata,
			OwnerID: f.OwnerID, View: httpio.PtrOrNil(oasadmin.BulkFilterView(f.View)),
			DueAfter: inUTC(f.DueAfter), DueBefore: inUTC(f.DueBefore), Overdue: httpio.PtrOrNil(f.Overdue), Cause: httpio.PtrOrNil(f.Cause), Worker: httpio.PtrOrNil(f.Worker),
			Kinds: httpio.ConvertStrings[oasadmin.IncidentKind](f.Kinds), AssigneeID: f.AssigneeID, Assigned: f.Assigned, Acknowledged: f.Acknowledged,
		},
		ToVersion: httpio.PtrOrNil(int32(b.Parameters.ToVersion)), //nolint:gosec // the contract has 32 bits
		Reason:    httpio.PtrOrNil(b.Reason), CreatedBy: b.CreatedBy, CreatedAt: b.CreatedAt.UTC(), StartedAt: inUTC(b.StartedAt), EndedAt: inUTC(b.EndedAt),
		Selected: b.Selected, Done: b.Done, Refused: b.Refused, Forecast: []oasadmin.BulkForecast{},
	}
	for _, expected := range b.Forecast {
		answer.Forecast = append(answer.Forecast, oasadmin.BulkForecast{
			Count: expected.Count, Code: httpio.PtrOrNil(string(expected.Code)), Message: httpio.PtrOrNil(expected.Message),
		})
	}
	if sample := b.Sample; sample != nil {
		answer.Sample = &oasadmin.BulkSample{Checked: sample.Checked, Refused: sample.Refused, Invalid: sample.Invalid, Losing: sample.Losing}
	}
	return answer
}
