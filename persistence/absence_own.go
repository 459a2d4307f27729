package persistence

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ownAbsencesShown bounds the absences that a user is shown.
const ownAbsencesShown = "100"

const (
	selectOwnAbsences = `
SELECT r.code, t.code AS tenant_code, t.name AS tenant_name, coalesce(uname.name, u.name) AS user_name,
       coalesce(sname.name, s.name) AS substitute_name, a.starts_at, a.ends_at, a.principal_id = $1 AS mine
  FROM absences a
  JOIN tenants t ON t.id = a.tenant_id
  JOIN resources r ON r.tenant_id = a.tenant_id AND r.kind = 'Absence' AND r.id = a.id
  JOIN principals u ON u.id = a.principal_id
  LEFT JOIN person_names uname ON uname.tenant_id = a.tenant_id AND uname.principal_id = u.id
  JOIN principals s ON s.id = a.substitute_id
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = s.id
 WHERE (a.principal_id = $1 OR a.substitute_id = $1) AND a.tenant_id = ANY($2) AND a.ends_at > statement_timestamp()
 ORDER BY a.starts_at, r.code
 LIMIT ` + ownAbsencesShown

	selectOwnTenants = `
SELECT t.code, t.name
  FROM tenant_users k
  JOIN tenants t ON t.id = k.tenant_id
 WHERE k.principal_id = $1 AND k.tenant_id = ANY($2) AND k.disabled_at IS NULL
 ORDER BY t.name, t.code`
)

// ListOwnAbsences returns the absences of the caller, and those in which it is the substitute, that have not ended, and the tenants
// in which it is a user.
func (r *Reader) ListOwnAbsences(
	ctx context.Context, caller domain.Caller,
) (absences []domain.OwnAbsence, tenants []domain.OwnTenant, err error) {
	args := []any{caller.PrincipalID, caller.TenantIDs()}
	err = r.Read(ctx, pg.Q(selectOwnAbsences, args, pg.Into(&absences)), pg.Q(selectOwnTenants, args, pg.Into(&tenants)))
	return absences, tenants, pg.Translate("reading own absences", err)
}
