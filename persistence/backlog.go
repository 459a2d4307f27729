package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const readBacklogs = `
WITH concerned AS (
    SELECT t.id, t.namespace FROM tenants t
     WHERE ($2 OR t.id = ANY($3)) AND ($4::text[] IS NULL OR t.code = ANY($4)))
SELECT c.pending, c.since,
       (SELECT count(*) FROM incidents i WHERE i.state = 'OPEN' AND i.tenant_id IN (SELECT id FROM concerned)),
       (SELECT count(*) FROM engine_watermarks m
         WHERE m.due_at < $5 AND m.leased_until < $5
           AND ($2 AND $4::text[] IS NULL OR m.namespace IN (SELECT namespace FROM concerned)))
  FROM (SELECT count(*) AS pending, min(CASE WHEN e.attempts = 0 THEN e.not_before ELSE e.created_at END) AS since
          FROM engine_commands e
          JOIN engine_runs r ON r.id = e.engine_run_id
         WHERE (e.not_before <= $1 OR e.attempts > 0) AND r.tenant_id IN (SELECT id FROM concerned)) c`

// ReadBacklogs returns the waiting commands and tasks of the tenants in the scope, limited to the codes
// unless codes is nil. Deliveries of webhooks are read by beside, queries of the same round trip:
// webhooks.ReadBacklogs reads all of it.
func (r *Reader) ReadBacklogs(
	ctx context.Context, scope AdministrationScope, codes []string, now time.Time, beside ...pg.Query,
) (domain.Backlogs, error) {
	var b domain.Backlogs
	var commands *time.Time
	err := r.Read(ctx, append(beside, pg.Q(readBacklogs,
		[]any{now, scope.Everywhere, scope.Tenants, codes, now.Add(-domain.LooksOverdueAfter)},
		pg.One(&b.Commands, &commands, &b.OpenIncidents, &b.OverdueLooks)))...)
	if commands != nil {
		b.CommandsDueSince = *commands
	}
	return b, pg.Translate("reading the backlogs", err)
}

// ReadAllBacklogs is ReadBacklogs in all tenants.
func (r *Reader) ReadAllBacklogs(ctx context.Context, now time.Time) (domain.Backlogs, error) {
	return r.ReadBacklogs(ctx, AdministrationScope{Everywhere: true}, nil, now)
}
