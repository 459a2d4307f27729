package persistence

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// WorkerFilter narrows a list of workers; empty fields keep all.
type WorkerFilter struct {
	TenantCodes []string
	TaskQueues  []string
	States      []domain.WorkerState
}

// A worker's queues are those registered by its current principal: the others belong to an earlier principal
// with the same identity. The last poll is read from the observations of the queue.
const (
	workerColumns = `w.id, w.tenant_id, t.code, w.principal_id, w.identity, w.hostname, w.ip, w.installation_id,
       w.workflow_types, w.activity_types, w.robot_ids, w.last_seen_at,
       w.created_by, w.created_at, w.last_modified_by, w.last_modified_at,
       (SELECT json_agg(json_build_object(
                 'TaskQueue', q.task_queue, 'WorkflowTypes', q.workflow_types, 'ActivityTypes', q.activity_types,
                 'LiveSince', coalesce(q.live_since, q.last_seen_at), 'LastSeenAt', q.last_seen_at,
                 'PolledAt', (SELECT max((p ->> 'lastAccessAt')::timestamptz)
                                FROM task_queue_observations o
                               CROSS JOIN jsonb_array_elements(o.pollers) p
                               WHERE o.tenant_id = w.tenant_id AND o.task_queue = q.task_queue
                                 AND p ->> 'identity' = w.identity))
               ORDER BY q.task_queue)
          FROM worker_queues q
         WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND ` + queueInScope + `)`
)

func scanWorker(row pgx.CollectableRow) (domain.RegisteredWorker, error) {
	var w domain.RegisteredWorker
	err := row.Scan(&w.ID, &w.TenantID, &w.TenantCode, &w.PrincipalID, &w.Identity, &w.Hostname, &w.IP, &w.InstallationID,
		&w.WorkflowTypes, &w.ActivityTypes, &w.RobotIDs, &w.LastSeenAt,
		&w.CreatedBy, &w.CreatedAt, &w.LastModifiedBy, &w.LastModifiedAt, &w.Queues)
	for i := range w.Queues {
		q := &w.Queues[i]
		q.LiveSince, q.LastSeenAt = q.LiveSince.UTC(), q.LastSeenAt.UTC()
		if q.PolledAt != nil {
			*q.PolledAt = q.PolledAt.UTC()
		}
	}
	return w, err
}

// ListWorkers returns a page of the workers in the scope, with their queues. They can be sorted by id, identity,
// createdAt and lastSeenAt; without a key the latest registration comes first. now decides which workers are
// online.
func (r *Reader) ListWorkers(
	ctx context.Context, scope AdministrationScope, filter WorkerFilter, now time.Time,
	page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.RegisteredWorker], error) {
	l := &listquery.List{
		Columns: workerColumns, Table: "workers w", Joins: " JOIN tenants t ON t.id = w.tenant_id",
		Args: scope.args(), Tenants: listquery.Match(`($3 OR w.tenant_id = ANY($2) OR w.tenant_id = ANY($4) AND ` + workerOfDefinition + `)`),
		Where: []listquery.Condition{
			listquery.AnyOf("t.code", filter.TenantCodes),
			listquery.MatchAny(`EXISTS (SELECT 1 FROM worker_queues q
                WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND q.task_queue = ANY(%s))`, filter.TaskQueues),
			listquery.MatchIf(len(filter.States) > 0, `CASE WHEN w.last_seen_at < %s
                  THEN 'OFFLINE' ELSE 'ONLINE' END = ANY(%s)`, now.Add(-domain.WorkerOfflineAfter), filter.States),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "w.last_seen_at", Descending: true}},
			Columns: listquery.Columns{
				"id": {SQL: "w.id"}, "identity": {SQL: "w.identity"}, "createdAt": {SQL: "w.created_at"}, "lastSeenAt": {SQL: "w.last_seen_at"},
			},
		},
	}
	return ReadPage(ctx, r, "listing workers", l, page, scanWorker)
}

const countLiveWorkers = `
SELECT count(*)
  FROM workers w
 WHERE w.last_seen_at >= $1`

// CountLiveWorkers counts the workers of all tenants that are online.
func (r *Reader) CountLiveWorkers(ctx context.Context, now time.Time) (int64, error) {
	var live int64
	err := r.Read(ctx, pg.Q(countLiveWorkers, []any{now.Add(-domain.WorkerOfflineAfter)}, pg.One(&live)))
	return live, pg.Translate("counting workers", err)
}
