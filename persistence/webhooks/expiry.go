package webhooks

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

//nolint:gochecknoglobals // a constant, of which a table of domain is a part
var dropLateBacklogs = `
WITH chosen AS (
    SELECT k.id, $4::int AS at_most
      FROM webhook_backlogs k
     WHERE (SELECT e.occurred_at
              FROM events e
             WHERE e.tenant_id = k.tenant_id
               AND ` + pg.ComparePlace(">", "k.era", "k.xid", "k.position") + `
             ORDER BY ` + pg.EventOrder + `
             LIMIT 1) < $2
     LIMIT $5` + takeFromBacklogs

const dropLateDeliveries = `
WITH late AS (
    SELECT d.id FROM webhook_deliveries d
     WHERE d.state = 'PENDING' AND d.queued_at < $1 AND d.leased_until <= $2
     ORDER BY d.queued_at
     LIMIT $3
       FOR NO KEY UPDATE SKIP LOCKED
), dropped AS (
    UPDATE webhook_deliveries d
       SET state = 'DROPPED', finished_at = $2
      FROM late l
     WHERE d.id = l.id
    RETURNING d.id
)
SELECT count(*) FROM dropped`

// Expired is the result of a step of ExpireDeliveries. More reports that there is more to do.
type Expired struct {
	Dropped int
	More    bool
}

// backlogsAtOnce bounds the backlogs that one step drops events of.
const backlogsAtOnce = 10

// ExpireDeliveries drops up to limit deliveries that have waited for their first attempt for longer than
// domain.WebhookRetention by now, and up to limit waiting events of each of some backlogs.
func ExpireDeliveries(ctx context.Context, db *persistence.DB, now time.Time, limit int) (Expired, error) {
	before := now.Add(-domain.WebhookRetention)
	var done Expired
	var late []caughtUp
	err := db.Send(ctx, []pg.Query{
		pg.Q(dropLateDeliveries, []any{before, now, limit}, pg.One(&done.Dropped)),
		pg.Q(dropLateBacklogs, []any{now, before, before, limit, backlogsAtOnce}, scanCaughtUp(&late)),
	})
	done.More = done.Dropped >= limit || len(late) == backlogsAtOnce
	for _, b := range late {
		done.Dropped, done.More = done.Dropped+b.Dropped, done.More || b.More
	}
	return done, pg.Translate("expiring webhook deliveries", err)
}
