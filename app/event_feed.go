package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// FeedPart is what a caller sees of a part of the ledger.
type FeedPart = persistence.FeedPart

// feedLimit is how many events are looked at at a time.
const feedLimit = 200

// FeedStart is where the feed begins for those who do not say where: behind
// everything that has happened so far.
func (s *Service) FeedStart(ctx context.Context) (domain.EventCursor, error) {
	return s.streams.EndOfEvents(ctx)
}

// ReadFeed returns the next public events after the cursor that are about
// processes and items which the caller sees, or about those of them that
// processes names when there are any. Whoever goes on from Next each time gets
// every one of them once, in the order in which they were committed.
func (s *Service) ReadFeed(
	ctx context.Context, caller domain.Caller, after domain.EventCursor, processes []uuid.UUID,
) (FeedPart, error) {
	return s.streams.ListFeedEvents(ctx, caller, after, feedLimit, processes)
}
