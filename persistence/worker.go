package persistence

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Registrations of one principal are serialized, so that its workers can be counted.
const lockRegistrations = `
SELECT pg_advisory_xact_lock(hashtextextended('worker registrations of ' || $1::uuid::text, 0))`

// One statement decides and stores the worker and its queue together. xmax is 0 for a row that was inserted
// rather than updated. Types are stored with the queue too: a program may serve several queues under one
// identity. A worker that is new, or changes its principal, is recorded. Workers that are offline are deleted to
// make room for new ones.
const upsertWorker = `
WITH ` + engineAccess + `, before AS (
  SELECT w.principal_id, (extract(epoch FROM w.last_modified_at) * 1000000)::bigint AS version
    FROM workers w WHERE w.tenant_id = $2 AND w.identity = $4
), gate AS (
  SELECT ($20::bigint[] IS NULL OR EXISTS (SELECT 1 FROM before b WHERE $20 = '{}' OR b.version = ANY($20)))
         AND ($21::bigint[] IS NULL OR NOT EXISTS (SELECT 1 FROM before b WHERE $21 = '{}' OR b.version = ANY($21))) AS met,
         EXISTS (SELECT 1 FROM bound b WHERE b.runner_id = $1) AS is_worker,
         EXISTS (SELECT 1 FROM servable s WHERE s.task_queue = $5) AS servable,
         EXISTS (SELECT 1 FROM workers w
                  WHERE w.tenant_id = $2 AND w.identity = $4
                    AND w.principal_id <> $1 AND w.last_seen_at >= $13) AS taken,
         (SELECT count(*) FROM workers w
           WHERE w.principal_id = $1 AND w.identity <> $4 AND w.last_seen_at >= $13) >= $14 AS crowded
), worker AS (
  INSERT INTO workers AS w (id, tenant_id, principal_id, identity, hostname, ip, installation_id, workflow_types,
                            activity_types, robot_ids, last_seen_at,
                            created_by, created_at, last_modified_by, last_modified_at)
  SELECT $3, $2, $1, $4, $6, $7, $8, coalesce($9::text[], '{}'), coalesce($10::text[], '{}'),
         coalesce($11::uuid[], '{}'), $12, $1, $12, $1, $12
    FROM gate g
   WHERE g.servable AND NOT g.taken AND NOT g.crowded AND g.met
  ON CONFLICT (tenant_id, identity) DO UPDATE
     SET principal_id = excluded.principal_id, hostname = excluded.hostname, ip = excluded.ip,
         installation_id = excluded.installation_id, workflow_types = excluded.workflow_types,
         activity_types = excluded.activity_types, robot_ids = excluded.robot_ids,
         last_seen_at = excluded.last_seen_at, last_modified_by = excluded.last_modified_by,
         last_modified_at = greatest(excluded.last_modified_at, w.last_modified_at + interval '1 microsecond')
   WHERE w.principal_id = excluded.principal_id OR w.last_seen_at < $13
  RETURNING w.id, w.created_by, w.created_at, w.last_modified_at, w.xmax = 0 AS created
), queue AS (
  INSERT INTO worker_queues AS q (worker_id, tenant_id, principal_id, task_queue, workflow_types, activity_types, live_since, last_seen_at)
  SELECT worker.id, $2, $1, $5, coalesce($9::text[], '{}'), coalesce($10::text[], '{}'), $12, $12 FROM worker
  ON CONFLICT (principal_id, task_queue, worker_id, tenant_id) DO UPDATE
     SET workflow_types = excluded.workflow_types, activity_types = excluded.activity_types,
         live_since = CASE WHEN q.last_seen_at < $13 THEN excluded.live_since
                           ELSE coalesce(q.live_since, q.last_seen_at) END,
         last_seen_at = excluded.last_seen_at
), surplus AS (
  DELETE FROM workers w
   WHERE w.principal_id = $1 AND w.last_seen_at < $13 AND w.identity <> $4
     AND EXISTS (SELECT 1 FROM worker WHERE worker.created)
     AND w.id IN (SELECT o.id FROM workers o
                   WHERE o.principal_id = $1 AND o.identity <> $4
                   ORDER BY o.last_seen_at DESC, o.id OFFSET $14 - 1)
), event AS (` + insertIntoEvents + `
  SELECT $15::uuid, $2, $16::text, $17::text, worker.id, $18::json, $1, nullif($19::text, ''), $12
    FROM worker
   WHERE NOT EXISTS (SELECT 1 FROM before WHERE before.principal_id = $1)
)
SELECT g.is_worker, g.servable, g.crowded, g.met, (SELECT b.version FROM before b),
       w.id, w.created_by, w.created_at, w.last_modified_at, w.created
  FROM gate g
  LEFT JOIN worker w ON true`

// WorkerRegistration is the outcome of a registration.
type WorkerRegistration struct {
	// Worker reports whether a manifest makes the principal a worker, Servable whether
	// it may serve the task queue.
	Worker, Servable bool
	// Crowded reports whether the principal already has the maximum number of other workers online.
	Crowded bool
	// Stored reports whether the worker was stored. If it was not and the other fields give no reason, an online
	// worker of another principal has the identity.
	Stored bool
	// Created reports whether the worker is new.
	Created bool
}

// RegisterWorker stores a worker, or updates the one with the same identity in the tenant, if its principal may
// serve the queue, has fewer than limit other workers online, and does not replace an online worker of another
// principal. It completes the worker's id and audit. The queues that it registered for before stay registered.
// event is recorded for a worker that is new or changes its principal.
func (db *DB) RegisterWorker(
	ctx context.Context, required domain.Precondition, w *domain.Worker, limit int, event domain.Event,
) (WorkerRegistration, error) {
	var result WorkerRegistration
	details, err := eventDetails(&event)
	if err != nil {
		return result, err
	}
	var id, createdBy *uuid.UUID
	var createdAt, modifiedAt *time.Time
	var met bool
	var found *int64
	var created *bool
	principal := w.LastModifiedBy
	err = db.Send(ctx, []pg.Query{
		pg.Q(lockRegistrations, []any{principal}, func(rows pgx.Rows) error { rows.Close(); return rows.Err() }),
		pg.Q(
			upsertWorker,
			[]any{
				principal, w.TenantID, w.ID, w.Identity, w.TaskQueue, w.Hostname, w.IP, w.InstallationID,
				w.WorkflowTypes, w.ActivityTypes, w.RobotIDs, w.LastSeenAt, w.LastSeenAt.Add(-domain.WorkerOfflineAfter), limit,
				eventID(&event), event.Type, event.ResourceKind, details, requestID(ctx),
				versionTimes(required.Match), versionTimes(required.NoneMatch),
			},
			pg.One(&result.Worker, &result.Servable, &result.Crowded, &met, &found, &id, &createdBy, &createdAt, &modifiedAt, &created),
		),
	})
	if pg.UniqueViolation(err) {
		return result, domain.Conflict(domain.CodeConflict, "the id is already in use")
	}
	if err == nil && result.Worker && result.Servable && !met {
		var current *domain.Version
		if found != nil {
			current = new(domain.VersionAt(time.UnixMicro(*found)))
		}
		err = required.Check(current)
	}
	if err != nil || id == nil {
		return result, pg.Translate("storing a worker", err)
	}
	w.ID, w.CreatedBy, w.CreatedAt, w.LastModifiedAt = *id, *createdBy, *createdAt, *modifiedAt
	result.Stored, result.Created = true, *created
	return result, nil
}

// versionTimes returns the versions as microseconds since 1970: nil for no requirement, none for any version.
func versionTimes(v *domain.Versions) []int64 {
	switch {
	case v == nil:
		return nil
	case v.Any:
		return []int64{}
	}
	listed := []int64{-1}
	for _, version := range v.Listed {
		if at, err := strconv.ParseInt(string(version), 36, 64); err == nil {
			listed = append(listed, at)
		}
	}
	return listed
}

const expireWorkers = `
DELETE FROM workers w
 WHERE w.id IN (SELECT o.id
                  FROM workers o
                 WHERE o.last_seen_at < $1
                 ORDER BY o.last_seen_at
                 LIMIT $2
                   FOR UPDATE SKIP LOCKED)`

const expireWorkerQueues = `
DELETE FROM worker_queues q
 USING (SELECT o.principal_id, o.task_queue, o.worker_id
          FROM worker_queues o
         WHERE o.last_seen_at < $1
         ORDER BY o.last_seen_at
         LIMIT $2
           FOR UPDATE SKIP LOCKED) due
 WHERE q.principal_id = due.principal_id AND q.task_queue = due.task_queue AND q.worker_id = due.worker_id`

// ExpireRegistrations deletes up to limit workers, and up to limit queues of
// other workers, that have not registered for registrationMemory. It returns how
// many of both it deleted.
func (db *DB) ExpireRegistrations(ctx context.Context, now time.Time, limit int) (int, error) {
	args := []any{now.Add(-registrationMemory), limit}
	deleted := 0
	count := func(rows pgx.Rows) error {
		rows.Close()
		deleted += int(rows.CommandTag().RowsAffected())
		return rows.Err()
	}
	err := db.Send(ctx, []pg.Query{pg.Q(expireWorkers, args, count), pg.Q(expireWorkerQueues, args, count)})
	return deleted, pg.Translate("expiring the registrations of workers", err)
}
