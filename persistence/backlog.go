package persistence

import (
	"context"
	"fmt"
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

const readOpenIncidents = `
SELECT i.kind, i.muted_until IS NOT NULL AND i.muted_until > $1 AS muted, count(*) AS open
  FROM incidents i
 WHERE i.state = 'OPEN'
 GROUP BY 1, 2`

// OpenIncidents is the number of open incidents of a kind that are muted, or are not.
type OpenIncidents struct {
	Kind  domain.IncidentKind
	Muted bool
	Open  int64
}

// readConditions reads small indexes. While Temporal is unreachable, up to standingLimit running processes are counted as UNKNOWN.
var readConditions = fmt.Sprintf( //nolint:gochecknoglobals // a constant text
	`
SELECT c.condition, count(*) AS processes
  FROM (SELECT 'FAILED' AS condition, r.owner_id FROM engine_runs r WHERE r.kind = 'PROCESS' AND r.state = 'FAILED'
         UNION ALL
        SELECT 'STARTING', r.owner_id FROM engine_runs r WHERE r.kind = 'PROCESS' AND r.state = 'PENDING'
         UNION ALL
        SELECT CASE r.finding WHEN 'UNSERVED' THEN 'UNKNOWN' ELSE r.finding END, r.owner_id
          FROM engine_runs r WHERE r.kind = 'PROCESS' AND r.state = 'RUNNING' AND r.finding IS NOT NULL
         UNION ALL
        SELECT 'UNKNOWN', u.owner_id
          FROM engine_watermarks w
         CROSS JOIN LATERAL (SELECT r.owner_id FROM engine_runs r
                              WHERE r.namespace = w.namespace AND r.state = 'RUNNING' AND r.kind = 'PROCESS' AND r.finding IS NULL
                              LIMIT %d) u
         WHERE w.failing_since IS NOT NULL) c
  JOIN processes p ON p.id = c.owner_id AND p.state = 'RUNNING' AND p.deleted_at IS NULL
 GROUP BY 1`, standingLimit)

// processesInCondition is the number of running processes in a condition.
type processesInCondition struct {
	Condition domain.ConditionCode
	Processes int64
}

// CountOpenIncidents counts the open incidents of all tenants at a time.
func (r *Reader) CountOpenIncidents(ctx context.Context, now time.Time) ([]OpenIncidents, error) {
	var found []OpenIncidents
	err := r.Read(ctx, pg.Q(readOpenIncidents, []any{now}, pg.Into(&found)))
	return found, pg.Translate("counting incidents", err)
}

// CountConditions counts the running processes of all tenants by condition. The total is some seconds old.
func (r *Reader) CountConditions(ctx context.Context) (map[domain.ConditionCode]int64, error) {
	var open OpenWork
	var found []processesInCondition
	err := r.Read(ctx, pg.Q(countOpenWork, nil, pg.One(&open.Running, &open.Ready, &open.Claimed)), pg.Q(readConditions, nil, pg.Into(&found)))
	counts := map[domain.ConditionCode]int64{}
	for _, code := range domain.ConditionCodes() {
		counts[code] = 0
	}
	delete(counts, domain.ConditionFinished)
	for _, f := range found {
		counts[f.Condition] = f.Processes
		open.Running -= f.Processes
	}
	counts[domain.ConditionRunning] = max(open.Running, 0)
	return counts, pg.Translate("counting processes by condition", err)
}
