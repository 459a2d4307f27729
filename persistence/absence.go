package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	putAbsence = `
INSERT INTO absences (id, tenant_id, principal_id, substitute_id, starts_at, ends_at)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (tenant_id, id) DO UPDATE
   SET principal_id = excluded.principal_id, substitute_id = excluded.substitute_id,
       starts_at = excluded.starts_at, ends_at = excluded.ends_at`

	deleteAbsence = `
DELETE FROM absences
 WHERE id = $2 AND tenant_id = $1`
)

// PutAbsence stores an absence, or replaces it.
func (tx *Tx) PutAbsence(a domain.Absence) {
	tx.queue(putAbsence, a.ID, a.TenantID, a.PrincipalID, a.SubstituteID, a.From, a.Until)
}

// DeleteAbsence deletes an absence of a tenant.
func (tx *Tx) DeleteAbsence(tenant, id uuid.UUID) { tx.queue(deleteAbsence, tenant, id) }
