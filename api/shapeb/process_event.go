package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindProcessEvents lists the events of a process. It is an extension of the service.
func (s *Server) FindProcessEvents(
	ctx context.Context, request oasb.FindProcessEventsRequestObject,
) (oasb.FindProcessEventsResponseObject, error) {
	params := request.Params
	part := app.EventRange{NewestFirst: httpio.Deref(params.Order) == oasb.ProcessEventOrderNEWESTFIRST, Limit: params.Limit}
	if params.After != nil {
		after, err := domain.ParseEventCursor(*params.After)
		if err != nil {
			return nil, domain.Invalid(domain.LocationQuery, "after", err.Error())
		}
		part.After = &after
	}
	found, err := s.app.FindProcessEvents(ctx, s.call(ctx), request.ID, part)
	if err != nil {
		return nil, err
	}
	content := make([]oasb.ProcessEvent, len(found))
	for i := range found {
		content[i] = processEvent(&found[i])
	}
	return oasb.FindProcessEvents200JSONResponse{Content: content}, nil
}

func processEvent(e *domain.TimelineEvent) oasb.ProcessEvent {
	converted := oasb.ProcessEvent{
		ID: e.ID, Cursor: e.Cursor.String(), Type: string(e.Type), OccurredAt: e.OccurredAt.UTC(),
		ActorID: e.ActorID, ActorName: httpio.PtrOrNil(e.ActorName),
		State: httpio.PtrOrNil(e.State), PreviousState: httpio.PtrOrNil(e.PreviousState),
		ProcessItemID: e.ItemID, ProcessItemDefinitionCode: httpio.PtrOrNil(e.ItemDefinitionCode),
		ProcessItemName: httpio.PtrOrNil(e.ItemName.Source), OwnerName: httpio.PtrOrNil(e.OwnerName),
		ProcessActionDefinitionCode: httpio.PtrOrNil(e.Details["actionCode"]),
	}
	if e.ItemType != "" {
		converted.ProcessItemType = new(oasb.ProcessItemType(e.ItemType))
	}
	return converted
}
