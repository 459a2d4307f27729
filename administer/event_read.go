package administer

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EventFilter narrows FindEvents.
type EventFilter = persistence.EventFilter

// EventRange says from where on, in which direction and how far events are read.
type EventRange = persistence.EventRange

// FindEvents returns the events of the tenants that the caller administers, of
// all tenants for an operator. An event is there as soon as no other can come
// before it: when the transactions have ended that are older than its own.
//
// next is where the list goes on, nil where there is nothing to go on from. A list
// towards the newest always goes on: what is recorded later comes then.
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
