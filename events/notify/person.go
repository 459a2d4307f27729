package notify

import (
	"context"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
)

const (
	// personEventsAtOnce bounds the events that one statement reads.
	personEventsAtOnce = 1000
	// personPollInterval is the time between two polls without a wake-up.
	personPollInterval = time.Second
	// personSettleInterval is the pause before the next poll after a wake-up: the events of a transaction are read when earlier ones
	// have ended. It doubles each time, up to personPollInterval.
	personSettleInterval = 25 * time.Millisecond
	// personMinInterval is the minimum time between two statements.
	personMinInterval = 20 * time.Millisecond
	// removalInterval is the time between two removals of old notifications, removedAtOnce the number that one of them reads.
	removalInterval = time.Hour
	removedAtOnce   = 5000
)

// PersonOptions configure a PersonNotifier.
type PersonOptions struct {
	DB *persistence.DB
	// Wake is sent when there may be new events.
	Wake loop.Signal
	// Mails reports whether mails can be sent.
	Mails bool
	// Written is called after notifications were written.
	Written func()
	Clock   func() time.Time
	Logger  *slog.Logger
}

// PersonNotifier writes the notifications of people from the event log. Several may work on one database: an event notifies a person
// once.
type PersonNotifier struct {
	o         PersonOptions
	failures  loop.FailureLog
	pause     time.Duration
	removedAt time.Time
}

// NewPersonNotifier returns a PersonNotifier that is started with Run.
func NewPersonNotifier(o PersonOptions) *PersonNotifier {
	o.DB = o.DB.Background()
	return &PersonNotifier{
		o: o, pause: personPollInterval, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock, Interval: loop.FailureInterval},
	}
}

// Run works until ctx ends. It must not be called twice.
func (n *PersonNotifier) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{
		Step: n.notifyPeople, Wake: n.o.Wake, OnWake: func() { n.pause = personSettleInterval }, MinInterval: personMinInterval,
	}
	l.Run(ctx)
}

// notifyPeople writes the notifications of the next events. It returns the pause before the next step.
func (n *PersonNotifier) notifyPeople(ctx context.Context) time.Duration {
	written, err := notifications.WriteForPeople(ctx, n.o.DB, personEventsAtOnce, n.o.Mails, n.o.Clock())
	if err == nil {
		err = n.removeOld(ctx)
	}
	if err != nil {
		n.failures.Record(ctx, "writing notifications of people failed", err)
		return personPollInterval
	}
	n.failures.End()
	if written.Notifications > 0 && n.o.Written != nil {
		n.o.Written()
	}
	if written.Events == personEventsAtOnce {
		return 0
	}
	pause := n.pause
	n.pause = min(2*n.pause, personPollInterval)
	return pause
}

// removeOld removes notifications after their retention.
func (n *PersonNotifier) removeOld(ctx context.Context) error {
	now := n.o.Clock()
	if now.Sub(n.removedAt) < removalInterval {
		return nil
	}
	removed, err := notifications.RemoveOld(ctx, n.o.DB, now.Add(-domain.NotificationRetention), removedAtOnce)
	if err == nil && removed < removedAtOnce {
		n.removedAt = now
	}
	return err
}
