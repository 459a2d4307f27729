// Package maintenance maintains the database in the background: it keeps the counts from
// which totals of lists are computed, and removes data that has reached its age.
package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// eventsAtOnce bounds the events that one transaction counts. It takes some ten
	// milliseconds, during which followers of the event log wait.
	eventsAtOnce  = 1000
	countInterval = 500 * time.Millisecond
	faultInterval = 5 * time.Second
)

// Keeper updates the counts. One replica does so at a time; when it dies, another one
// continues.
type Keeper struct {
	db  *persistence.DB
	log *slog.Logger
}

// New returns a Keeper that is started with Run.
func New(db *persistence.DB, log *slog.Logger) *Keeper {
	return &Keeper{db: db.Background(), log: log}
}

// Run updates the counts until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: k.count}
	l.Run(ctx)
}

// count counts new events and returns the pause before the next call.
func (k *Keeper) count(ctx context.Context) time.Duration {
	more, err := k.db.CountEvents(ctx, eventsAtOnce)
	switch {
	case err != nil && ctx.Err() == nil:
		k.log.WarnContext(ctx, "events were not counted; lists get slower until they are", slog.Any("error", err))
		return faultInterval
	case more:
		return 0
	default:
		return countInterval
	}
}
