package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindEvents lists events.
func (s *Server) FindEvents(
	ctx context.Context, request FindEventsRequestObject,
) (FindEventsResponseObject, error) {
	params := request.Params
	filter := app.EventFilter{
		TenantCodes: params.Tenant, TenantIDs: params.TenantID, Types: words[domain.EventType](params.Type), ActorIDs: params.ActorID,
		ProcessIDs: params.ProcessID, ResourceKinds: words[domain.EventResource](params.ResourceKind),
		ResourceIDs: params.ResourceID, RequestIDs: params.RequestID, From: params.From, To: params.To,
	}
	part := app.EventRange{NewestFirst: httpio.Given(params.Order) != oasadmin.EventOrderOLDESTFIRST, Limit: params.Limit}
	if params.After != nil {
		after, err := domain.ParseEventCursor(*params.After)
		if err != nil {
			return nil, domain.Invalid(domain.LocationQuery, "after", err.Error())
		}
		part.After = &after
	}
	found, next, err := s.app.FindEvents(ctx, s.caller(ctx), filter, part)
	if err != nil {
		return nil, err
	}
	answer := FindEvents200JSONResponse{Content: listOf(found, event)}
	if next != nil {
		answer.Next = httpio.Optional(next.String())
	}
	return answer, nil
}

func event(e *domain.Event) oasadmin.Event {
	answer := oasadmin.Event{
		ID: e.ID, Cursor: e.Cursor.String(), TenantID: e.TenantID, Type: string(e.Type),
		ResourceKind: string(e.ResourceKind), ResourceID: e.ResourceID,
		PreviousState: httpio.Optional(e.PreviousState), State: httpio.Optional(e.State),
		ActorID: e.ActorID, RequestID: httpio.Optional(e.RequestID), OccurredAt: e.OccurredAt.UTC(),
	}
	if e.ProcessID != (domain.Event{}).ProcessID {
		answer.ProcessID = &e.ProcessID
	}
	if len(e.Details) > 0 {
		answer.Details = e.Details
	}
	return answer
}
