package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// AuditSubjects are the ids of the resources named by recorded refusals.
type AuditSubjects struct {
	Principals  []uuid.UUID
	TenantCodes []string
	Resources   []uuid.UUID
}

// AuditedTenants maps these resources to their tenants.
type AuditedTenants struct {
	OfPrincipal map[uuid.UUID][]uuid.UUID
	ByCode      map[string]uuid.UUID
	OfResource  map[uuid.UUID]uuid.UUID
}

const (
	tenantsOfPrincipals = `
SELECT p.id, t.id
  FROM principals p
  LEFT JOIN tenant_users u ON u.principal_id = p.id
  JOIN tenants t ON t.id = coalesce(p.tenant_id, u.tenant_id)
 WHERE p.id = ANY($1)
 ORDER BY p.id, t.id`

	tenantsByCode = `
SELECT t.code, t.id
  FROM tenants t
 WHERE t.code = ANY($1)`

	tenantsOfResources = `
SELECT x.id, x.tenant_id FROM processes x WHERE x.id = ANY($1)
 UNION ALL SELECT x.id, x.tenant_id FROM process_items x WHERE x.id = ANY($1)
 UNION ALL SELECT x.id, x.tenant_id FROM business_artifacts x WHERE x.id = ANY($1)
 UNION ALL SELECT x.id, x.tenant_id FROM resources x WHERE x.id = ANY($1)`
)

// LocateAudited returns the tenants of the subjects, in one round trip.
func (r *Reader) LocateAudited(ctx context.Context, about AuditSubjects) (AuditedTenants, error) {
	found := AuditedTenants{
		OfPrincipal: map[uuid.UUID][]uuid.UUID{}, ByCode: map[string]uuid.UUID{}, OfResource: map[uuid.UUID]uuid.UUID{},
	}
	var id, tenant uuid.UUID
	var code string
	each := func(dest []any, keep func()) func(pgx.Rows) error {
		return func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, dest, func() error { keep(); return nil })
			return err
		}
	}
	err := r.Read(ctx,
		pg.Q(tenantsOfPrincipals, []any{about.Principals}, each([]any{&id, &tenant}, func() {
			found.OfPrincipal[id] = append(found.OfPrincipal[id], tenant)
		})),
		pg.Q(tenantsByCode, []any{about.TenantCodes}, each([]any{&code, &tenant}, func() { found.ByCode[code] = tenant })),
		pg.Q(tenantsOfResources, []any{about.Resources}, each([]any{&id, &tenant}, func() { found.OfResource[id] = tenant })))
	return found, pg.Translate("finding whom refusals concern", err)
}
