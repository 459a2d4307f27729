package administer

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EventFilter narrows FindEvents.
type EventFilter = persistence.EventFilter

// EventRange is the start, the direction and the end of a read of events.
type EventRange = persistence.EventRange

// FindEvents returns the events of the tenants that the caller administers, of
// all tenants for an operator. An event is returned once no other can precede
// it: when all transactions older than its own have ended.
//
// next is the position to continue from, nil at the end. A list towards the
// newest has no end: later events follow.
func (s *Administration) FindEvents(
	ctx context.Context, caller domain.Caller, filter EventFilter, part EventRange,
) (events []domain.Event, next *domain.EventCursor, err error) {
	events, err = s.reader.ListEvents(ctx, eventScope(caller), filter, part)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(events) == part.Limit, len(events) > 0 && !part.NewestFirst:
		return events, &events[len(events)-1].Cursor, nil
	case part.NewestFirst:
		return events, nil, nil
	default:
		return events, part.After, nil
	}
}

func eventScope(caller domain.Caller) persistence.EventScope {
	return persistence.EventScope{
		Everywhere: caller.Operator || caller.Type == domain.PrincipalSystem, Tenants: caller.AdministeredTenants(),
	}
}
