package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
	l := &listquery.List{
		Columns: `f.tenant_id, d.id, f.process_version, d.code, f.action_code, f.process_id, f.message, f.first_at, f.last_at`,
		Table:   "availability_faults f",
		Joins: `
  JOIN process_definition_versions v ON v.version = f.process_version
  JOIN process_definitions d ON d.id = v.process_definition_id`,
		Tenants: in.Within("f.tenant_id", faultOfDefinition),
		Where: []listquery.Condition{
			listquery.MatchAny("f.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", tenantCodes),
		},
		Order: listquery.Order{Default: []listquery.Column{
			{SQL: "f.last_at", Descending: true}, {SQL: "f.process_version"}, {SQL: "f.action_code"},
		}},
	}
	return ReadPage(ctx, r, "listing availability faults", l, page, func(row pgx.CollectableRow) (f domain.AvailabilityFault, err error) {
		return f, row.Scan(&f.TenantID, &f.Definition.ID, &f.Definition.Version, &f.Definition.Code, &f.ActionCode,
			&f.ProcessID, &f.Message, &f.FirstAt, &f.LastAt)
	})
}
