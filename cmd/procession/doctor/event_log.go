package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/procession-dev/procession/persistence/events"
)

// lateEvents is the wait of an event for earlier transactions from which it is a warning.
const lateEvents = 10 * time.Second

// checkEventLog finds a transaction that delays the events of all others.
func (d *doctor) checkEventLog(ctx context.Context) Finding {
	h, err := events.ReadHorizon(ctx, d.db.Reader())
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	return eventLogFinding(h)
}

func eventLogFinding(h events.Horizon) Finding {
	if h.Lag < lateEvents {
		return ok("no event waits for an earlier transaction")
	}
	const late = "webhooks and followers of the event log have waited for %s"
	lag := h.Lag.Round(time.Second)
	switch w := h.Oldest; {
	case w == nil:
		return warn("repeat the check", late, lag)
	case w.PID == 0:
		return warn("commit it, or roll it back: ROLLBACK PREPARED", late+" for the prepared transaction %q in the database %s, %s old",
			lag, w.Application, w.Database, w.Age.Round(time.Second))
	default:
		return warn(fmt.Sprintf("end it: SELECT pg_terminate_backend(%d)", w.PID),
			late+" for a transaction in the database %s: process %d, application %q, %s old",
			lag, w.Database, w.PID, w.Application, w.Age.Round(time.Second))
	}
}
