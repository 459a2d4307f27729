package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	putDataSource = `
INSERT INTO data_sources (id, tenant_id, code, task_queue, runner_id, encryption_key)
VALUES ($1, $2, $3, $4, $5, nullif($6, ''))
ON CONFLICT (id) DO UPDATE
   SET task_queue = excluded.task_queue, runner_id = excluded.runner_id, encryption_key = excluded.encryption_key`

	revokeOnDataSource = `
DELETE FROM data_source_grants
 WHERE data_source_id = $1`

	// A group has rights in its own tenant only; the queries that read rights rely on it.
	grantOnDataSource = `
INSERT INTO data_source_grants (data_source_id, grantee_id)
SELECT s.id, $2
  FROM data_sources s
 WHERE s.id = $1
   AND NOT EXISTS (SELECT 1 FROM groups o WHERE o.id = $2 AND o.tenant_id <> s.tenant_id)
ON CONFLICT DO NOTHING`

	deleteDataSource = `
DELETE FROM data_sources
 WHERE id = $1`
)

// PutDataSource inserts or updates a data source. Exactly queriers may query it afterwards.
func (tx *Tx) PutDataSource(s domain.DataSource, queriers []uuid.UUID) {
	tx.queue(putDataSource, s.ID, s.TenantID, s.Code, s.TaskQueue, s.RunnerID, s.EncryptionKey)
	tx.queue(revokeOnDataSource, s.ID)
	for _, querier := range queriers {
		tx.queue(grantOnDataSource, s.ID, querier)
	}
}

// RemoveDataSource deletes a data source. Its queries stay until they expire.
func (tx *Tx) RemoveDataSource(id uuid.UUID) { tx.queue(deleteDataSource, id) }
