package doctor

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// overdue is how much later than planned partitions begin and old data is removed before it is a warning.
const overdue = 48 * time.Hour

// checkRetention finds partitions of the event log that cover too much time, and overdue removals.
func (d *doctor) checkRetention(ctx context.Context) Finding {
	s, err := retention.ReadState(ctx, d.db.Reader())
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	return retentionFinding(s, d.Clock(), domain.EventEra(d.EventRetention))
}

// retentionFinding returns the finding about a state; lasting is the expected duration of a partition.
func retentionFinding(s retention.State, now time.Time, lasting time.Duration) Finding {
	switch {
	case s.LastBegan != nil && now.Sub(*s.LastBegan) > lasting+overdue:
		return warn("run procession serve, and procession migrate with --grant-to if its role is not the owner; end what reads the event "+
			"log for days",
			"the last partition of the event log began %s ago and should have lasted %s", now.Sub(*s.LastBegan).Round(time.Hour), lasting)
	case s.OldestDue != nil && now.Sub(*s.OldestDue) > overdue:
		return warn("run procession serve and see its log; procession purge removes old data at once",
			"old data has been due for removal for %s", now.Sub(*s.OldestDue).Round(time.Hour))
	}
	return ok("no removal is overdue; event log partitions: %d", s.Partitions)
}
