package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/internal/loop"
)

const (
	// deadlineInterval is the time between two reads of the due queue of tasks, each of one row of an index.
	deadlineInterval = time.Second
	// deadlinePause is the pause after a failure.
	deadlinePause = 5 * time.Second
)

// deadlines handles the due queue of tasks. Replicas share it.
type deadlines struct {
	app *app.Service
	log loop.FailureLog

	handled atomic.Int64
}

func newDeadlines(operations *app.Service, log *slog.Logger) *deadlines {
	return &deadlines{
		app: operations.Background(),
		log: loop.FailureLog{Logger: log, Clock: time.Now, Interval: loop.FailureInterval},
	}
}

// run handles due tasks until ctx ends.
func (d *deadlines) run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: d.handleDue}
	l.Run(ctx)
}

// handleDue handles a batch and returns the pause before the next one.
func (d *deadlines) handleDue(ctx context.Context) time.Duration {
	handled, more, err := d.app.HandleDeadlines(ctx)
	switch {
	case err != nil:
		d.log.Record(ctx, "handling due tasks failed", err)
		return deadlinePause
	case more:
		d.handled.Add(int64(handled))
		return 0
	}
	d.log.End()
	d.handled.Add(int64(handled))
	return deadlineInterval
}
