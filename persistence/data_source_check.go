package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const dataSourcesOfTenants = selectDataSources + `
 WHERE s.tenant_id = ANY($1)`

// DataSource returns the data source of the tenant with a code.
func (t *Targets) DataSource(tenant uuid.UUID, code string) (*AskedDataSource, bool) {
	for i := range t.sources {
		if s := &t.sources[i]; s.TenantID == tenant && s.Code == code {
			return s, true
		}
	}
	return nil, false
}

const (
	lockCheckedProcess = `
SELECT ` + processColumns + `
  FROM processes p
 WHERE p.id = $1
   FOR UPDATE OF p`

	lockCheckedItem = `
SELECT ` + itemColumns + `
  FROM process_items i
 WHERE i.id = $1
   FOR UPDATE OF i`

	lockCheckedArtifact = `
SELECT ` + artifactColumns + `
  FROM business_artifacts a
 WHERE a.id = $1
   FOR UPDATE OF a`
)

// LockCheckedProcess locks a process after the check of a value, or returns NOT_FOUND.
func (tx *Tx) LockCheckedProcess(ctx context.Context, id uuid.UUID) (*domain.Process, error) {
	var p domain.Process
	err := tx.Read(ctx, pg.Q(lockCheckedProcess, []any{id}, scanProcess(&p)))
	return &p, pg.NotFound(err, "process")
}

// LockCheckedItem locks an item after the check of a value, or returns NOT_FOUND. The
// log of a task is not read.
func (tx *Tx) LockCheckedItem(ctx context.Context, id uuid.UUID) (*domain.ProcessItem, error) {
	var row itemRow
	if err := tx.Read(ctx, pg.Q(lockCheckedItem, []any{id}, pg.One(row.fields()...))); err != nil {
		return nil, pg.NotFound(err, "process item")
	}
	return row.processItem()
}

// LockCheckedArtifact locks an artifact after the check of its data, or returns NOT_FOUND.
func (tx *Tx) LockCheckedArtifact(ctx context.Context, id uuid.UUID) (*domain.BusinessArtifact, error) {
	var a domain.BusinessArtifact
	err := tx.Read(ctx, pg.Q(lockCheckedArtifact, []any{id}, scanArtifact(&a)))
	return &a, pg.NotFound(err, "business artifact")
}

const updateArtifactVerdict = `
UPDATE business_artifacts
   SET data_valid = $2, data_errors = $3, last_modified_by = $4, last_modified_at = $5
 WHERE id = $1`

// UpdateArtifactVerdict stores whether the data of an artifact that is under lock is
// valid. Its index does not change.
func (tx *Tx) UpdateArtifactVerdict(a *domain.BusinessArtifact) error {
	data, err := store(a.Data)
	if err != nil {
		return err
	}
	tx.queue(updateArtifactVerdict, a.ID, data.valid, data.errors, a.LastModifiedBy, a.LastModifiedAt)
	return nil
}
