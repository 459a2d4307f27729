package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// One statement keeps the worker and its queue together. xmax is 0 for a row
// that was inserted rather than updated. Types are kept with the queue too: a
// program may serve several queues under one identity. That the worker is new, or
// another principal's than before, is recorded.
const upsertWorker = `
WITH before AS (
  SELECT w.principal_id FROM workers w WHERE w.tenant_id = $2 AND w.identity = $4
), worker AS (
  INSERT INTO workers AS w (id, tenant_id, principal_id, identity, hostname, ip, installation_id, workflow_types,
                            activity_types, robot_ids, last_seen_at,
                            created_by, created_at, last_modified_by, last_modified_at)
  VALUES ($1, $2, $3, $4, $6, $7, $8, coalesce($9::text[], '{}'), coalesce($10::text[], '{}'),
          coalesce($11::uuid[], '{}'), $12, $3, $12, $3, $12)
  ON CONFLICT (tenant_id, identity) DO UPDATE
     SET principal_id = excluded.principal_id, hostname = excluded.hostname, ip = excluded.ip,
         installation_id = excluded.installation_id, workflow_types = excluded.workflow_types,
         activity_types = excluded.activity_types, robot_ids = excluded.robot_ids,
         last_seen_at = excluded.last_seen_at, last_modified_by = excluded.last_modified_by,
         last_modified_at = excluded.last_modified_at
  RETURNING w.id, w.created_by, w.created_at, w.xmax = 0 AS created
), queue AS (
  INSERT INTO worker_queues AS q (worker_id, principal_id, task_queue, workflow_types, activity_types, live_since, last_seen_at)
  SELECT worker.id, $3, $5, coalesce($9::text[], '{}'), coalesce($10::text[], '{}'), $12, $12 FROM worker
  ON CONFLICT (principal_id, task_queue, worker_id) DO UPDATE
     SET workflow_types = excluded.workflow_types, activity_types = excluded.activity_types,
         live_since = CASE WHEN q.last_seen_at < $13 THEN excluded.live_since
                           ELSE coalesce(q.live_since, q.last_seen_at) END,
         last_seen_at = excluded.last_seen_at
), event AS (
  INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, details, actor_id, request_id, occurred_at)
  SELECT $14::uuid, $2, $15::text, $16::text, worker.id, $17::json, $3, nullif($18::text, ''), $12
    FROM worker
   WHERE NOT EXISTS (SELECT 1 FROM before WHERE before.principal_id = $3)
)
SELECT id, created_by, created_at, created FROM worker`

// UpsertWorker stores a worker, or updates the one with the same identity in
// the tenant, and reports whether it was new. It completes the worker's id and
// audit. The queues that it registered for before stay registered. event is
// recorded of a worker that is new or has changed hands.
func (db *DB) UpsertWorker(ctx context.Context, w *domain.Worker, event domain.Event) (created bool, err error) {
	details, err := eventDetails(&event)
	if err != nil {
		return false, err
	}
	batch := &pgx.Batch{}
	err = send(ctx, db.pool, batch, []query{{
		upsertWorker,
		[]any{
			w.ID, w.TenantID, w.LastModifiedBy, w.Identity, w.TaskQueue, w.Hostname, w.IP, w.InstallationID,
			w.WorkflowTypes, w.ActivityTypes, w.RobotIDs, w.LastSeenAt, w.LastSeenAt.Add(-domain.WorkerOfflineAfter),
			eventID(&event), event.Type, event.ResourceKind, details, requestID(ctx),
		},
		one(&w.ID, &w.CreatedBy, &w.CreatedAt, &created),
	}})
	return created, translate("storing a worker", err)
}
