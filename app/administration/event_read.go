package administration

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

// EventFilter narrows FindEvents.
type EventFilter = events.Filter

// EventRecord is an event with the change of a manifest.
type EventRecord = events.Record

// EventRange is the start, the direction and the end of a read of events.
type EventRange = events.Range

// FindEvents returns the events of the tenants that the caller administers, of
// all tenants for an operator. An event is returned once no other can precede
// it: when all transactions older than its own have ended.
//
// next is the position to continue from, nil at the end. A list towards the
// newest has no end: later events follow. It is refused after a cursor behind
// which events were removed.
func (s *Service) FindEvents(
	ctx context.Context, call domain.Call, filter EventFilter, part EventRange,
) (found []domain.Event, next *domain.EventCursor, err error) {
	if err := checkEventTypes(filter.Types); err != nil {
		return nil, nil, err
	}
	if part.After != nil && !part.NewestFirst {
		missed, err := events.Missed(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), *part.After)
		if err != nil {
			return nil, nil, err
		}
		if missed {
			return nil, nil, domain.Invalid(domain.LocationQuery, "after",
				"events behind it were removed because of their age: begin without it, at the oldest")
		}
	}
	found, err = events.List(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), filter, part)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(found) == part.Limit, len(found) > 0 && !part.NewestFirst:
		return found, &found[len(found)-1].Cursor, nil
	case part.NewestFirst:
		return found, nil, nil
	default:
		return found, part.After, nil
	}
}

// FindAuditRecords returns the events of FindEvents with the names of their subjects.
func (s *Service) FindAuditRecords(
	ctx context.Context, call domain.Call, filter EventFilter, part EventRange,
) ([]domain.AuditRecord, error) {
	if err := checkEventTypes(filter.Types); err != nil {
		return nil, err
	}
	return events.ListRecords(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), filter, part)
}

// RetrieveEvent returns an event of FindEvents with the manifests before and after a change, or NOT_FOUND.
func (s *Service) RetrieveEvent(ctx context.Context, call domain.Call, id uuid.UUID) (*EventRecord, error) {
	return events.Get(ctx, s.store.Reader, persistence.AdministrationOf(call.Caller), id)
}

// checkEventTypes refuses types of event that no event has.
func checkEventTypes(types []domain.EventType) error {
	all := domain.EventTypes()
	wrong := slices.IndexFunc(types, func(t domain.EventType) bool { return !slices.Contains(all, t) })
	if wrong < 0 {
		return nil
	}
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = string(t)
	}
	name := string(types[wrong])
	return domain.Invalid(domain.LocationQuery, "type", name+" is not a type of event"+
		resource.DidYouMean(name, names, "; the types are "+strings.Join(names, ", ")))
}
