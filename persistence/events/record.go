package events

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Record is an event with the manifests before and after a change of a resource, nil for none.
type Record struct {
	domain.AuditRecord

	Before, After *resource.Document
}

// changedManifests returns the manifests before and after the event $1.
const changedManifests = `
WITH e AS (SELECT e.id, e.tenant_id, e.resource_id, t.code FROM events e JOIN tenants t ON t.id = e.tenant_id WHERE e.id = $1)
SELECT true AS is_before, e.code, h.kind, h.code, h.labels, h.spec
  FROM e JOIN manifest_history h ON h.tenant_id = e.tenant_id AND h.event_id = e.id
 UNION ALL
SELECT false, e.code, h.kind, h.code, h.labels, h.spec
  FROM e JOIN manifest_history h ON h.tenant_id = e.tenant_id AND h.resource_id = e.resource_id AND h.recorded_by = e.id
 UNION ALL
SELECT false, e.code, r.kind, r.code, r.labels, r.spec
  FROM e JOIN resources r ON r.tenant_id = e.tenant_id AND r.kind = ANY($2) AND r.id = e.resource_id AND r.manifest_event = e.id`

// Get returns the event with an id, or NOT_FOUND for one out of the scope.
func Get(ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, id uuid.UUID) (*Record, error) {
	var found []domain.AuditRecord
	record := &Record{}
	event, err := recordsOf(scope, Filter{IDs: []uuid.UUID{id}}, Range{NewestFirst: true, Limit: 1}, &found)
	if err == nil {
		err = r.Read(ctx, event, pg.Q(changedManifests, []any{id, resource.Kinds()}, record.collectManifests))
	}
	if err != nil {
		return nil, pg.Translate("reading an event", err)
	}
	if len(found) == 0 {
		return nil, domain.NotFound("event")
	}
	record.AuditRecord = found[0]
	return record, nil
}

// collectManifests reads the rows of changedManifests.
func (r *Record) collectManifests(rows pgx.Rows) error {
	var isBefore bool
	var tenant string
	var kind resource.Kind
	var code string
	var labels map[string]string
	var spec []byte
	_, err := pgx.ForEachRow(rows, []any{&isBefore, &tenant, &kind, &code, &labels, &spec}, func() error {
		metadata := resource.Metadata{Code: code, Tenant: tenant, Labels: labels}
		if kind == resource.KindTenant {
			metadata.Tenant = ""
		}
		d, err := resource.FromStored(kind, metadata, spec)
		if err != nil {
			return err
		}
		if isBefore {
			r.Before = &d
		} else {
			r.After = &d
		}
		labels = nil
		return nil
	})
	return err
}
