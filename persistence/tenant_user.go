package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const tenantUserColumns = `u.id, u.tenant_id, u.role, u.created_by, u.created_at, u.last_modified_by, u.last_modified_at,
       p.id, p.type, coalesce(n.name, p.name), coalesce(p.email, ''), u.metadata, u.metadata_valid, u.metadata_errors`

const joinsOfTenantUsers = `
  JOIN principals p ON p.id = u.principal_id
  LEFT JOIN person_names n ON n.tenant_id = u.tenant_id AND n.principal_id = u.principal_id`

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
  FROM tenant_users u` + joinsOfTenantUsers + `
 WHERE u.id = $4 AND ` + listedUser

// GetTenantUser returns a user of one of the tenants that let the caller list people,
// or the caller itself, or NOT_FOUND.
func (r *Reader) GetTenantUser(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.TenantUser, error) {
	var u domain.TenantUser
	err := r.Read(ctx, pg.Q(getTenantUser, directoryWith(caller, id), func(rows pgx.Rows) (err error) {
		u, err = pgx.CollectExactlyOneRow(rows, scanTenantUser)
		return err
	}))
	if err != nil {
		return nil, pg.Translate("reading a tenant user", pg.NotFound(err, "tenant user"))
	}
	return &u, nil
}

// TenantUserFilter narrows a list of tenant users. Only groups of the tenant
// user's own tenant count. E-mails are compared without regard to case.
type TenantUserFilter struct {
	GroupIDs   []uuid.UUID
	GroupCodes []string
	Emails     []string
	TenantIDs  []uuid.UUID
}

// ShowTenantUsers calls show with a page of the users that GetTenantUser
// returns, and returns its error. They can be sorted by id, createdAt and lastModifiedAt.
func (r *Reader) ShowTenantUsers(
	ctx context.Context, caller domain.Caller, filter TenantUserFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.TenantUser]) error,
) error {
	l := &listquery.List{
		Columns: tenantUserColumns, Table: "tenant_users u", Joins: joinsOfTenantUsers,
		Args: directoryArgs(caller), Visible: listquery.Match(listedUser),
		Where: append([]listquery.Condition{
			listquery.AnyOf("u.tenant_id", filter.TenantIDs),
			listquery.MatchAny("email_key(p.email) = ANY(SELECT email_key(e) FROM unnest(%s::text[]) e)", filter.Emails),
		}, inGroups("u.principal_id", "g.tenant_id = u.tenant_id AND "+listedGroup, filter.GroupIDs, filter.GroupCodes)...),
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "u.created_at"}},
			Columns: listquery.Columns{
				"id": {SQL: "u.id"}, "createdAt": {SQL: "u.created_at"}, "lastModifiedAt": {SQL: "u.last_modified_at"},
			},
		},
	}
	err := showValues(ctx, r, valueList[domain.TenantUser]{
		List: l, alias: "u", values: []string{"u.metadata", "u.metadata_errors"},
		scan: func(rows pgx.Rows) (domain.TenantUser, error) { return scanTenantUser(rows) },
	}, page, show)
	return pg.Translate("listing tenant users", err)
}
