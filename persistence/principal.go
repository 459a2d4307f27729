package persistence

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// PrincipalKey identifies a principal by its id or, for users, by e-mail without regard to case. The zero key
// matches no principal. If Type is not empty, only principals of that type match.
type PrincipalKey struct {
	ID    *uuid.UUID
	Email string
	Type  domain.PrincipalType
	// IDMember is the name of the input member with the id, domain.MemberID if empty.
	IDMember string
}

// Empty reports whether the key is the zero key.
func (k PrincipalKey) Empty() bool { return k.ID == nil && k.Email == "" }

// PrincipalTenants is an active principal and the tenants where it is not disabled.
type PrincipalTenants struct {
	ID        uuid.UUID
	TenantIDs []uuid.UUID
}

// In reports whether the principal belongs to the tenant. It is false for a nil p.
func (p *PrincipalTenants) In(tenant uuid.UUID) bool {
	return p != nil && slices.Contains(p.TenantIDs, tenant)
}

const selectPrincipalTenants = `
SELECT p.id, ARRAY(SELECT u.tenant_id FROM tenant_users u WHERE u.principal_id = p.id AND u.disabled_at IS NULL
                    UNION SELECT p.tenant_id WHERE p.tenant_id IS NOT NULL) AS tenant_ids
  FROM principals p
 WHERE p.disabled_at IS NULL
   AND ($1::uuid IS NULL OR p.id = $1)
   AND ($2 = '' OR email_key(p.email) = email_key($2))
   AND ($1::uuid IS NOT NULL OR $2 <> '')
   AND ($3 = '' OR p.type = $3)`

// FindPrincipal finds an active principal, nil when there is none.
func FindPrincipal(key PrincipalKey) Read[*PrincipalTenants] {
	found := new(*PrincipalTenants)
	return answer(found, lookUpPrincipal(key, found))
}

// lookUpPrincipal finds an active principal; dest is nil when there is none.
func lookUpPrincipal(key PrincipalKey, dest **PrincipalTenants) pg.Query {
	return pg.Q(selectPrincipalTenants, []any{key.ID, key.Email, key.Type}, pg.AtMostOne(dest))
}

// principalOfTenants is true of a principal p that belongs to one of the tenants $4, if the caller may list their
// people. The service's own principal belongs to none.
const principalOfTenants = `(p.tenant_id = ANY($4)
    OR EXISTS (SELECT 1 FROM tenant_users u
                WHERE u.principal_id = p.id AND ` + listedUser + ` AND u.tenant_id = ANY($4)))`

func scanPrincipal(rows pgx.CollectableRow) (domain.Principal, error) {
	var p domain.Principal
	err := rows.Scan(&p.ID, &p.Type, &p.Name, &p.Email)
	return p, err
}

// nameInTenants is the name of a principal p among the caller's tenants, in the first one that meets the condition.
const nameInTenants = `coalesce((SELECT n.name FROM person_names n
           WHERE n.principal_id = p.id AND n.tenant_id = ANY($2)%s
           ORDER BY n.tenant_id LIMIT 1), p.name)`

const getPrincipal = `
SELECT p.id, p.type, %s, CASE WHEN ` + presentPrincipal + ` THEN coalesce(p.email, '') ELSE '' END
  FROM principals p
 WHERE p.id = $4
   AND (p.type = 'SYSTEM' OR ` + listedPrincipal + ` OR ` + metPrincipal + `)`

// GetPrincipal returns a principal of one of the tenants that let the caller list people, a principal
// named by a resource visible to the caller, or the service's own, or NOT_FOUND. A principal that has left the
// caller's tenants has no e-mail.
func (r *Reader) GetPrincipal(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Principal, error) {
	var p domain.Principal
	err := r.Read(ctx, pg.Q(
		fmt.Sprintf(getPrincipal, fmt.Sprintf(nameInTenants, "")), directoryWith(caller, id), pg.One(&p.ID, &p.Type, &p.Name, &p.Email),
	))
	if err != nil {
		return nil, pg.Translate("reading a principal", pg.NotFound(err, "principal"))
	}
	return &p, nil
}

// PrincipalFilter narrows a list of principals.
type PrincipalFilter struct {
	Type       domain.PrincipalType
	GroupIDs   []uuid.UUID
	GroupCodes []string
	TenantIDs  []uuid.UUID
	// Search is a part of the name or the e-mail, ignoring case.
	Search string
}

// ListPrincipals returns a page of the principals that the caller may list. They can be sorted by id and name.
func (r *Reader) ListPrincipals(
	ctx context.Context, caller domain.Caller, filter PrincipalFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Principal], error) {
	name := fmt.Sprintf(nameInTenants, "")
	args := directoryArgs(caller)
	ofTenants := listquery.Condition{}
	if len(filter.TenantIDs) > 0 {
		args = append(args, filter.TenantIDs)
		ofTenants = listquery.Match(principalOfTenants)
		name = fmt.Sprintf(nameInTenants, " AND n.tenant_id = ANY($4)")
	}
	l := &listquery.List{
		Columns: "p.id, p.type, " + name + ", coalesce(p.email, '')", Table: "principals p", Args: args,
		Visible: listquery.Match(listedPrincipal),
		Where: append([]listquery.Condition{
			ofTenants,
			listquery.MatchIf(filter.Type != "", "p.type = %s", filter.Type),
			listquery.MatchSearch(filter.Search, name, "p.email"),
		}, inGroups("p.id", listedGroup, filter.GroupIDs, filter.GroupCodes)...),
		Order: listquery.Order{By: sort, Columns: listquery.Columns{"id": {SQL: "p.id"}, "name": {SQL: name}}},
	}
	return ReadPage(ctx, r, "listing principals", l, page, scanPrincipal)
}
