package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

const tenantUserColumns = `u.id, u.tenant_id, u.role, u.created_by, u.created_at, u.last_modified_by, u.last_modified_at,
       p.id, p.type, p.name, coalesce(p.email, ''), u.metadata, u.metadata_valid, u.metadata_errors`

const fromTenantUsers = `tenant_users u JOIN principals p ON p.id = u.principal_id`

func scanTenantUser(row pgx.CollectableRow) (domain.TenantUser, error) {
	var u domain.TenantUser
	var metadata storedValue
	err := row.Scan(&u.ID, &u.TenantID, &u.Role, &u.CreatedBy, &u.CreatedAt, &u.LastModifiedBy, &u.LastModifiedAt,
		&u.Principal.ID, &u.Principal.Type, &u.Principal.Name, &u.Principal.Email,
		&metadata.document, &metadata.valid, &metadata.errors)
	if err != nil {
		return u, err
	}
	u.Metadata, err = metadata.value()
	return u, err
}

const getTenantUser = `
SELECT ` + tenantUserColumns + `
  FROM ` + fromTenantUsers + `
 WHERE u.id = $1 AND u.tenant_id = ANY($2)`

// GetTenantUser returns a user of one of the caller's tenants, or NOT_FOUND.
func (r *Reader) GetTenantUser(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.TenantUser, error) {
	var u domain.TenantUser
	err := r.read(ctx, query{getTenantUser, []any{id, caller.TenantIDs()}, func(rows pgx.Rows) (err error) {
		u, err = pgx.CollectExactlyOneRow(rows, scanTenantUser)
		return err
	}})
	if err != nil {
		return nil, translate("reading a tenant user", notFound(err, "tenant user"))
	}
	return &u, nil
}

// TenantUserFilter narrows a list of tenant users. E-mails are compared without
// regard to case.
type TenantUserFilter struct {
	GroupIDs   []uuid.UUID
	GroupCodes []string
	Emails     []string
	TenantIDs  []uuid.UUID
}

// ListTenantUsers returns a page of the users of the caller's tenants. They can
// be sorted by id, createdAt and lastModifiedAt.
func (r *Reader) ListTenantUsers(
	ctx context.Context, caller domain.Caller, filter TenantUserFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.TenantUser], error) {
	result := domain.Page[domain.TenantUser]{PageRequest: page}
	l := &list{columns: tenantUserColumns, from: fromTenantUsers}
	l.filter("u.tenant_id = ANY(%s)", caller.TenantIDs())
	anyOf(l, "u.tenant_id", filter.TenantIDs)
	if len(filter.Emails) > 0 {
		l.filter("lower(p.email) = ANY(SELECT lower(e) FROM unnest(%s::text[]) e)", filter.Emails)
	}
	l.inGroups("p.id", filter.GroupIDs, filter.GroupCodes, caller.TenantIDs())
	err := l.sortBy(sort, map[string]string{
		"id": "u.id", "createdAt": "u.created_at", "lastModifiedAt": "u.last_modified_at",
	}, "u.created_at")
	if err != nil {
		return result, err
	}
	scan := func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanTenantUser)
		return err
	}
	err = r.read(ctx, l.page(page, scan, &result.Total)...)
	return result, translate("listing tenant users", err)
}

const (
	insertPrincipal = `
INSERT INTO principals (id, type, name, email, tenant_id, created_at)
VALUES ($1, $2, $3, nullif($4, ''), $5, $6)
ON CONFLICT (id) DO NOTHING`

	insertTenantUser = `
INSERT INTO tenant_users (id, tenant_id, principal_id, role, created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT DO NOTHING`

	insertGroup = `
INSERT INTO groups (id, tenant_id, code, name)
VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO NOTHING`

	insertGroupMember = `
INSERT INTO group_members (group_id, principal_id)
VALUES ($1, $2)
ON CONFLICT DO NOTHING`
)

// InsertApplication stores an application of the tenant unless it is there
// already.
func (tx *Tx) InsertApplication(p domain.Principal, tenant uuid.UUID, audit domain.Audit) {
	tx.queue(insertPrincipal, p.ID, domain.PrincipalApplication, p.Name, "", tenant, audit.CreatedAt)
}

// InsertTenantUser stores a user and its membership of a tenant unless they are
// there already.
func (tx *Tx) InsertTenantUser(u domain.TenantUser) {
	tx.queue(insertPrincipal, u.Principal.ID, domain.PrincipalUser, u.Principal.Name, u.Principal.Email, nil, u.CreatedAt)
	tx.queue(insertTenantUser, u.ID, u.TenantID, u.Principal.ID, u.Role,
		u.CreatedBy, u.CreatedAt, u.LastModifiedBy, u.LastModifiedAt)
}

// InsertGroup stores a group with its members unless they are there already.
func (tx *Tx) InsertGroup(g domain.Group, members []uuid.UUID) {
	tx.queue(insertGroup, g.ID, g.TenantID, g.Code, g.Name)
	for _, member := range members {
		tx.queue(insertGroupMember, g.ID, member)
	}
}
