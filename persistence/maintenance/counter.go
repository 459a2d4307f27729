// Package maintenance maintains the database in the background: it updates the
// counts behind the totals of lists, and removes expired data.
package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// countBatch bounds the events that one transaction counts. It takes some ten
	// milliseconds, during which followers of the event log wait.
	countBatch    = 1000
	countInterval = 500 * time.Millisecond
	faultPause    = 5 * time.Second
)

// Counter updates the counts. One replica does so at a time; when it dies, another
// one continues.
type Counter struct {
	db  *persistence.DB
	log *slog.Logger
}

// NewCounter returns a Counter that is started with Run.
func NewCounter(db *persistence.DB, log *slog.Logger) *Counter {
	return &Counter{db: db.Background(), log: log}
}

// Run updates the counts until ctx ends.
func (c *Counter) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: c.countEvents}
	l.Run(ctx)
}

// countEvents counts new events and returns the pause before the next call.
func (c *Counter) countEvents(ctx context.Context) time.Duration {
	more, err := c.db.CountEvents(ctx, countBatch)
	switch {
	case err != nil && ctx.Err() == nil:
		c.log.WarnContext(ctx, "counting events failed; lists are slower until it succeeds", slog.Any("error", err))
		return faultPause
	case more:
		return 0
	default:
		return countInterval
	}
}
