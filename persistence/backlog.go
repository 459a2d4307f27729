package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// readBacklogs ignores, for the oldest delivery, endpoints that are paused, that fail, and that have no secret.
const readBacklogs = `
WITH concerned AS (
    SELECT t.id, t.namespace FROM tenants t
     WHERE ($2 OR t.id = ANY($3)) AND ($4::text[] IS NULL OR t.code = ANY($4)))
SELECT c.pending, c.since,
       (SELECT count(*) FROM webhook_deliveries d WHERE d.state = 'PENDING' AND d.tenant_id IN (SELECT id FROM concerned)),
       (SELECT count(*) FROM webhook_deliveries d WHERE d.state = 'RETRYING' AND d.tenant_id IN (SELECT id FROM concerned)),
       (SELECT min(o.queued_at)
          FROM webhook_endpoints w
         CROSS JOIN LATERAL (SELECT d.queued_at FROM webhook_deliveries d
                              WHERE d.subscription_id = w.subscription_id AND d.state = 'PENDING'
                              ORDER BY d.sequence LIMIT 1) o
         WHERE w.tenant_id IN (SELECT id FROM concerned)
           AND NOT w.paused AND w.disabled_at IS NULL AND w.failing_since IS NULL
           AND EXISTS (SELECT 1 FROM webhook_secrets s
                        WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $1))),
       (SELECT count(*) FROM webhook_endpoints w
         WHERE w.disabled_at IS NOT NULL AND w.tenant_id IN (SELECT id FROM concerned)),
       (SELECT count(*) FROM incidents i WHERE i.state = 'OPEN' AND i.tenant_id IN (SELECT id FROM concerned)),
       (SELECT count(*) FROM engine_watermarks m
         WHERE m.due_at < $5 AND m.leased_until < $5
           AND ($2 AND $4::text[] IS NULL OR m.namespace IN (SELECT namespace FROM concerned)))
  FROM (SELECT count(*) AS pending, min(CASE WHEN e.attempts = 0 THEN e.not_before ELSE e.created_at END) AS since
          FROM engine_commands e
          JOIN engine_runs r ON r.id = e.engine_run_id
         WHERE (e.not_before <= $1 OR e.attempts > 0) AND r.tenant_id IN (SELECT id FROM concerned)) c`

// ReadBacklogs returns what waits now in the tenants of the scope, or in those of them that have one of the codes,
// unless codes is empty.
func (r *Reader) ReadBacklogs(ctx context.Context, scope AdministrationScope, codes []string, now time.Time) (domain.Backlogs, error) {
	var b domain.Backlogs
	var commands, deliveries *time.Time
	if len(codes) == 0 {
		codes = nil
	}
	err := r.Read(ctx, pg.Q(readBacklogs,
		[]any{now, scope.Everywhere, scope.Tenants, codes, now.Add(-domain.LooksOverdueAfter)},
		pg.One(&b.Commands, &commands, &b.Deliveries, &b.RetriedDeliveries, &deliveries, &b.DisabledEndpoints, &b.OpenIncidents, &b.OverdueLooks)))
	if commands != nil {
		b.CommandsDueSince = *commands
	}
	if deliveries != nil {
		b.DeliveriesSince = *deliveries
	}
	return b, pg.Translate("reading the backlogs", err)
}

// ReadAllBacklogs returns what waits now in all tenants.
func (r *Reader) ReadAllBacklogs(ctx context.Context, now time.Time) (domain.Backlogs, error) {
	return r.ReadBacklogs(ctx, AdministrationScope{Everywhere: true}, nil, now)
}
