package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// FindEvents lists events.
func (s *Server) FindEvents(
	ctx context.Context, request FindEventsRequestObject,
) (FindEventsResponseObject, error) {
	params := request.Params
	filter := administration.EventFilter{
		TenantCodes: params.Tenant, TenantIDs: params.TenantID, Types: httpio.ConvertStrings[domain.EventType](params.Type), ActorIDs: params.ActorID,
		ProcessIDs: params.ProcessID, ResourceKinds: httpio.ConvertStrings[domain.EventResource](params.ResourceKind),
		ResourceIDs: params.ResourceID, RequestIDs: params.RequestID, From: params.From, To: params.To,
	}
	part := administration.EventRange{NewestFirst: httpio.Deref(params.Order) != oasadmin.EventOrderOLDESTFIRST, Limit: params.Limit}
	if params.After != nil {
		after, err := domain.ParseEventCursor(*params.After)
		if err != nil {
			return nil, domain.Invalid(domain.LocationQuery, "after", err.Error())
		}
		part.After = &after
	}
	found, next, err := s.administration.FindEvents(ctx, s.call(ctx), filter, part)
	if err != nil {
		return nil, err
	}
	answer := FindEvents200JSONResponse{Content: listOf(found, convertEvent)}
	if next != nil {
		answer.Next = httpio.PtrOrNil(next.String())
	}
	return answer, nil
}

// RetrieveEvent returns one event with the documents before and after a change.
func (s *Server) RetrieveEvent(
	ctx context.Context, request RetrieveEventRequestObject,
) (RetrieveEventResponseObject, error) {
	found, err := s.administration.RetrieveEvent(ctx, s.call(ctx), request.EventID)
	if err != nil {
		return nil, err
	}
	answer := RetrieveEvent200JSONResponse{Event: convertEvent(&found.Event)}
	if answer.Before, err = convertDocument(found.Before); err != nil {
		return nil, err
	}
	answer.After, err = convertDocument(found.After)
	return answer, err
}

func convertEvent(e *domain.Event) oasadmin.Event {
	answer := oasadmin.Event{
		ID: e.ID, Cursor: e.Cursor.String(), TenantID: e.TenantID, Type: string(e.Type),
		ResourceKind: string(e.ResourceKind), ResourceID: e.ResourceID,
		PreviousState: httpio.PtrOrNil(e.PreviousState), State: httpio.PtrOrNil(e.State),
		ActorID: e.ActorID, RequestID: httpio.PtrOrNil(e.RequestID), OccurredAt: e.OccurredAt.UTC(),
	}
	if e.ProcessID != (domain.Event{}).ProcessID {
		answer.ProcessID = &e.ProcessID
	}
	if len(e.Details) > 0 {
		answer.Details = e.Details
	}
	return answer
}
