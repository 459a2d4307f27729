// Package upkeep does in the background what the database needs, so that requests
// need not: it counts what the totals of lists are made of.
package upkeep

import (
	"context"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// eventsAtOnce bounds the events that one transaction counts: some ten
	// milliseconds, during which followers of the log wait for it.
	eventsAtOnce  = 1000
	countInterval = 500 * time.Millisecond
	faultInterval = 5 * time.Second
)

// Keeper is the loop of a replica. One replica counts at a time, and any other may
// go on when it dies.
type Keeper struct {
	db  *persistence.DB
	log *slog.Logger
}

// New returns a Keeper that is started with Run.
func New(db *persistence.DB, log *slog.Logger) *Keeper {
	return &Keeper{db: db.Background(), log: log}
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: k.count}
	l.Run(ctx)
}

// count counts new events and returns when to do so again.
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
