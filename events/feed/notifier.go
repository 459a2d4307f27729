package feed

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// notifyInterval is the least time between two notifications of one replica.
	notifyInterval = 50 * time.Millisecond
	// reconnectAfter is the pause before a failed connection is opened again.
	reconnectAfter = time.Second
)

// Notifier notifies all replicas of new events. Notifications are not part of the
// transactions that record events, which would wait for each other; the polling
// of the hubs makes up for a lost one.
type Notifier struct {
	db   *persistence.DB
	log  *slog.Logger
	wake loop.Signal
	// rest ends when the next notification may be sent.
	rest *time.Timer
}

// NewNotifier returns a Notifier that is started with Run.
func NewNotifier(db *persistence.DB, log *slog.Logger) *Notifier {
	return &Notifier{db: db, log: log, wake: loop.NewSignal(), rest: time.NewTimer(0)}
}

// Wake requests a notification. It never blocks.
func (n *Notifier) Wake() { n.wake.Wake() }

// Run sends notifications until ctx ends; one that is pending then is still sent.
func (n *Notifier) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.db.SendEventSignals(context.WithoutCancel(ctx), func() error { return n.next(ctx) })
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return
		}
		n.log.WarnContext(ctx, "NOTIFY failed; other replicas find new events by polling", slog.Any("error", err))
		loop.Sleep(ctx, reconnectAfter)
	}
}

// next waits until a notification is requested, and until one may be sent. Requests
// that arrive meanwhile are merged.
func (n *Notifier) next(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-n.rest.C:
	}
	select {
	case <-n.wake:
	default:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.wake:
		}
	}
	n.rest.Reset(notifyInterval)
	return nil
}
