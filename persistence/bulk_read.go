package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	namedBulkColumns = bulkColumns + `, t.code, coalesce(sname.name, s.name, ''), coalesce(oname.name, o.name, '')`

	bulkNames = `
  JOIN tenants t ON t.id = b.tenant_id
  LEFT JOIN principals s ON s.id = b.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = b.tenant_id AND sname.principal_id = b.created_by
  LEFT JOIN principals o ON o.id = (b.parameters->>'newOwnerId')::uuid
  LEFT JOIN person_names oname ON oname.tenant_id = b.tenant_id AND oname.principal_id = o.id`

	// bulkVisible is true of a bulk operation b of the caller $1 in its tenants $2, and of a started one in the tenants $3 that
	// the caller administers, or in any tenant if $4 is set.
	bulkVisible = `(b.created_by = $1 AND b.tenant_id = ANY($2) OR ($4 OR b.tenant_id = ANY($3)) AND b.state <> 'PREVIEW')`

	getBulkOperation = `
SELECT ` + namedBulkColumns + `
  FROM bulk_operations b` + bulkNames + `
 WHERE b.id = $5 AND ` + bulkVisible
)

func bulkReader(caller domain.Caller) []any {
	scope := AdministrationOf(caller)
	return []any{caller.PrincipalID, caller.TenantIDs(), scope.Tenants, scope.Everywhere}
}

func scanNamedBulk(row pgx.CollectableRow) (b domain.NamedBulkOperation, err error) {
	return b, row.Scan(append(bulkFields(&b.BulkOperation), &b.TenantCode, &b.AuthorName, &b.NewOwnerName)...)
}

// GetBulkOperation returns a bulk operation of the caller, or a started one in a tenant that the caller administers, or NOT_FOUND.
func (r *Reader) GetBulkOperation(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.NamedBulkOperation, error) {
	var found []domain.NamedBulkOperation
	err := r.Read(ctx, pg.Q(getBulkOperation, append(bulkReader(caller), id), collectInto(&found, scanNamedBulk)))
	if err == nil && len(found) == 0 {
		err = domain.NotFound("bulk operation")
	}
	if err != nil {
		return nil, pg.Translate("reading a bulk operation", err)
	}
	return &found[0], nil
}

// FindTenantID returns the id of the tenant with a code, nil for none.
func (r *Reader) FindTenantID(ctx context.Context, code string) (*uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.Read(ctx, pg.Q(`SELECT t.id FROM tenants t WHERE t.code = $1`, []any{code}, collectInto(&ids, pgx.RowTo[uuid.UUID])))
	if err != nil || len(ids) == 0 {
		return nil, pg.Translate("reading the id of a tenant", err)
	}
	return &ids[0], nil
}

// BulkOperationFilter narrows a list of bulk operations; an empty field keeps all.
type BulkOperationFilter struct {
	States      []domain.BulkState
	TenantCodes []string
}

// ListBulkOperations returns a page of the bulk operations that exist for the caller, as with GetBulkOperation, without previews. They can be
// sorted by createdAt; without a key the newest comes first.
func (r *Reader) ListBulkOperations(
	ctx context.Context, caller domain.Caller, filter BulkOperationFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.NamedBulkOperation], error) {
	l := &listquery.List{
		Columns: namedBulkColumns, Table: "bulk_operations b", Names: bulkNames, Args: bulkReader(caller),
		Visible: listquery.Match(bulkVisible),
		Where: []listquery.Condition{
			listquery.Match("b.state <> 'PREVIEW'"), listquery.AnyOf("b.state", filter.States),
			listquery.MatchAny("b.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", filter.TenantCodes),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "b.created_at", Descending: true}, {SQL: "b.id", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "b.id"}, "createdAt": {SQL: "b.created_at"}},
		},
	}
	return ReadPage(ctx, r, "listing bulk operations", l, page, scanNamedBulk)
}

// bulkLabels are the labels of resources x.target_id by subject, for a caller as in package access in the tenants $2. All read the
// argument $3.
func bulkLabels(s domain.BulkSubject) string {
	switch s {
	case domain.BulkProcesses:
		return `SELECT p.subject FROM processes p WHERE p.id = x.target_id AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess
	case domain.BulkTasks:
		return `SELECT q.subject FROM process_items i JOIN processes q ON q.id = i.process_id
                 WHERE i.id = x.target_id AND i.tenant_id = ANY($2) AND ` + access.VisibleItem
	case domain.BulkIncidents:
	}
	return `SELECT i.message FROM incidents i WHERE i.id = x.target_id AND (i.tenant_id = ANY($3) OR i.tenant_id = ANY($2) AND ` + incidentOfDefinition + `)`
}

// ListBulkItems returns a page of the resources of a bulk operation, the refused ones first. The operation must be visible to the
// caller.
func (r *Reader) ListBulkItems(
	ctx context.Context, caller domain.Caller, b domain.BulkOperation, states []domain.BulkItemState, page domain.PageRequest,
) (domain.Page[domain.BulkItem], error) {
	l := bulkItemList(caller, b, states)
	return ReadPage(ctx, r, "listing the resources of a bulk operation", l, page, scanBulkItem)
}

func bulkItemList(caller domain.Caller, b domain.BulkOperation, states []domain.BulkItemState) *listquery.List {
	tenants := AdministrationOf(caller).Tenants
	if AdministrationOf(caller).Everywhere {
		tenants = []uuid.UUID{b.TenantID}
	}
	return &listquery.List{
		Columns: `x.target_id, x.state, coalesce(x.code, ''), coalesce(x.message, ''), x.ended_at, coalesce((` + bulkLabels(b.Kind.Subject()) + `), '')`,
		Table:   "bulk_operation_items x", Args: []any{caller.PrincipalID, caller.TenantIDs(), tenants},
		Visible: listquery.Match("x.operation_id = %s AND ($1::uuid IS NOT NULL AND $2::uuid[] IS NOT NULL OR $3::uuid[] IS NOT NULL)", b.ID),
		Where:   []listquery.Condition{listquery.AnyOf("x.state", states)},
		Order: listquery.Order{
			Default: []listquery.Column{{SQL: "x.state", Descending: true}, {SQL: "x.target_id"}}, Columns: listquery.Columns{},
		},
	}
}

func scanBulkItem(row pgx.CollectableRow) (i domain.BulkItem, err error) {
	return i, row.Scan(&i.TargetID, &i.State, &i.Code, &i.Message, &i.EndedAt, &i.Label)
}

// EachBulkItem calls each with the resources of a bulk operation, as they come from the database, and returns its error.
func (r *Reader) EachBulkItem(
	ctx context.Context, caller domain.Caller, b domain.BulkOperation, each func(domain.BulkItem) error,
) error {
	query, err := bulkItemList(caller, b, nil).Rows(domain.PageRequest{Size: domain.MaxBulkSelection + 1}, func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			item, err := scanBulkItem(rows)
			if err == nil {
				err = each(item)
			}
			if err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	return pg.Translate("reading the resources of a bulk operation", r.Read(ctx, query))
}

const (
	getBulkBatch = `
SELECT ` + bulkColumns + `,
       ARRAY(SELECT x.target_id FROM bulk_operation_items x
              WHERE x.operation_id = b.id AND x.state = 'PENDING' AND x.target_id > $2
              ORDER BY x.target_id
              LIMIT $3)
  FROM bulk_operations b
 WHERE b.id = $1`

	// An operator needs no membership to administer the tenant, but a credential for all tenants when the preview was made.
	getMember = `
SELECT p.id AS principal_id, p.type, NULL::timestamptz AS expires_at, t.id AS tenant_id, t.namespace,
       coalesce(u.role, p.role, 'MEMBER') AS role, p.operator AND b.operator AS operator, ` + administersDefinitions + ` AS administers_definitions, false AS scoped,
       CASE WHEN p.disabled_at IS NOT NULL THEN 'DISABLED' ELSE '' END AS refusal,
       CASE WHEN u.disabled_at IS NOT NULL OR t.id IS NULL THEN 'DISABLED' ELSE '' END AS membership_refusal
  FROM bulk_operations b
  JOIN principals p ON p.id = b.created_by
  LEFT JOIN tenant_users u ON u.principal_id = p.id AND p.type = 'USER' AND u.tenant_id = b.tenant_id
  LEFT JOIN tenants t ON t.id = b.tenant_id AND t.id = coalesce(p.tenant_id, u.tenant_id)
 WHERE b.id = $1`
)

// BulkBatch is a bulk operation with the next of its resources that are not handled. Caller is its author with the present rights in
// its tenant; Refusal is set instead if the author is disabled or has left the tenant.
type BulkBatch struct {
	domain.BulkOperation

	Targets []uuid.UUID
	Caller  domain.Caller
	Refusal *domain.Error
}

// GetBulkBatch returns a bulk operation with the first limit resources that are not handled and follow after in the order of ids, or
// NOT_FOUND.
func (r *Reader) GetBulkBatch(ctx context.Context, id, after uuid.UUID, limit int) (*BulkBatch, error) {
	var batch BulkBatch
	var members []credentialRow
	err := r.Read(
		ctx,
		pg.Q(getBulkBatch, []any{id, after, limit}, pg.OrNotFound("bulk operation", pg.One(append(bulkFields(&batch.BulkOperation), &batch.Targets)...))),
		pg.Q(getMember, []any{id}, pg.Into(&members)),
	)
	if err != nil {
		return nil, pg.Translate("reading a batch of a bulk operation", err)
	}
	if len(members) > 0 {
		batch.Caller, err = admit(members)
	}
	if err != nil || len(members) == 0 {
		batch.Refusal = domain.Denied("the person who started the operation is disabled or has left the tenant")
	}
	return &batch, nil
}
