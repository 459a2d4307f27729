package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

const (
	// feedLimit is how many events are read at a time.
	feedLimit = 200
	// feedReaders is how many streams read at a time. They use the connections of requests, because their reads are as short, and must
	// not take all of them.
	feedReaders = 8
)

// FeedStart returns the default start of the feed: the position behind all
// committed events.
func (s *Service) FeedStart(ctx context.Context) (domain.EventCursor, error) {
	return events.End(ctx, s.store.Reader)
}

// FeedMissed reports whether events behind the cursor, of the caller's tenants, were
// removed because of their age.
func (s *Service) FeedMissed(ctx context.Context, call domain.Call, after domain.EventCursor) (bool, error) {
	return events.Missed(ctx, s.store.Reader, persistence.AdministrationScope{Tenants: call.TenantIDs()}, after)
}

// ReadFeed returns the next public events after the cursor, about processes and
// items visible to the caller, or about those among processes if it is not
// empty. A caller that continues from Next each time receives every event once,
// in the order of commits.
func (s *Service) ReadFeed(
	ctx context.Context, call domain.Call, after domain.EventCursor, processes []uuid.UUID,
) (domain.FeedPart, error) {
	select {
	case s.feedReads <- struct{}{}:
		defer func() { <-s.feedReads }()
	case <-ctx.Done():
		return domain.FeedPart{}, ctx.Err()
	}
	return events.ListFeed(ctx, s.store.Reader, call.Caller, after, feedLimit, processes)
}
