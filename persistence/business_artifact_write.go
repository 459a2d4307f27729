package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const insertArtifact = `
INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, data, data_valid, data_errors,
                                created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

// InsertBusinessArtifact stores a new artifact and its index values.
func (tx *Tx) InsertBusinessArtifact(a *domain.BusinessArtifact, indexed []IndexedValue) error {
	data, err := store(a.Data)
	if err != nil {
		return err
	}
	tx.queue(insertArtifact, a.ID, a.TenantID, a.Definition.ID, a.Definition.Code, data.document, data.valid, data.errors,
		a.CreatedBy, a.CreatedAt, a.LastModifiedBy, a.LastModifiedAt)
	tx.putIndex(a, indexed, true)
	return nil
}

const updateArtifact = `
UPDATE business_artifacts
   SET data = $2, data_valid = $3, data_errors = $4, last_modified_by = $5, last_modified_at = $6
 WHERE id = $1`

// UpdateBusinessArtifact stores the data and the index values of an artifact that is under lock.
func (tx *Tx) UpdateBusinessArtifact(a *domain.BusinessArtifact, indexed []IndexedValue) error {
	data, err := store(a.Data)
	if err != nil {
		return err
	}
	tx.queue(updateArtifact, a.ID, data.document, data.valid, data.errors, a.LastModifiedBy, a.LastModifiedAt)
	tx.putIndex(a, indexed, false)
	return nil
}

const updateArtifactDeletion = `
UPDATE business_artifacts
   SET deleted_at = $2, deleted_by = $3, last_modified_by = $4, last_modified_at = $5
 WHERE id = $1`

// UpdateArtifactDeletion stores whether an artifact that is under lock is deleted. Its index values stay: lists
// filter on the deletion.
func (tx *Tx) UpdateArtifactDeletion(a *domain.BusinessArtifact) {
	tx.queue(updateArtifactDeletion, a.ID, a.DeletedAt, a.DeletedBy, a.LastModifiedBy, a.LastModifiedAt)
}

const (
	lockArtifactDefinition = `
SELECT EXISTS (SELECT 1 FROM business_artifacts a WHERE a.tenant_id = r.tenant_id AND a.definition_id = r.id)
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = $1 AND r.id = $2
   FOR NO KEY UPDATE OF r`

	artifactsOfDefinition = `
SELECT a.id, a.created_at, a.data
  FROM business_artifacts a
 WHERE a.tenant_id = $1 AND a.definition_id = $2 AND a.data IS NOT NULL
   AND (a.created_at, a.id) > ($3, $4)
 ORDER BY a.created_at, a.id
 LIMIT $5`
)

// LockArtifactDefinition blocks other transactions from creating, saving and deleting artifacts of the
// definition until this one ends, and reports whether there are any. It reports false for a definition that does
// not exist.
func (tx *Tx) LockArtifactDefinition(ctx context.Context, tenant, definition uuid.UUID) (used bool, err error) {
	// The lock is a statement of its own: only a later statement reads changes committed before the lock was
	// acquired.
	lock := pg.Q(lockArtifactDefinition, []any{tenant, definition}, func(rows pgx.Rows) error {
		return pg.IgnoreNoRows(pg.One(&used)(rows))
	})
	err = tx.Read(ctx, lock, lock)
	return used, err
}

// indexBatch is how many artifacts are indexed at a time.
const indexBatch = 1000

// ReindexArtifacts rebuilds the index values of all artifacts of a locked definition, a batch at a time, with
// the values that indexed returns for their data. It is complete when it returns and is rolled back with the
// transaction.
func (tx *Tx) ReindexArtifacts(
	ctx context.Context, tenant, definition uuid.UUID, indexed func(data []byte) ([]IndexedValue, error),
) error {
	queries := []pg.Query{pg.Q(deleteArtifactIndexes, []any{definition}, discard)}
	var last domain.BusinessArtifact
	for {
		var index artifactIndex
		read := 0
		queries = append(queries, pg.Q(
			artifactsOfDefinition,
			[]any{tenant, definition, last.CreatedAt, last.ID, indexBatch},
			func(rows pgx.Rows) error {
				defer rows.Close()
				for rows.Next() {
					var data []byte
					if err := rows.Scan(&last.ID, &last.CreatedAt, &data); err != nil {
						return err
					}
					values, err := indexed(data)
					if err != nil {
						return err
					}
					index.addOf(&last, values)
					read++
				}
				return rows.Err()
			},
		))
		if err := tx.Read(ctx, queries...); err != nil {
			return err
		}
		queries = nil
		if len(index.fields) > 0 {
			queries = []pg.Query{pg.Q(putArtifactIndex, index.put(definition), discard)}
		}
		if read < indexBatch {
			if len(queries) == 0 {
				return nil
			}
			return tx.Read(ctx, queries...)
		}
	}
}

// discard ignores the rows of a statement.
func discard(rows pgx.Rows) error {
	rows.Close()
	return rows.Err()
}
