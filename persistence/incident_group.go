package persistence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// The groups are read from an index; only the newest incident of each shown group is read as a row. In a scope with single definitions
// the group has its id: the newest incident of the tenant with the same cause may be one of many of other definitions.
const listIncidentGroups = `
SELECT g.fingerprint, t.code, i.kind, i.activity, i.worker, i.message, coalesce(v.names, to_jsonb(coalesce(v.name, ''))),
       g.count, g.first_at, g.last_at, i.id
  FROM (SELECT i.tenant_id, i.fingerprint, count(*) AS count, min(i.created_at) AS first_at, max(i.created_at) AS last_at%s
          FROM (%s) i
         GROUP BY i.tenant_id, i.fingerprint
        HAVING count(*) >= %d
         ORDER BY count(*) DESC, max(i.created_at) DESC
         LIMIT %d) g
  JOIN tenants t ON t.id = g.tenant_id
 CROSS JOIN LATERAL (SELECT i.id, i.kind, i.activity, i.worker, i.message, i.process_id
                       FROM incidents i
                      WHERE %s
                      ORDER BY i.created_at DESC
                      LIMIT 1) i
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
 ORDER BY g.count DESC, g.last_at DESC`

// ListIncidentGroups returns the largest limit groups of at least smallest open incidents in the scope. The states of the filter do not
// matter.
func (r *Reader) ListIncidentGroups(
	ctx context.Context, caller domain.Caller, scope AdministrationScope, filter IncidentFilter, smallest, limit int,
) ([]domain.IncidentGroup, error) {
	filter.States = []domain.IncidentState{domain.IncidentOpen}
	l, err := incidentList(caller, scope, filter, nil)
	if err != nil {
		return nil, err
	}
	l.Columns, l.Names = "i.tenant_id, i.fingerprint, i.created_at", ""
	newest, isNewest := "", "i.tenant_id = g.tenant_id AND i.state = 'OPEN' AND i.fingerprint = g.fingerprint"
	if len(scope.Others) > 0 {
		l.Columns += ", i.id"
		newest, isNewest = ", (array_agg(i.id ORDER BY i.created_at DESC))[1] AS newest", "i.id = g.newest"
	}
	rows, args := l.All()
	var groups []domain.IncidentGroup
	err = r.Read(ctx, pg.Q(fmt.Sprintf(listIncidentGroups, newest, rows, smallest, limit, isNewest), args, collectInto(&groups, scanIncidentGroup)))
	return groups, pg.Translate("listing groups of incidents", err)
}

func scanIncidentGroup(row pgx.CollectableRow) (g domain.IncidentGroup, err error) {
	return g, row.Scan(&g.Fingerprint, &g.TenantCode, &g.Kind, &g.Activity, &g.Worker, &g.Message, &g.DefinitionName,
		&g.Count, &g.FirstAt, &g.LastAt, &g.Latest)
}
