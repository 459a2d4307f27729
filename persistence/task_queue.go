package persistence

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// registrationMemory is how long a queue that no definition needs is listed after a worker registered for
	// it.
	registrationMemory = 7 * 24 * time.Hour
	// shownOffline is how many offline workers of a queue are shown, the latest ones.
	shownOffline = 5
)

// neededQueues are the workflows that definitions and robots need, with their task queues. Published versions
// need them, and versions to which running processes are pinned.
const neededQueues = `
    SELECT v.tenant_id, n.kind, v.code AS definition, n.action, n.workflow_type, n.task_queue, v.number, v.published
      FROM (SELECT d.tenant_id, d.code, v.number, v.workflow_type, v.task_queue, v.action_queues,
                   v.version IS NOT DISTINCT FROM d.published_version AS published
              FROM process_definitions d
              JOIN process_definition_versions v ON v.process_definition_id = d.id
             WHERE v.version IS NOT DISTINCT FROM d.published_version
                OR (SELECT true FROM processes p WHERE p.process_version = v.version AND p.state = 'RUNNING' LIMIT 1)) v
     CROSS JOIN LATERAL (
           SELECT 'PROCESS' AS kind, '' AS action, v.workflow_type, v.task_queue
            WHERE v.task_queue IS NOT NULL
            UNION ALL
           SELECT 'USER_ACTION', a.code, a."workflowType", a."taskQueue"
             FROM json_to_recordset(v.action_queues) AS a (code text, "workflowType" text, "taskQueue" text)) n
     UNION ALL
    SELECT r.tenant_id, 'BUSINESS_ARTIFACT_ACTION', r.code, a ->> 'code', a ->> 'workflowType', a ->> 'taskQueue',
           0, true
      FROM resources r
     CROSS JOIN json_array_elements(r.spec -> 'actions') a
     WHERE r.kind = 'BusinessArtifactDefinition'
       AND a ->> 'taskQueue' IS NOT NULL AND a ->> 'workflowType' IS NOT NULL
     UNION ALL
    SELECT b.tenant_id, 'ROBOT', b.code, '', b.workflow_type, b.task_queue, 0, true
      FROM robots b
     WHERE b.task_queue IS NOT NULL AND b.workflow_type IS NOT NULL`

const (
	listTaskQueueNeeds = `
WITH needed AS (` + neededQueues + `
)
SELECT n.tenant_id, t.code AS tenant_code, n.task_queue, n.kind, n.definition, n.action, n.workflow_type,
       bool_or(n.published) AS published, coalesce(array_agg(n.number) FILTER (WHERE NOT n.published), '{}') AS versions
  FROM needed n
  JOIN tenants t ON t.id = n.tenant_id
 WHERE ($1 OR n.tenant_id = ANY($2))
   AND ($3::text[] IS NULL OR t.code = ANY($3))
   AND ($4::text[] IS NULL OR n.task_queue = ANY($4))
 GROUP BY n.tenant_id, t.code, n.task_queue, n.kind, n.definition, n.action, n.workflow_type`

	// A worker whose identity another principal took over is no longer on the queues of the earlier principal.
	listTaskQueueWorkers = `
SELECT s.tenant_id, s.tenant_code, s.task_queue, s.id, s.identity, s.principal_id,
       s.workflow_types, s.activity_types, s.live_since, s.last_seen_at
  FROM (SELECT w.tenant_id, t.code AS tenant_code, q.task_queue, w.id, w.identity, w.principal_id,
               q.workflow_types, q.activity_types, coalesce(q.live_since, q.last_seen_at) AS live_since, q.last_seen_at,
               row_number() OVER (PARTITION BY w.tenant_id, q.task_queue, q.last_seen_at < $6
                                      ORDER BY q.last_seen_at DESC, w.id) AS place
          FROM worker_queues q
          JOIN workers w ON w.id = q.worker_id AND w.principal_id = q.principal_id
          JOIN tenants t ON t.id = w.tenant_id
         WHERE q.last_seen_at >= $5
           AND ($1 OR w.tenant_id = ANY($2))
           AND ($3::text[] IS NULL OR t.code = ANY($3))
           AND ($4::text[] IS NULL OR q.task_queue = ANY($4))) s
 WHERE s.last_seen_at >= $6 OR s.place <= $7
 ORDER BY s.last_seen_at DESC, s.identity`

	listTaskQueueObservations = `
SELECT o.tenant_id, t.code AS tenant_code, o.task_queue, o.observed_at, o.pollers,
       o.workflow_count, o.workflow_age, o.activity_count, o.activity_age, o.failed_at, o.failure
  FROM task_queue_observations o
  JOIN tenants t ON t.id = o.tenant_id
 WHERE ($1 OR o.tenant_id = ANY($2))
   AND ($3::text[] IS NULL OR t.code = ANY($3))
   AND ($4::text[] IS NULL OR o.task_queue = ANY($4))`
)

// queueOf identifies the queue that a row is about.
type queueOf struct {
	TenantID   uuid.UUID
	TenantCode string
	TaskQueue  string
}

type needRow struct {
	queueOf
	Kind         domain.TaskQueueNeedKind
	Definition   string
	Action       string
	WorkflowType string
	Published    bool
	Versions     []int
}

type queueWorkerRow struct {
	queueOf
	ID            uuid.UUID
	Identity      string
	PrincipalID   uuid.UUID
	WorkflowTypes []string
	ActivityTypes []string
	LiveSince     time.Time
	LastSeenAt    time.Time
}

type observationRow struct {
	queueOf
	ObservedAt    *time.Time
	Pollers       []domain.Poller
	WorkflowCount int64
	WorkflowAge   time.Duration
	ActivityCount int64
	ActivityAge   time.Duration
	FailedAt      *time.Time
	Failure       string
}

func (o *observationRow) observation() *domain.TaskQueueObservation {
	if o.ObservedAt == nil && o.FailedAt == nil {
		return nil
	}
	observation := &domain.TaskQueueObservation{
		Pollers: o.Pollers, Failure: o.Failure,
		Backlogs: []domain.TaskBacklog{
			{Kind: domain.TaskKindWorkflow, Count: o.WorkflowCount, Age: o.WorkflowAge},
			{Kind: domain.TaskKindActivity, Count: o.ActivityCount, Age: o.ActivityAge},
		},
	}
	if o.ObservedAt != nil {
		observation.ObservedAt = *o.ObservedAt
	}
	if o.FailedAt != nil {
		observation.FailedAt = *o.FailedAt
	}
	return observation
}

// ListTaskQueues returns the task queues in the scope that a definition or a robot needs or for which a worker
// registered within registrationMemory, limited to the tenants with the codes and to the names if there are any. They
// are sorted by the tenant's code and the queue's name, and read in one round trip.
func (r *Reader) ListTaskQueues(
	ctx context.Context, scope AdministrationScope, tenantCodes, names []string, now time.Time,
) ([]domain.TaskQueue, error) {
	var needs []needRow
	var workers []queueWorkerRow
	var observations []observationRow
	args := []any{scope.Everywhere, scope.Tenants}
	for _, only := range [][]string{tenantCodes, names} {
		if len(only) > 0 {
			args = append(args, only)
		} else {
			args = append(args, nil)
		}
	}
	err := r.Read(
		ctx,
		pg.Q(listTaskQueueNeeds, args, pg.Into(&needs)),
		pg.Q(listTaskQueueWorkers, append(args[:4:4],
			now.Add(-registrationMemory), now.Add(-domain.WorkerOfflineAfter), shownOffline), pg.Into(&workers)),
		pg.Q(listTaskQueueObservations, args, pg.Into(&observations)),
	)
	if err != nil {
		return nil, pg.Translate("listing task queues", err)
	}
	return mergeTaskQueues(needs, workers, observations), nil
}

func mergeTaskQueues(needs []needRow, workers []queueWorkerRow, observations []observationRow) []domain.TaskQueue {
	queues := map[queueOf]*domain.TaskQueue{}
	at := func(of queueOf) *domain.TaskQueue {
		q, ok := queues[of]
		if !ok {
			q = &domain.TaskQueue{TenantID: of.TenantID, TenantCode: of.TenantCode, Name: of.TaskQueue}
			queues[of] = q
		}
		return q
	}
	for _, n := range needs {
		q := at(n.queueOf)
		slices.Sort(n.Versions)
		q.Needs = append(q.Needs, domain.TaskQueueNeed{
			Kind: n.Kind, Definition: n.Definition, Action: n.Action, WorkflowType: n.WorkflowType,
			Published: n.Published, Versions: n.Versions,
		})
	}
	for _, w := range workers {
		q := at(w.queueOf)
		q.Workers = append(q.Workers, domain.TaskQueueWorker{
			ID: w.ID, Identity: w.Identity, PrincipalID: w.PrincipalID,
			WorkflowTypes: w.WorkflowTypes, ActivityTypes: w.ActivityTypes, LiveSince: w.LiveSince, LastSeenAt: w.LastSeenAt,
		})
	}
	// Observations of queues that are no longer needed are left out.
	for i := range observations {
		if q, ok := queues[observations[i].queueOf]; ok {
			q.Observed = observations[i].observation()
		}
	}
	merged := make([]domain.TaskQueue, 0, len(queues))
	for _, q := range queues {
		slices.SortFunc(q.Needs, compareNeeds)
		merged = append(merged, *q)
	}
	slices.SortFunc(merged, func(a, b domain.TaskQueue) int {
		return cmp.Or(strings.Compare(a.TenantCode, b.TenantCode), strings.Compare(a.Name, b.Name))
	})
	return merged
}

// compareNeeds orders processes and their user actions by their definitions, then what business artifacts need, then
// what robots need.
func compareNeeds(a, b domain.TaskQueueNeed) int {
	last := func(n domain.TaskQueueNeed) int {
		return slices.Index([]domain.TaskQueueNeedKind{domain.NeedArtifactAction, domain.NeedRobot}, n.Kind)
	}
	return cmp.Or(cmp.Compare(last(a), last(b)), strings.Compare(a.Definition, b.Definition), cmp.Compare(a.Kind, b.Kind),
		strings.Compare(a.Action, b.Action), strings.Compare(a.WorkflowType, b.WorkflowType))
}
