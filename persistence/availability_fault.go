package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const recordAvailabilityFault = `
INSERT INTO availability_faults (process_version, action_code, tenant_id, process_id, message, first_at, last_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (process_version, action_code, tenant_id) DO UPDATE
   SET process_id = excluded.process_id, message = excluded.message, last_at = excluded.last_at
 WHERE availability_faults.last_at < excluded.last_at`

// RecordAvailabilityFault stores a fault, or counts a further occurrence of a stored one.
func (tx *Tx) RecordAvailabilityFault(f domain.AvailabilityFault) {
	tx.queue(recordAvailabilityFault, f.Definition.Version, f.ActionCode, f.TenantID, f.ProcessID, f.Message,
		f.FirstAt, f.LastAt)
}

// ListAvailabilityFaults returns a page of the faults of the tenants, limited to the given codes if there are
// any. The most recent failure comes first.
func (r *Reader) ListAvailabilityFaults(
	ctx context.Context, in AdministrationScope, tenantCodes []string, page domain.PageRequest,
) (domain.Page[domain.AvailabilityFault], error) {
	result := domain.Page[domain.AvailabilityFault]{PageRequest: page}
	l := &pg.List{
		Columns: `f.tenant_id, d.id, f.process_version, d.code, f.action_code, f.process_id, f.message, f.first_at, f.last_at`,
		From: `availability_faults f
  JOIN process_definition_versions v ON v.version = f.process_version
  JOIN process_definitions d ON d.id = v.process_definition_id`,
		Order: []string{"f.last_at DESC", "f.process_version", "f.action_code"},
	}
	l.Within("f.tenant_id", in.Everywhere, in.Tenants)
	if len(tenantCodes) > 0 {
		l.Filter("f.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", tenantCodes)
	}
	scan := func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f domain.AvailabilityFault, err error) {
			return f, row.Scan(&f.TenantID, &f.Definition.ID, &f.Definition.Version, &f.Definition.Code, &f.ActionCode,
				&f.ProcessID, &f.Message, &f.FirstAt, &f.LastAt)
		})
		return err
	}
	err := r.Read(ctx, l.Page(page, scan, &result.Total)...)
	return result, pg.Translate("listing availability faults", err)
}
