package persistence

import (
	"context"
	"fmt"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// standingLimit bounds the processes of each cause of a standing that a statement reads.
const standingLimit = 10_000

// needAttention selects the ids of processes of tenants that need attention: with a failed or stuck workflow, or an open
// incident. It may repeat ids.
func needAttention(tenants string) string {
	return fmt.Sprintf(`(%[3]s LIMIT %[2]d)
             UNION ALL
            (%[4]s LIMIT %[2]d)
             UNION ALL
            (SELECT n.process_id FROM incidents n
              WHERE n.tenant_id = ANY(%[1]s) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT %[2]d)`,
		tenants, standingLimit, failedProcesses(tenants), processesFound(tenants, domain.FindingStuck))
}

// awaitEngine selects the ids of processes of tenants that wait for Temporal or a worker. While Temporal is unreachable these are
// the running ones of its namespace.
func awaitEngine(tenants string) string {
	return fmt.Sprintf(`(SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(%[1]s) AND r.kind = 'PROCESS' AND r.state = 'PENDING'
                AND r.last_active_at < now() - interval '%[3]d seconds' LIMIT %[2]d)
             UNION ALL
            (%[4]s LIMIT %[2]d)
             UNION ALL
            (SELECT r.owner_id FROM engine_watermarks w
              CROSS JOIN LATERAL (SELECT r.owner_id FROM engine_runs r
                                   WHERE r.namespace = w.namespace AND r.state = 'RUNNING' AND r.tenant_id = ANY(%[1]s)
                                     AND r.kind = 'PROCESS' AND r.finding IS DISTINCT FROM 'STUCK' LIMIT %[2]d) r
              WHERE w.failing_since IS NOT NULL)`, tenants, standingLimit, int(domain.StartGrace/time.Second),
		processesFound(tenants, domain.FindingUnserved))
}

// ofStanding keeps the running processes p of a standing in a list of the caller, and all processes for "".
func ofStanding(caller domain.Caller, standing domain.Standing) listquery.Condition {
	var ids string
	switch tenants := listquery.TenantArray(caller); standing {
	case domain.StandingAttention:
		ids = needAttention(tenants)
	case domain.StandingEngine:
		// The standing that needs attention takes precedence.
		ids = "(" + awaitEngine(tenants) + ")\n EXCEPT\n(" + needAttention(tenants) + ")"
	default:
		return listquery.Condition{}
	}
	return listquery.Match("p.state = 'RUNNING' AND p.id = ANY(ARRAY(" + ids + "))").OnRows()
}

// standingRank orders processes p by standing. Processes that need attention come first, finished ones last.
func standingRank(caller domain.Caller) string {
	tenants := listquery.TenantArray(caller)
	return `CASE WHEN p.state <> 'RUNNING' THEN 3
            WHEN p.id IN (` + needAttention(tenants) + `) THEN 0
            WHEN p.id IN (` + awaitEngine(tenants) + `) THEN 1
            ELSE 2 END`
}

// countStanding returns the query of the number of visible processes of a standing, up to domain.AttentionLimit.
func countStanding(caller domain.Caller, standing domain.Standing, total *int64) pg.Query {
	l := boardList(caller, BoardFilter{Standing: standing}, nil, &metadataFilter{})
	l.Columns, l.Names = "1", ""
	rows, args := l.All()
	return pg.Q(fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) q", rows, domain.AttentionLimit), args, pg.One(total))
}

// countManaged counts the processes of $2 that need attention, for a caller that manages any. It has the ids of needAttention, each
// once, and looks up one process after the other until it has enough.
var countManaged = fmt.Sprintf( //nolint:gochecknoglobals // a constant text
	`
SELECT count(*)
  FROM (SELECT 1
          FROM ((%[3]s LIMIT %[2]d)
                 UNION ALL
                (%[4]s AND r.state <> 'FAILED' LIMIT %[2]d)
                 UNION ALL
                (SELECT DISTINCT n.process_id
                   FROM (SELECT n.process_id FROM incidents n
                          WHERE n.tenant_id = ANY($2) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT %[2]d) n
                  WHERE NOT EXISTS (SELECT 1 FROM engine_runs r
                                     WHERE r.owner_id = n.process_id AND r.kind = 'PROCESS'
                                       AND (r.state = 'FAILED' OR r.finding = 'STUCK')))) x (id)
         CROSS JOIN LATERAL (SELECT * FROM processes p WHERE p.id = x.id OFFSET 0) p
         WHERE (SELECT cardinality(`+access.ManagedProcessDefinitions+`) + cardinality(`+access.RunVersions+`) > 0)
           AND p.tenant_id = ANY($2) AND p.state = 'RUNNING' AND p.deleted_at IS NULL
           AND `+access.ManagesProcess+`
         LIMIT %[1]d) q`, domain.AttentionLimit, standingLimit, failedProcesses("$2::uuid[]"), processesFound("$2::uuid[]", domain.FindingStuck))

// countIncidents returns the query of the number of open incidents in a scope that are not muted at a time, up to
// domain.AttentionLimit.
func countIncidents(caller domain.Caller, scope AdministrationScope, now time.Time, total *int64) (pg.Query, error) {
	l, err := incidentList(caller, scope, IncidentFilter{
		States: []domain.IncidentState{domain.IncidentOpen}, Muted: new(false), Now: now,
	}, nil)
	if err != nil {
		return pg.Query{}, err
	}
	l.Columns, l.Names = "1", ""
	if len(l.Walks) == 0 {
		rows, args := l.All()
		return pg.Q(fmt.Sprintf("SELECT count(*) FROM (%s LIMIT %d) q", rows, domain.AttentionLimit), args, pg.One(total)), nil
	}
	rows, err := l.Rows(domain.PageRequest{Size: domain.AttentionLimit}, nil)
	return pg.Q("SELECT count(*) FROM ("+rows.SQL+") q", rows.Args, pg.One(total)), err
}

// CountAttention returns the numbers of processes and incidents that need attention of the caller, the incidents in the scope.
func (r *Reader) CountAttention(
	ctx context.Context, caller domain.Caller, scope AdministrationScope, now time.Time,
) (domain.AttentionCounts, error) {
	var counts domain.AttentionCounts
	queries := []pg.Query{pg.Q(countManaged, []any{caller.PrincipalID, caller.TenantIDs()}, pg.One(&counts.Processes))}
	if !scope.isEmpty() {
		incidents, err := countIncidents(caller, scope, now, &counts.Incidents)
		if err != nil {
			return counts, err
		}
		queries = append(queries, incidents)
	}
	return counts, pg.Translate("counting processes that need attention", r.Read(ctx, queries...))
}
