package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	knownQueues = `
WITH known AS (` + neededQueues + `
     UNION
    SELECT w.tenant_id, q.task_queue
      FROM worker_queues q
      JOIN workers w ON w.id = q.worker_id
     WHERE q.last_seen_at >= $2
)`

	addTaskQueues = knownQueues + `
INSERT INTO task_queue_observations (tenant_id, task_queue, due_at)
SELECT k.tenant_id, k.task_queue, $1
  FROM known k
 WHERE NOT EXISTS (SELECT 1 FROM task_queue_observations o
                    WHERE o.tenant_id = k.tenant_id AND o.task_queue = k.task_queue)
 ORDER BY k.tenant_id, k.task_queue
    ON CONFLICT DO NOTHING`

	// Rows locked by another replica are skipped.
	forgetTaskQueues = knownQueues + `
DELETE FROM task_queue_observations d
 WHERE (d.tenant_id, d.task_queue) IN (
       SELECT o.tenant_id, o.task_queue
         FROM task_queue_observations o
        WHERE $1::timestamptz IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM known k WHERE k.tenant_id = o.tenant_id AND k.task_queue = o.task_queue)
          FOR UPDATE SKIP LOCKED)`

	claimTaskQueues = `
WITH due AS (
    SELECT o.tenant_id, o.task_queue
      FROM task_queue_observations o
     WHERE o.due_at <= $1
     ORDER BY o.due_at
     LIMIT $3
       FOR UPDATE SKIP LOCKED
)
UPDATE task_queue_observations o
   SET due_at = CASE WHEN o.workflow_count = 0 AND o.activity_count = 0 AND o.failed_at IS NULL AND o.observed_at IS NOT NULL
                      AND NOT EXISTS (SELECT 1 FROM engine_watermarks w WHERE w.namespace = t.namespace AND w.active_at > $5)
                     THEN $4
                     ELSE $2::timestamptz END
  FROM due
  JOIN tenants t ON t.id = due.tenant_id
 WHERE o.tenant_id = due.tenant_id AND o.task_queue = due.task_queue
RETURNING o.tenant_id, t.namespace, o.task_queue`
)

// restAfter is the time without commands and ends of workflows in a namespace after which its queues are at rest.
const restAfter = 30 * time.Second

// MatchTaskQueues adds and deletes the task queues that are observed to match definitions and workers.
func (db *DB) MatchTaskQueues(ctx context.Context, now time.Time) error {
	queues := []any{now, now.Add(-registrationMemory)}
	// Each statement is its own transaction, so that other replicas wait for at most one of them.
	for _, sql := range []string{addTaskQueues, forgetTaskQueues} {
		if err := db.Send(ctx, []pg.Query{pg.Q(sql, queues, discardRows)}); err != nil {
			return pg.Translate("matching task queues", err)
		}
	}
	return nil
}

// ClaimTaskQueues returns at most limit task queues due for an observation, and makes them due again at next, or at
// nextAtRest where no task waited and the namespace is at rest: other replicas skip them until then.
func (db *DB) ClaimTaskQueues(ctx context.Context, now, next, nextAtRest time.Time, limit int) ([]domain.DueTaskQueue, error) {
	var due []domain.DueTaskQueue
	err := db.Send(ctx, []pg.Query{
		pg.Q(claimTaskQueues, []any{now, next, limit, nextAtRest, now.Add(-restAfter)}, pg.Into(&due)),
	})
	return due, pg.Translate("claiming task queues", err)
}

func discardRows(rows pgx.Rows) error {
	rows.Close()
	return rows.Err()
}

const (
	putObservation = `
UPDATE task_queue_observations
   SET observed_at = $3, pollers = $4, workflow_count = $5, workflow_age = $6, activity_count = $7, activity_age = $8,
       failed_at = NULL, failure = ''
 WHERE tenant_id = $1 AND task_queue = $2 AND ($3 >= observed_at OR observed_at IS NULL)`

	putObservationFailure = `
UPDATE task_queue_observations
   SET failed_at = $3, failure = $4
 WHERE tenant_id = $1 AND task_queue = $2`
)

// PutObservations stores observations, except those older than the stored ones.
func (db *DB) PutObservations(ctx context.Context, seen []domain.SeenTaskQueue) error {
	return db.Write(ctx, func(tx *Tx) error {
		for _, s := range seen {
			if s.Observation.Failure != "" {
				tx.queue(putObservationFailure, s.TenantID, s.TaskQueue, s.Observation.FailedAt, s.Observation.Failure)
				continue
			}
			pollers, err := json.Marshal(append([]domain.Poller{}, s.Observation.Pollers...))
			if err != nil {
				return fmt.Errorf("encoding pollers: %w", err)
			}
			backlogs := map[domain.TaskKind]domain.TaskBacklog{}
			for _, b := range s.Observation.Backlogs {
				backlogs[b.Kind] = b
			}
			workflows, activities := backlogs[domain.TaskKindWorkflow], backlogs[domain.TaskKindActivity]
			tx.queue(putObservation, s.TenantID, s.TaskQueue, s.Observation.ObservedAt, pollers,
				workflows.Count, workflows.Age, activities.Count, activities.Age)
		}
		return nil
	})
}

// TaskQueueTotals are the total backlogs of all task queues of all tenants. The ages belong to the oldest
// tasks.
type TaskQueueTotals struct {
	WorkflowCount int64
	WorkflowAge   time.Duration
	ActivityCount int64
	ActivityAge   time.Duration
}

const sumObservations = `
SELECT coalesce(sum(o.workflow_count), 0)::bigint, coalesce(max(o.workflow_age), '0'),
       coalesce(sum(o.activity_count), 0)::bigint, coalesce(max(o.activity_age), '0')
  FROM task_queue_observations o
 WHERE o.observed_at >= $1`

// SumTaskQueues sums the observations made since a time.
func (r *Reader) SumTaskQueues(ctx context.Context, since time.Time) (TaskQueueTotals, error) {
	var t TaskQueueTotals
	err := r.Read(ctx, pg.Q(sumObservations, []any{since}, pg.One(&t.WorkflowCount, &t.WorkflowAge, &t.ActivityCount, &t.ActivityAge)))
	return t, pg.Translate("adding up task queues", err)
}
