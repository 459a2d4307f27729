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

// Backlog counts unfinished deliveries. PendingSince is the time since which the oldest delivery to a
// healthy endpoint waits: paused endpoints, failing ones and those without a secret are ignored. It is the zero
// time when there are none.
type Backlog struct {
	Pending, Retrying int64
	PendingSince      time.Time
}

const webhookBacklog = `
SELECT (SELECT count(*) FROM webhook_deliveries WHERE state = 'PENDING'),
       (SELECT count(*) FROM webhook_deliveries WHERE state = 'RETRYING'),
       (SELECT min(o.queued_at)
          FROM webhook_endpoints w
         CROSS JOIN LATERAL (SELECT d.queued_at FROM webhook_deliveries d
                              WHERE d.subscription_id = w.subscription_id AND d.state = 'PENDING'
                              ORDER BY d.sequence LIMIT 1) o
         WHERE NOT w.paused AND w.disabled_at IS NULL AND w.failing_since IS NULL
           AND EXISTS (SELECT 1 FROM webhook_secrets s
                        WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $1)))`

// GetBacklog counts the deliveries that are not finished now.
func GetBacklog(ctx context.Context, r *persistence.Reader, now time.Time) (Backlog, error) {
	var b Backlog
	var since *time.Time
	err := r.Read(ctx, pg.Q(webhookBacklog, []any{now}, pg.One(&b.Pending, &b.Retrying, &since)))
	if since != nil {
		b.PendingSince = *since
	}
	return b, pg.Translate("reading the webhook backlog", err)
}
