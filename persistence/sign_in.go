package persistence

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// SignInTenant is a tenant with a rule for sign-ins through an issuer, and the person there.
type SignInTenant struct {
	domain.DirectoryTenant

	Tenant *resource.TenantSpec
	// Groups are the codes of the groups that sign-ins may make users members of.
	Groups []string
	// User is the user of the person in the tenant, nil for none. Source is its source.
	User   *resource.UserSpec
	Source resource.Source
	// Left reports whether the person was a user of the tenant and was deleted.
	Left bool
	// Barred reports whether the person cannot become a user of the tenant by this sign-in: it is an operator, disabled, or linked
	// to another subject of the issuer, or its address is a different one.
	Barred bool
}

// HasGroup reports whether sign-ins may make users members of a group.
func (t *SignInTenant) HasGroup(code string) bool { return slices.Contains(t.Groups, code) }

// The person is the principal $3, or else the one with the address $4, compared as in findOIDCUser.
//
//nolint:gochecknoglobals // a constant text
var listSignInTenants = `
WITH person AS (
    SELECT p.id,
           p.operator OR p.disabled_at IS NOT NULL OR $4 = '' OR NOT (` + sameAddress("$4") + `)
           OR EXISTS (SELECT FROM oidc_subjects s WHERE s.principal_id = p.id AND s.issuer = $1 AND s.subject <> $2) AS barred
      FROM principals p
     WHERE p.type = 'USER'
       AND CASE WHEN $3::uuid IS NOT NULL THEN p.id = $3 ELSE email_key(p.email) = email_key($4) AND ` + sameAddress("$4") + ` END
)
SELECT t.id, t.code, t.namespace, r.spec,
       ARRAY(SELECT g.code FROM resources g WHERE g.tenant_id = t.id AND g.kind = 'Group' AND g.source <> 'DEPARTED'),
       u.spec, coalesce(u.source, ''), u.id IS NULL AND n.principal_id IS NOT NULL, coalesce(p.barred, $4 = '')
  FROM resources r
  JOIN tenants t ON t.id = r.tenant_id
  LEFT JOIN person p ON true
  LEFT JOIN resources u ON u.tenant_id = t.id AND u.kind = 'User' AND u.id = p.id
  LEFT JOIN person_names n ON n.tenant_id = t.id AND n.principal_id = p.id
 WHERE r.kind = 'Tenant' AND (r.spec #> '{provisioning,signIn}') IS NOT NULL
   AND EXISTS (SELECT FROM json_array_elements(r.spec #> '{provisioning,signIn}') e WHERE e ->> 'issuer' = $1)
   AND ($5::text[] IS NULL OR t.code = ANY($5))
 ORDER BY t.code`

// ListSignInTenants returns the tenants with a rule for the issuer of a sign-in, in the order of their codes.
func (r *Reader) ListSignInTenants(ctx context.Context, in domain.PersonSignIn) ([]SignInTenant, error) {
	var found []SignInTenant
	err := r.Read(ctx, pg.Q(listSignInTenants, []any{
		in.Issuer, in.Subject, pg.Optional(in.PrincipalID), in.Email, in.TenantCodes,
	}, collectInto(&found, scanSignInTenant)))
	return found, pg.Translate("reading the tenants of an issuer", err)
}

func scanSignInTenant(row pgx.CollectableRow) (SignInTenant, error) {
	var t SignInTenant
	var tenant, user []byte
	err := row.Scan(&t.ID, &t.Code, &t.Namespace, &tenant, &t.Groups, &user, &t.Source, &t.Left, &t.Barred)
	if err != nil {
		return t, err
	}
	d, err := resource.FromStored(resource.KindTenant, resource.Metadata{Code: t.Code}, tenant)
	if err != nil {
		return t, fmt.Errorf("reading the tenant %s: %w", t.Code, err)
	}
	t.Tenant, _ = d.Spec.(*resource.TenantSpec)
	if user == nil {
		return t, nil
	}
	if d, err = resource.FromStored(resource.KindUser, resource.Metadata{}, user); err != nil {
		return t, fmt.Errorf("reading a user of the tenant %s: %w", t.Code, err)
	}
	t.User, _ = d.Spec.(*resource.UserSpec)
	return t, nil
}

const (
	deleteOtherClaims = `
DELETE FROM group_members m
 USING groups g
 WHERE g.id = m.group_id AND g.tenant_id = $1 AND m.principal_id = $2 AND m.claimed AND m.group_id <> ALL($3)`

	insertClaims = `
INSERT INTO group_members (group_id, principal_id, claimed)
SELECT g.id, $2, true
  FROM groups g
 WHERE g.tenant_id = $1 AND g.id = ANY($3)
    ON CONFLICT DO NOTHING`
)

// PutClaims makes a user a member of exactly these groups of a tenant by sign-ins. Other memberships stay.
func (tx *Tx) PutClaims(tenant, user uuid.UUID, groups []uuid.UUID) {
	tx.queue(deleteOtherClaims, tenant, user, groups)
	tx.queue(insertClaims, tenant, user, groups)
}
