package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const tenantColumns = `t.id, t.code, t.name, t.plan, t.namespace, t.shared_namespace, t.cluster, t.time_zone,
       t.user_metadata_schema, t.created_by, t.created_at, t.last_modified_by, t.last_modified_at`

func tenantFields(t *domain.Tenant) []any {
	return []any{
		&t.ID, &t.Code, &t.Name, &t.Plan, &t.Namespace, &t.SharedNamespace, &t.Cluster, &t.TimeZone,
		&t.UserMetadataSchema, &t.CreatedBy, &t.CreatedAt, &t.LastModifiedBy, &t.LastModifiedAt,
	}
}

const getTenant = `
SELECT ` + tenantColumns + `
  FROM tenants t
 WHERE t.id = $1 AND t.id = ANY($2)`

// GetTenant returns one of the caller's tenants, or NOT_FOUND.
func (r *Reader) GetTenant(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Tenant, error) {
	var t domain.Tenant
	if err := r.Read(ctx, pg.Q(getTenant, []any{id, caller.TenantIDs()}, pg.One(tenantFields(&t)...))); err != nil {
		return nil, pg.Translate("reading a tenant", pg.NotFound(err, "tenant"))
	}
	return &t, nil
}

// ListTenants returns a page of the caller's tenants, limited to ids if there are any. They can be sorted by id
// and name.
func (r *Reader) ListTenants(
	ctx context.Context, caller domain.Caller, ids []uuid.UUID, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Tenant], error) {
	l := &listquery.List{
		Columns: tenantColumns, Table: "tenants t",
		Where: []listquery.Condition{
			listquery.Match("t.id = ANY(%s)", caller.TenantIDs()),
			listquery.AnyOf("t.id", ids),
		},
		Order: listquery.Order{By: sort, Columns: listquery.Columns{"id": {SQL: "t.id"}, "name": {SQL: "t.name"}}},
	}
	return ReadPage(ctx, r, "listing tenants", l, page, func(row pgx.CollectableRow) (t domain.Tenant, err error) {
		return t, row.Scan(tenantFields(&t)...)
	})
}

// The query uses no columns of later migrations: the schema may be of any version.
const listTenantNamesExcept = `
SELECT name FROM tenants WHERE NOT id = ANY($1) ORDER BY name LIMIT 5`

// ListTenantNamesExcept returns the names of up to five tenants that are not in ids. It returns none for a
// database without a schema.
func (r *Reader) ListTenantNamesExcept(ctx context.Context, ids []uuid.UUID) ([]string, error) {
	var names []string
	err := r.Read(ctx, pg.Q(listTenantNamesExcept, []any{ids}, func(rows pgx.Rows) (err error) {
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	if pg.UndefinedTable(err) {
		return nil, nil
	}
	return names, pg.Translate("listing tenants", err)
}

const putTenant = `
INSERT INTO tenants (id, code, name, plan, namespace, time_zone, user_metadata_schema,
                     created_by, created_at, last_modified_by, last_modified_at, cluster, shared_namespace)
VALUES ($1, coalesce(nullif($2, ''), $5), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (id) DO UPDATE
   SET name = excluded.name, plan = excluded.plan, time_zone = excluded.time_zone,
       user_metadata_schema = excluded.user_metadata_schema,
       last_modified_by = excluded.last_modified_by, last_modified_at = excluded.last_modified_at`

// PutTenant stores a tenant. Its code, namespace and cluster never change.
func (tx *Tx) PutTenant(t domain.Tenant) {
	tx.queue(putTenant, t.ID, t.Code, t.Name, t.Plan, t.Namespace, t.TimeZone, jsonOrNull(t.UserMetadataSchema),
		t.CreatedBy, t.CreatedAt, t.LastModifiedBy, t.LastModifiedAt, t.Cluster, t.SharedNamespace)
}

const clusterOfNamespace = `
SELECT t.cluster FROM tenants t WHERE t.namespace = $1 LIMIT 1`

// ClusterOfNamespace returns the name of the Temporal cluster of a tenant's namespace, "" for the default one. Errors: NOT_FOUND for
// a namespace of no tenant.
func (r *Reader) ClusterOfNamespace(ctx context.Context, namespace string) (cluster string, err error) {
	err = r.Read(ctx, pg.Q(clusterOfNamespace, []any{namespace}, pg.One(&cluster)))
	return cluster, pg.Translate("finding the cluster of a namespace", pg.NotFound(err, "namespace"))
}
