package webhooks

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	dropLateDeliveries = `
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

	deleteOldDeliveries = `
WITH old AS (
    SELECT d.id FROM webhook_deliveries d
     WHERE d.finished_at < $1
     ORDER BY d.finished_at
     LIMIT $2
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM webhook_deliveries d
     USING old o
     WHERE d.id = o.id
    RETURNING d.id
)
SELECT count(*) FROM gone`
)

// ExpireDeliveries drops up to limit deliveries that have waited for their first attempt for longer than
// domain.WebhookRetention by now, and deletes up to limit that finished longer ago than that. It returns the
// number of each.
func ExpireDeliveries(ctx context.Context, db *persistence.DB, now time.Time, limit int) (dropped, deleted int, err error) {
	before := now.Add(-domain.WebhookRetention)
	err = db.Send(ctx, []pg.Query{
		pg.Q(dropLateDeliveries, []any{before, now, limit}, pg.One(&dropped)),
		pg.Q(deleteOldDeliveries, []any{before, limit}, pg.One(&deleted)),
	})
	return dropped, deleted, pg.Translate("expiring webhook deliveries", err)
}
