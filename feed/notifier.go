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
	notifyInterval = 5 * time.Millisecond
	// reconnectAfter is how long a connection that failed is left alone.
	reconnectAfter = time.Second
)

// Notifier tells all replicas that there are new events. Notifications are no
// part of the transactions that record events, which would wait for each other;
// one that is lost is made up for by looking.
type Notifier struct {
	db   *persistence.DB
	log  *slog.Logger
	wake loop.Signal
}

// NewNotifier makes a Notifier. Run makes it work.
func NewNotifier(db *persistence.DB, log *slog.Logger) *Notifier {
	return &Notifier{db: db, log: log, wake: loop.NewSignal()}
}

// Wake says that there are new events. It never blocks.
func (n *Notifier) Wake() { n.wake.Wake() }

// Run works until ctx ends. What there is to tell then is still told.
func (n *Notifier) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.db.SendEventSignals(context.WithoutCancel(ctx), func() error { return n.next(ctx) })
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return
		}
		n.log.WarnContext(ctx, "other replicas cannot be told of new events and find them later", slog.Any("error", err))
		pause(ctx, reconnectAfter)
	}
}

// next waits until there is something to tell.
func (n *Notifier) next(ctx context.Context) error {
	select {
	case <-n.wake:
	default:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.wake:
		}
	}
	if ctx.Err() == nil {
		// What comes now is told together with this.
		pause(ctx, notifyInterval)
		select {
		case <-n.wake:
		default:
		}
	}
	return nil
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
