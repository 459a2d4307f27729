// Package notify tells receivers of notifications about problems: it finds them in the event log, and writes messages to the outbox.
package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/notice"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/persistence/outbox"
)

const (
	// eventsAtOnce bounds the events that one statement reads.
	eventsAtOnce = 5000
	// pollInterval is the time between two polls of the event log and of due messages.
	pollInterval = 2 * time.Second
)

// Options configure a Notifier.
type Options struct {
	DB *persistence.DB
	// BaseURL is the beginning of links.
	BaseURL string
	// Written is called after a message was written.
	Written func()
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Notifier finds problems and writes messages: at most one per receiver, kind of problem and domain.NotificationPace, outside of
// quiet hours. A message and the mark that its problems are told are committed together. Several may work on one database.
type Notifier struct {
	o        Options
	failures loop.FailureLog
}

// New returns a Notifier that is started with Run.
func New(o Options) *Notifier {
	o.DB = o.DB.Background()
	return &Notifier{o: o, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock, Interval: loop.FailureInterval}}
}

// Run works until ctx ends. It must not be called twice.
func (n *Notifier) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: n.notifyDue}
	l.Run(ctx)
}

// notifyDue reads events and writes a message. It returns the pause before the next step.
func (n *Notifier) notifyDue(ctx context.Context) time.Duration {
	read, err := notifications.FindProblems(ctx, n.o.DB, eventsAtOnce, n.o.Clock())
	if err != nil {
		n.failures.Record(ctx, "writing notifications failed", err)
		return pollInterval
	}
	wrote, err := n.writeMessage(ctx)
	if err != nil {
		n.failures.Record(ctx, "writing notifications failed", err)
		return pollInterval
	}
	n.failures.End()
	if read == eventsAtOnce || wrote {
		return 0
	}
	return pollInterval
}

// writeMessage writes the oldest due message, or postpones it to the end of the quiet hours. It reports whether there was one.
func (n *Notifier) writeMessage(ctx context.Context) (found bool, err error) {
	err = n.o.DB.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		now := n.o.Clock()
		turn, err := notifications.LockTurn(ctx, tx, now)
		if found = turn != nil; err != nil || turn == nil {
			return nil, err
		}
		var spec resource.NotificationReceiverSpec
		if err := json.Unmarshal(turn.Spec, &spec); err != nil {
			return nil, fmt.Errorf("reading the receiver %s: %w", turn.ReceiverCode, err)
		}
		zone := zoneOf(turn.TimeZone)
		if spec.QuietHours != nil {
			if end := notice.QuietHours(*spec.QuietHours).End(now, zone); !end.IsZero() {
				turn.Postpone(tx, end)
				return domain.NoEvents(), nil
			}
		}
		problems, err := turn.Problems(ctx, tx, now, domain.NotificationListed)
		if err != nil {
			return nil, err
		}
		if len(problems) == 0 {
			turn.Finish(tx, now, time.Time{})
			return domain.NoEvents(), nil
		}
		turn.Finish(tx, now, now.Add(domain.NotificationPace))
		return n.sendMessage(tx, turn, &spec, problems, zone, now)
	})
	if err == nil && found && n.o.Written != nil {
		n.o.Written()
	}
	return found, err
}

// zoneOf returns the time zone with a name, UTC for an unknown one.
func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// sendMessage writes the message of a turn to the outbox, or returns the event that a webhook subscription reports.
func (n *Notifier) sendMessage(
	tx *persistence.Tx, turn *notifications.Turn, spec *resource.NotificationReceiverSpec, problems []notifications.Problem,
	zone *time.Location, now time.Time,
) (domain.Events, error) {
	group := notice.Group{
		Tenant: turn.TenantName, Zone: zone, BaseURL: n.o.BaseURL, Problem: turn.EventType,
		Opened: problems[0].Opened, Recovered: problems[0].Recovered,
	}
	if spec.Type == domain.ReceiverWebhook {
		if turn.SubscriptionID == nil {
			return domain.NoEvents(), nil
		}
		return domain.Events{domain.NotifiedEvent(turn.TenantID, *turn.SubscriptionID, turn.ReceiverCode, turn.EventType,
			strconv.Itoa(group.Opened), strconv.Itoa(group.Recovered), now)}, nil
	}
	for i := range problems {
		listed := listedProblem(&problems[i])
		if turn.EventType == domain.ProblemLeftWork {
			listed.Subject, listed.Text = "", countLeftWork(problems[i].Details)
		}
		group.Listed = append(group.Listed, listed)
	}
	message, err := spec.Message(turn.TenantID, turn.ReceiverID, notice.Compose(group))
	if err != nil {
		return nil, err
	}
	outbox.Enqueue(tx, message, now)
	return domain.NoEvents(), nil
}

// countLeftWork returns the numbers of the open work of a person, without data about the person.
func countLeftWork(details map[string]string) string {
	var parts []string
	for _, kind := range []struct{ name, one, many string }{
		{"tasks", "claimed task", "claimed tasks"},
		{"processes", "running process", "running processes"},
		{"incidents", "assigned incident", "assigned incidents"},
		{"rights", "right without another holder", "rights without another holder"},
	} {
		if n, err := strconv.Atoi(details[kind.name]); err == nil && n > 0 {
			parts = append(parts, domain.CountText(n, kind.one, kind.many))
		}
	}
	return strings.Join(parts, ", ")
}

// listedProblem returns a problem as messages list it. It does not contain the subject of a process, which users entered.
func listedProblem(p *notifications.Problem) notice.Problem {
	listed := notice.Problem{Subject: p.Definition, Text: p.Message, At: p.OccurredAt, Recovered: p.RecoveredAt != nil}
	for _, name := range []string{"code", "taskQueue", "certificate"} {
		if value := p.Details[name]; value != "" {
			listed.Subject = value
		}
	}
	if ends := p.Details["expiresAt"]; ends != "" {
		listed.Text = "until " + ends
	}
	if listed.Recovered {
		listed.At = *p.RecoveredAt
	}
	return listed
}
