package webhooks

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// backlogsCounted bounds the backlogs with counted events.
const backlogsCounted = 100

// readBacklogs ignores, for the oldest delivery, endpoints that are paused, that fail, and that have no secret.
//
//nolint:gochecknoglobals // a constant, of which a table of domain is a part
var readBacklogs = `
WITH concerned AS (
    SELECT t.id FROM tenants t
     WHERE ($3 OR t.id = ANY($4)) AND ($5::text[] IS NULL OR t.code = ANY($5)))
SELECT (SELECT count(*) FROM webhook_deliveries d WHERE d.state = 'PENDING' AND d.tenant_id IN (SELECT id FROM concerned))
       + (SELECT count(t.name)
            FROM (SELECT k.* FROM webhook_backlogs k
                   WHERE NOT k.dropped AND k.tenant_id IN (SELECT id FROM concerned) LIMIT $1) w
           CROSS JOIN ` + countedEvents + `),
       (SELECT count(*) FROM webhook_deliveries d WHERE d.state = 'RETRYING' AND d.tenant_id IN (SELECT id FROM concerned)),
       (SELECT min(o.queued_at)
          FROM webhook_endpoints w
         CROSS JOIN LATERAL (SELECT d.queued_at FROM webhook_deliveries d
                              WHERE d.subscription_id = w.subscription_id AND d.state = 'PENDING'
                              ORDER BY d.sequence LIMIT 1) o
         WHERE w.tenant_id IN (SELECT id FROM concerned)
           AND NOT w.paused AND w.disabled_at IS NULL AND w.failing_since IS NULL
           AND ` + hasSecret + `),
       (SELECT count(*) FROM webhook_endpoints w
         WHERE w.disabled_at IS NOT NULL AND w.tenant_id IN (SELECT id FROM concerned)),
       (SELECT count(*) FROM webhook_backlogs k CROSS JOIN webhook_cursor c
         WHERE k.until_xid IS NULL AND (k.era, k.xid, k.position) < (c.era, c.xid, c.position)
           AND k.tenant_id IN (SELECT id FROM concerned))`

// ReadBacklogs returns the work waiting for Temporal and for the receivers of webhooks in the tenants of the scope,
// limited to the codes unless codes is empty.
func ReadBacklogs(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, codes []string, now time.Time,
) (domain.Backlogs, error) {
	if len(codes) == 0 {
		codes = nil
	}
	var w domain.WebhookBacklogs
	var since *time.Time
	b, err := r.ReadBacklogs(ctx, scope, codes, now,
		pg.Q(readBacklogs, []any{backlogsCounted, now, scope.Everywhere, scope.Tenants, codes},
			pg.One(&w.Deliveries, &w.RetriedDeliveries, &since, &w.DisabledEndpoints, &w.EndpointsBehind)))
	if since != nil {
		w.DeliveriesSince = *since
	}
	b.WebhookBacklogs = w
	return b, err
}
