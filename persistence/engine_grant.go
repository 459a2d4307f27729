package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// grantRetention is how long grants stay readable after their expiry.
	grantRetention = 24 * time.Hour
	// grantsSwept bounds how many rows one insert removes: more than it adds, so that they do not pile up.
	grantsSwept = 10
)

const (
	// These locks make transactions that disable the principal, or end its membership, wait for uncommitted
	// grants, so that they find and revoke them.
	lockMembership = `
SELECT u.principal_id
  FROM tenant_users u
 WHERE u.principal_id = $1 AND u.tenant_id = $2
   FOR SHARE OF u`

	lockGrantee = `
SELECT p.id
  FROM principals p
 WHERE p.id = $1
   AND p.disabled_at IS NULL
   AND (p.tenant_id = $2
        OR EXISTS (SELECT 1 FROM tenant_users u
                    WHERE u.principal_id = p.id AND u.tenant_id = $2 AND u.disabled_at IS NULL))
   FOR SHARE OF p`
)

const engineGrantTaken = `
SELECT EXISTS (SELECT 1 FROM engine_grants g WHERE g.id = $1)`

// Grantee is a principal that asks for access to the engine. CloudKey is its API key in Temporal
// Cloud. Taken reports whether a grant with the id of the new one exists.
type Grantee struct {
	Access   EngineAccess
	CloudKey SealedCloudKey
	Taken    bool
}

// LockGrantee keeps a principal active in the tenant until the transaction ends, and returns the rows that the grant with
// the id depends on, or NOT_FOUND if the principal is not active.
func (tx *Tx) LockGrantee(ctx context.Context, principal, tenant, id uuid.UUID) (Grantee, error) {
	args := []any{principal, tenant}
	var locked uuid.UUID
	var g Grantee
	err := tx.Read(ctx,
		pg.Q(lockMembership, args, pg.None),
		pg.Q(lockGrantee, args, pg.One(&locked)),
		pg.Q(engineGrantTaken, []any{id}, pg.One(&g.Taken)),
		engineAccessOf(principal, tenant, &g.Access),
		cloudKeyOf(principal, tenant, &g.CloudKey))
	return g, pg.NotFound(err, "principal")
}

const (
	lockOperator = `
SELECT p.id
  FROM principals p
 WHERE p.id = $1 AND p.operator AND p.disabled_at IS NULL
   FOR SHARE`

	tenantOfCode = `
SELECT t.id, t.namespace, t.cluster
  FROM tenants t
 WHERE t.code = $1`
)

// TenantEngine is the place of a tenant's workflows.
type TenantEngine struct {
	TenantID  uuid.UUID
	Namespace string
	Cluster   string
}

// LockOperator keeps a principal an operator until the transaction ends, and returns the tenant with the code, none for "".
// Errors: UNAUTHENTICATED for a principal that is no operator now, NOT_FOUND.
func (tx *Tx) LockOperator(ctx context.Context, principal uuid.UUID, tenant string) (TenantEngine, error) {
	var operators []struct{ ID uuid.UUID }
	var found TenantEngine
	queries := []pg.Query{pg.Q(lockOperator, []any{principal}, pg.Into(&operators))}
	if tenant != "" {
		queries = append(queries, pg.Q(tenantOfCode, []any{tenant}, pg.One(&found.TenantID, &found.Namespace, &found.Cluster)))
	}
	err := tx.Read(ctx, queries...)
	if err == nil && len(operators) == 0 {
		return found, domain.Unauthenticated()
	}
	return found, pg.NotFound(err, "tenant")
}

const (
	insertEngineGrant = `
INSERT INTO engine_grants (id, tenant_id, principal_id, kind, identifier, read_only, issued_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

	sweepEngineGrants = `
DELETE FROM engine_grants g
 WHERE g.id IN (SELECT e.id
                  FROM engine_grants e
                 WHERE e.expires_at < $1
                 ORDER BY e.expires_at
                 LIMIT $2
                   FOR UPDATE SKIP LOCKED)`
)

// InsertEngineGrant stores a grant, and deletes some grants that expired more than grantRetention ago.
func (tx *Tx) InsertEngineGrant(g domain.EngineGrant) {
	tx.queue(insertEngineGrant, g.ID, pg.Optional(g.TenantID), g.PrincipalID, g.Kind, g.Identifier, g.ReadOnly, g.IssuedAt, g.ExpiresAt)
	tx.queue(sweepEngineGrants, g.IssuedAt.Add(-grantRetention), grantsSwept)
}

// EngineGrantScope selects the grants that exist for an administrator: of Tenants, or of every tenant.
type EngineGrantScope struct {
	Everywhere bool
	Tenants    []uuid.UUID
}

// EngineGrantFilter narrows a list of grants; empty fields keep all.
type EngineGrantFilter struct {
	TenantIDs    []uuid.UUID
	TenantCodes  []string
	PrincipalIDs []uuid.UUID
	Kinds        []domain.AuthenticationType
	// ActiveAt keeps the grants that are accepted at that time, or with Inactive the others.
	ActiveAt *time.Time
	Inactive bool
}

const engineGrantColumns = `g.id, g.tenant_id, g.principal_id, g.kind, g.identifier, g.read_only, g.issued_at, g.expires_at,
       g.revoked_at, g.revoked_by`

// ListEngineGrants returns a page of the grants in the scope. They can be sorted
// by id, issuedAt and expiresAt; without a key the newest comes first.
func (r *Reader) ListEngineGrants(
	ctx context.Context, scope EngineGrantScope, filter EngineGrantFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.EngineGrant], error) {
	active := "(g.revoked_at IS NULL AND g.expires_at > %s)"
	if filter.Inactive {
		active = "NOT " + active
	}
	l := &listquery.List{
		Columns: engineGrantColumns, Table: "engine_grants g",
		Args: []any{scope.Everywhere, scope.Tenants}, Tenants: listquery.Match("($1 OR g.tenant_id = ANY($2))"),
		Where: []listquery.Condition{
			listquery.AnyOf("g.tenant_id", filter.TenantIDs),
			listquery.AnyOf("g.principal_id", filter.PrincipalIDs),
			listquery.AnyOf("g.kind", filter.Kinds),
			listquery.MatchAny("g.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", filter.TenantCodes),
			listquery.MatchGiven(active, filter.ActiveAt),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "g.issued_at", Descending: true}, {SQL: "g.id", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "g.id"}, "issuedAt": {SQL: "g.issued_at"}, "expiresAt": {SQL: "g.expires_at"}},
		},
	}
	return ReadPage(ctx, r, "listing engine grants", l, page, pgx.RowToStructByName[domain.EngineGrant])
}

// EngineGrantSelection selects the grants that match each field that is not nil.
type EngineGrantSelection struct {
	ID          *uuid.UUID
	TenantID    *uuid.UUID
	PrincipalID *uuid.UUID
}

const (
	lockEngineGrants = `
SELECT g.id, g.tenant_id, g.revoked_at IS NULL AND g.expires_at > $6 AS active
  FROM engine_grants g
 WHERE ($1 OR g.tenant_id = ANY($2))
   AND ($3::uuid IS NULL OR g.id = $3)
   AND ($4::uuid IS NULL OR g.tenant_id = $4)
   AND ($5::uuid IS NULL OR g.principal_id = $5)
 ORDER BY g.id
   FOR NO KEY UPDATE`

	revokeEngineGrants = `
UPDATE engine_grants
   SET revoked_at = $2, revoked_by = $3
 WHERE id = ANY($1)`
)

// LockedEngineGrant is a grant under lock. It is Active if it was neither revoked nor has expired.
type LockedEngineGrant struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Active   bool
}

// LockEngineGrants locks the selected grants in the scope.
func (tx *Tx) LockEngineGrants(
	ctx context.Context, scope EngineGrantScope, selection EngineGrantSelection, now time.Time,
) ([]LockedEngineGrant, error) {
	var locked []LockedEngineGrant
	err := tx.Read(ctx, pg.Q(
		lockEngineGrants,
		[]any{scope.Everywhere, scope.Tenants, selection.ID, selection.TenantID, selection.PrincipalID, now},
		pg.Into(&locked),
	))
	return locked, err
}

// RevokeEngineGrants revokes grants that are under lock.
func (tx *Tx) RevokeEngineGrants(ids []uuid.UUID, by uuid.UUID, now time.Time) {
	tx.queue(revokeEngineGrants, ids, now, by)
	tx.revoked = true
}

const revokeEngineGrantsOf = `
WITH revoked AS (
    UPDATE engine_grants
       SET revoked_at = $3, revoked_by = $4
     WHERE principal_id = $1 AND ($2::uuid[] IS NULL OR tenant_id = ANY($2)) AND revoked_at IS NULL AND expires_at > $3
 RETURNING id, tenant_id
)` + insertIntoEvents + `
SELECT gen_random_uuid(), coalesce(r.tenant_id, '00000000-0000-0000-0000-000000000000'), $6, $7, r.id, NULL, $4, nullif($5, ''), $3
  FROM revoked r`

// RevokeEngineGrantsOf revokes the grants of a principal in the tenants, in all of them for nil, and records it.
// Queued behind the statement that disables the principal, it also finds grants that were uncommitted: LockGrantee
// and LockOperator make that statement wait for them.
func (tx *Tx) RevokeEngineGrantsOf(principal uuid.UUID, tenants []uuid.UUID, by uuid.UUID, now time.Time) {
	tx.queue(revokeEngineGrantsOf, principal, tenants, now, by, tx.requestID,
		domain.EventAuthenticationRevoked, domain.ResourceAuthentication)
	tx.revoked = true
}

const listRevoked = `
SELECT g.kind, g.identifier
  FROM engine_grants g
 WHERE g.revoked_at IS NOT NULL
   AND g.expires_at > $1
 ORDER BY g.expires_at, g.id`

// EngineRevocations are the identifiers of revoked grants.
type EngineRevocations struct {
	Tokens       []string
	Certificates []string
}

// ListEngineRevocations returns the revoked grants that expire after the time.
func (r *Reader) ListEngineRevocations(ctx context.Context, expireAfter time.Time) (EngineRevocations, error) {
	revoked := EngineRevocations{Tokens: []string{}, Certificates: []string{}}
	err := r.Read(ctx, pg.Q(listRevoked, []any{expireAfter}, func(rows pgx.Rows) error {
		var kind domain.AuthenticationType
		var identifier string
		_, err := pgx.ForEachRow(rows, []any{&kind, &identifier}, func() error {
			if kind == domain.AuthenticationEngineCertificate {
				revoked.Certificates = append(revoked.Certificates, identifier)
			} else {
				revoked.Tokens = append(revoked.Tokens, identifier)
			}
			return nil
		})
		return err
	}))
	return revoked, pg.Translate("listing engine revocations", err)
}
