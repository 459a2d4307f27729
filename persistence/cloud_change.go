package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	findCloudWork = `
SELECT EXISTS (SELECT 1 FROM cloud_changes),
       EXISTS (SELECT 1 FROM cloud_workers w WHERE w.cluster = ANY($1) AND w.leased_until <= $2 AND w.due_at <= $2)`

	changeCloudTenants = `
INSERT INTO cloud_changes (tenant_id)
SELECT t.id FROM tenants t WHERE t.cluster = ANY($1) ORDER BY t.id
    ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id`

	lockCloudChanges = `
SELECT c.tenant_id
  FROM cloud_changes c
 ORDER BY c.tenant_id
 LIMIT $1
   FOR UPDATE SKIP LOCKED`

	removeCloudChanges = `
DELETE FROM cloud_changes WHERE tenant_id = ANY($1)`
)

// CloudWork reports which work about workers in Temporal Cloud is due.
type CloudWork struct {
	// Changes is true if tenants changed, Workers if workers are due.
	Changes, Workers bool
}

// FindCloudWork returns the due work of the clusters. Its cost does not depend on the number of tenants and workers.
func (r *Reader) FindCloudWork(ctx context.Context, clusters []string, now time.Time) (CloudWork, error) {
	var w CloudWork
	err := r.Read(ctx, pg.Q(findCloudWork, []any{clusters, now}, pg.One(&w.Changes, &w.Workers)))
	return w, pg.Translate("finding work about Temporal Cloud", err)
}

// ChangeCloudTenants records a change of each tenant of the clusters.
func (db *DB) ChangeCloudTenants(ctx context.Context, clusters []string) error {
	err := db.Send(ctx, []pg.Query{pg.Q(changeCloudTenants, []any{clusters}, pg.None)})
	return pg.Translate("recording changes of tenants", err)
}

// CompareCloudWorkers compares the workers of at most limit changed tenants with their entitlement. Missing ones are added, and
// workers with work are due.
func (db *DB) CompareCloudWorkers(ctx context.Context, clusters []string, now time.Time, limit int) error {
	err := db.Write(ctx, func(tx *Tx) error {
		var tenants []uuid.UUID
		if err := tx.Read(ctx, pg.Q(lockCloudChanges, []any{limit}, collectInto(&tenants, pgx.RowTo[uuid.UUID]))); err != nil || len(tenants) == 0 {
			return err
		}
		// A statement after the lock finds all that was committed with the changes.
		tx.queue(withBoundQueues(addCloudWorkers), tenants, clusters, now)
		tx.queue(withBoundQueues(markCloudWorkers), tenants, clusters, now)
		tx.queue(removeCloudChanges, tenants)
		return nil
	})
	return pg.Translate("comparing workers in Temporal Cloud", err)
}
