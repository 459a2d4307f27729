package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	getCaller = `
SELECT p.id, p.type, p.name, coalesce(p.email, '')
  FROM principals p
 WHERE p.id = $1`

	tenantsOfCaller = `
SELECT ` + tenantColumns + `
  FROM tenants t
 WHERE t.id = ANY($1)
 ORDER BY t.code`
)

// GetCaller returns the calling principal and its tenants, in the order of their codes.
func (r *Reader) GetCaller(ctx context.Context, caller domain.Caller) (*domain.Principal, []domain.Tenant, error) {
	var p domain.Principal
	var tenants []domain.Tenant
	err := r.Read(
		ctx,
		pg.Q(getCaller, []any{caller.PrincipalID}, pg.One(&p.ID, &p.Type, &p.Name, &p.Email)),
		pg.Q(tenantsOfCaller, []any{caller.TenantIDs()}, func(rows pgx.Rows) (err error) {
			tenants, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t domain.Tenant, err error) {
				return t, row.Scan(tenantFields(&t)...)
			})
			return err
		}),
	)
	if err != nil {
		return nil, nil, pg.Translate("reading a caller", pg.NotFound(err, "principal"))
	}
	return &p, tenants, nil
}
