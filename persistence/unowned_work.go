package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// The candidates of an item definition are looked up once for each definition, and the work of people who are not active by their ids:
// tasks and processes of others are not read. Assigned incidents are few, and their assignees may never have been users of the tenant.
//
//nolint:gochecknoglobals // a constant text
var listUnownedWork = `
WITH scope AS MATERIALIZED (
    SELECT t.id
      FROM tenants t
     WHERE ($1 OR t.id = ANY($2)) AND ($3::text[] IS NULL OR t.code = ANY($3))
), idle AS MATERIALIZED (
    SELECT n.tenant_id, n.principal_id
      FROM scope s
      JOIN person_names n ON n.tenant_id = s.id
      JOIN principals p ON p.id = n.principal_id
     WHERE ` + access.ActiveIn("n.tenant_id") + ` IS NOT TRUE
     UNION
    SELECT p.tenant_id, p.id
      FROM scope s
      JOIN principals p ON p.tenant_id = s.id
     WHERE p.disabled_at IS NOT NULL
), closed AS MATERIALIZED (
    SELECT d.id AS item_definition_id, w.tenant_id
      FROM scope s
      JOIN process_definitions w ON w.tenant_id = s.id
      JOIN item_definitions d ON d.process_definition_id = w.id
     WHERE NOT EXISTS (
           SELECT 1
             FROM item_definition_grants g
            WHERE g.item_definition_id = d.id AND g.permission = 'CANDIDATE'
              AND (EXISTS (SELECT 1 FROM principals p WHERE p.id = g.grantee_id AND ` + access.ActiveIn("w.tenant_id") + `)
                   OR EXISTS (SELECT 1 FROM group_members m JOIN principals p ON p.id = m.principal_id
                               WHERE m.group_id = g.grantee_id AND ` + access.ActiveIn("w.tenant_id") + `)))
       AND NOT EXISTS (SELECT 1 FROM item_definition_grants g
                        WHERE g.item_definition_id = d.id AND g.permission = 'CANDIDATE'
                          AND (g.grantee_id IS NULL OR g.grantee_id = w.tenant_id))
), found AS (
   (SELECT 'TASK' AS kind, i.id, i.tenant_id, i.process_id, i.owner_id AS principal_id, i.item_definition_code AS item,
           i.claimed_at AS since
      FROM idle x
     CROSS JOIN LATERAL (SELECT *
                           FROM process_items o
                          WHERE o.owner_id = x.principal_id AND o.tenant_id = x.tenant_id AND o.task_state = 'CLAIMED' AND o.deleted_at IS NULL
                          LIMIT $4) i
     LIMIT $4)
    UNION ALL
   (SELECT 'WAITING_TASK', w.id, w.tenant_id, w.process_id, NULL, w.item_definition_code, w.created_at
      FROM closed c
      JOIN process_items w ON w.tenant_id = c.tenant_id AND w.item_definition_id = c.item_definition_id
     WHERE w.task_state = 'READY' AND w.deleted_at IS NULL
     LIMIT $4)
    UNION ALL
   (SELECT 'PROCESS', q.id, q.tenant_id, q.id, q.initiator_id, NULL, q.created_at
      FROM idle x
     CROSS JOIN LATERAL (SELECT *
                           FROM processes o
                          WHERE o.initiator_id = x.principal_id AND o.tenant_id = x.tenant_id AND o.state = 'RUNNING'
                          LIMIT $4) q
     LIMIT $4)
    UNION ALL
   (SELECT 'INCIDENT', i.id, i.tenant_id, i.process_id, i.assignee_id, NULL, i.created_at
      FROM incidents i
     WHERE i.tenant_id IN (SELECT id FROM scope) AND i.state = 'OPEN' AND i.assignee_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM principals p WHERE p.id = i.assignee_id AND ` + access.ActiveIn("i.tenant_id") + `)
     LIMIT $4)
)
SELECT f.kind, f.id, f.tenant_id, t.code, f.process_id, coalesce(f.item, ''), coalesce(x.process_definition_code, ''), f.principal_id,
       coalesce(n.name, o.name, ''), coalesce(u.disabled_at IS NOT NULL OR o.disabled_at IS NOT NULL, false), f.since, f.total
  FROM (SELECT l.*, count(*) OVER () AS total
          FROM (SELECT * FROM found LIMIT $4) l
         ORDER BY l.since, l.id
        OFFSET $5
         LIMIT $6) f
  JOIN tenants t ON t.id = f.tenant_id
  LEFT JOIN processes x ON x.id = f.process_id
  LEFT JOIN principals o ON o.id = f.principal_id
  LEFT JOIN person_names n ON n.tenant_id = f.tenant_id AND n.principal_id = f.principal_id
  LEFT JOIN tenant_users u ON u.tenant_id = f.tenant_id AND u.principal_id = f.principal_id
 ORDER BY f.since, f.id`

// ListUnownedWork returns a page of the open work of the tenants that no active person or application does: claimed tasks,
// running processes and assigned incidents of principals that are disabled or have left, and tasks without an active candidate; the
// oldest first. The total counts up to limit.
func (r *Reader) ListUnownedWork(
	ctx context.Context, scope AdministrationScope, tenantCodes []string, page domain.PageRequest, limit int,
) (domain.Page[domain.UnownedWork], error) {
	found := domain.Page[domain.UnownedWork]{PageRequest: page}
	err := r.Read(ctx, pg.Q(listUnownedWork, []any{
		scope.Everywhere, scope.Tenants, tenantCodes, limit, page.Number * page.Size, page.Size,
	}, func(rows pgx.Rows) (err error) {
		found.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w domain.UnownedWork, err error) {
			return w, row.Scan(&w.Kind, &w.ID, &w.TenantID, &w.TenantCode, &w.ProcessID, &w.Item, &w.Definition, &w.PrincipalID,
				&w.Name, &w.Disabled, &w.Since, &found.Total)
		})
		return err
	}))
	return found, pg.Translate("listing work without an owner", err)
}
