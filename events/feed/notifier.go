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
	// notifyInterval is the minimum time between two notifications of one replica.
	notifyInterval = 50 * time.Millisecond
	// reconnectAfter is the pause before a failed connection is reopened.
	reconnectAfter = time.Second
)

// Notifier notifies all replicas of new events. They are not sent by the transactions
// that record events, which would then wait for each other. The hubs poll in case a
// notification is lost.
type Notifier struct {
	db   *persistence.DB
	log  *slog.Logger
	wake loop.Signal
	// ready fires when the next notification may be sent.
	ready *time.Timer
}

// NewNotifier returns a Notifier that is started with Run.
func NewNotifier(db *persistence.DB, log *slog.Logger) *Notifier {
	return &Notifier{db: db, log: log, wake: loop.NewSignal(), ready: time.NewTimer(0)}
}

// Wake requests a notification. It never blocks.
func (n *Notifier) Wake() { n.wake.Wake() }

// Run sends notifications until ctx ends, including a pending one.
func (n *Notifier) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.db.SendEventSignals(context.WithoutCancel(ctx), func() error { return n.awaitRequest(ctx) })
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return
		}
		n.log.WarnContext(ctx, "NOTIFY failed; other replicas find new events by polling", slog.Any("error", err))
		loop.Sleep(ctx, reconnectAfter)
	}
}

// awaitRequest waits until a notification is requested and may be sent. It merges
// requests.
func (n *Notifier) awaitRequest(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-n.ready.C:
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
	n.ready.Reset(notifyInterval)
	return nil
}
