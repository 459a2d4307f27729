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

const (
	// published and running are true of the needs n of versions that are published, and of versions to which running
	// processes are pinned: these need their task queues.
	published = `EXISTS (SELECT 1 FROM process_definitions d WHERE d.id = n.process_definition_id AND d.published_version = n.version)`
	running   = `EXISTS (SELECT 1 FROM processes p WHERE p.process_version = n.version AND p.state = 'RUNNING')`

	// otherNeeds are the workflows that actions on business artifacts and robots need, with their task queues.
	otherNeeds = `
    SELECT r.tenant_id, 'BUSINESS_ARTIFACT_ACTION' AS kind, r.code AS definition, a ->> 'code' AS action,
           a ->> 'workflowType' AS workflow_type, a ->> 'taskQueue' AS task_queue, 0 AS number, true AS published
      FROM resources r
     CROSS JOIN json_array_elements(r.spec -> 'actions') a
     WHERE r.kind = 'BusinessArtifactDefinition'
       AND a ->> 'taskQueue' IS NOT NULL AND a ->> 'workflowType' IS NOT NULL
     UNION ALL
    SELECT b.tenant_id, 'ROBOT', b.code, '', b.workflow_type, b.task_queue, 0, true
      FROM robots b
     WHERE b.task_queue IS NOT NULL AND b.workflow_type IS NOT NULL`

	// neededQueues are the task queues of all these.
	neededQueues = `
    SELECT n.tenant_id, n.task_queue
      FROM version_needs n
     WHERE ` + published + ` OR ` + running + `
     UNION
    SELECT o.tenant_id, o.task_queue
      FROM (` + otherNeeds + `) o`
)

const (
	// registeredQueues are the queues that workers registered for lately. After another principal took over its identity, a worker
	// is no longer on the queues of the earlier principal.
	registeredQueues = `
      FROM worker_queues q
      JOIN workers w ON w.id = q.worker_id AND w.principal_id = q.principal_id
      JOIN tenants t ON t.id = w.tenant_id
     WHERE q.last_seen_at >= $7
       AND ` + queueInScope + `
       AND ($5::text[] IS NULL OR t.code = ANY($5))
       AND ($6::text[] IS NULL OR q.task_queue = ANY($6))`

	// A row for each need of the queues of the page, at least one for each, and the number of all queues. One row without
	// a queue has the number where the page is empty. Whether processes run on a version is asked for the queues alone that
	// no other resource needs, and for the queues of the page.
	listTaskQueueNeeds = `
WITH others AS MATERIALIZED (
    SELECT o.*
      FROM (` + otherNeeds + `) o
     WHERE ($3 OR o.tenant_id = ANY($2))
), certain AS MATERIALIZED (
    SELECT n.tenant_id, n.task_queue
      FROM process_definitions d
      JOIN version_needs n ON n.version = d.published_version
     WHERE ` + needInScope + `
     UNION
    SELECT o.tenant_id, o.task_queue FROM others o
     UNION
    SELECT w.tenant_id, q.task_queue` + registeredQueues + `
), known AS (
    SELECT c.* FROM certain c
     UNION
    SELECT m.tenant_id, m.task_queue
      FROM (SELECT n.tenant_id, n.task_queue FROM version_needs n WHERE ` + needInScope + `
            EXCEPT SELECT c.* FROM certain c) m
     WHERE EXISTS (SELECT 1 FROM version_needs n
                    WHERE n.tenant_id = m.tenant_id AND n.task_queue = m.task_queue AND ` + running + `)
), queues AS MATERIALIZED (
    SELECT k.tenant_id, t.code AS tenant_code, k.task_queue
      FROM known k
      JOIN tenants t ON t.id = k.tenant_id
     WHERE ($5::text[] IS NULL OR t.code = ANY($5)) AND ($6::text[] IS NULL OR k.task_queue = ANY($6))
), page AS MATERIALIZED (
    SELECT q.*
      FROM queues q
     ORDER BY q.tenant_code COLLATE "C", q.task_queue COLLATE "C"
     LIMIT $8 OFFSET $9
), needed AS (
    SELECT n.tenant_id, n.kind, d.code AS definition, n.action, n.workflow_type, n.task_queue, n.number,
           n.version IS NOT DISTINCT FROM d.published_version AS published
      FROM page q
      JOIN version_needs n ON n.tenant_id = q.tenant_id AND n.task_queue = q.task_queue
      JOIN process_definitions d ON d.id = n.process_definition_id
     WHERE (n.version IS NOT DISTINCT FROM d.published_version OR ` + running + `) AND ` + needInScope + `
     UNION ALL
    SELECT o.* FROM others o
)
SELECT c.total, coalesce(q.tenant_id, '00000000-0000-0000-0000-000000000000') AS tenant_id,
       coalesce(q.tenant_code, '') AS tenant_code, coalesce(q.task_queue, '') AS task_queue,
       coalesce(n.kind, '') AS kind, coalesce(n.definition, '') AS definition, coalesce(n.action, '') AS action,
       coalesce(n.workflow_type, '') AS workflow_type, coalesce(bool_or(n.published), false) AS published,
       coalesce(array_agg(n.number) FILTER (WHERE NOT n.published), '{}') AS versions
  FROM (SELECT count(*) AS total FROM queues) c
  LEFT JOIN page q ON true
  LEFT JOIN needed n ON n.tenant_id = q.tenant_id AND n.task_queue = q.task_queue
 GROUP BY c.total, q.tenant_id, q.tenant_code, q.task_queue, n.kind, n.definition, n.action, n.workflow_type`

	listTaskQueueWorkers = `
SELECT s.tenant_id, s.tenant_code, s.task_queue, s.id, s.identity, s.principal_id,
       s.workflow_types, s.activity_types, s.live_since, s.last_seen_at
  FROM (SELECT w.tenant_id, t.code AS tenant_code, q.task_queue, w.id, w.identity, w.principal_id,
               q.workflow_types, q.activity_types, coalesce(q.live_since, q.last_seen_at) AS live_since, q.last_seen_at,
               row_number() OVER (PARTITION BY w.tenant_id, q.task_queue, q.last_seen_at < $8
                                      ORDER BY q.last_seen_at DESC, w.id) AS place` + registeredQueues + `) s
 WHERE s.last_seen_at >= $8 OR s.place <= $9
 ORDER BY s.last_seen_at DESC, s.identity`

	listTaskQueueObservations = `
SELECT o.tenant_id, t.code AS tenant_code, o.task_queue, o.observed_at, o.pollers,
       o.workflow_count, o.workflow_age, o.activity_count, o.activity_age, o.failed_at, o.failure
  FROM task_queue_observations o
  JOIN tenants t ON t.id = o.tenant_id
 WHERE ($2 OR o.tenant_id = ANY($1))
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
	Total        int64
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

// TaskQueueFilter narrows ListTaskQueues; empty fields match all.
type TaskQueueFilter struct {
	TenantCodes []string
	Names       []string
}

// ListTaskQueues returns a page of the task queues in the scope that a definition or a robot needs or for which a worker
// registered within registrationMemory. They are sorted by the tenant's code and the queue's name, and read in one round
// trip.
func (r *Reader) ListTaskQueues(
	ctx context.Context, scope AdministrationScope, filter TaskQueueFilter, page domain.PageRequest, now time.Time,
) (domain.Page[domain.TaskQueue], error) {
	result := domain.Page[domain.TaskQueue]{PageRequest: page}
	var needs []needRow
	var workers []queueWorkerRow
	var observations []observationRow
	codes, names := filter.TenantCodes, filter.Names
	if len(codes) == 0 {
		codes = nil
	}
	if len(names) == 0 {
		names = nil
	}
	registered := scope.args(codes, names, now.Add(-registrationMemory))
	err := r.Read(
		ctx,
		pg.Q(listTaskQueueNeeds, append(registered[:7:7], page.Size, int64(page.Number)*int64(page.Size)), pg.Into(&needs)),
		pg.Q(listTaskQueueWorkers, append(registered[:7:7], now.Add(-domain.WorkerOfflineAfter), shownOffline), pg.Into(&workers)),
		pg.Q(listTaskQueueObservations, []any{scope.SomeTenants(), scope.Everywhere, codes, names}, pg.Into(&observations)),
	)
	if err != nil {
		return result, pg.Translate("listing task queues", err)
	}
	result.Total = needs[0].Total
	result.Items = mergeTaskQueues(needs, workers, observations)
	return result, nil
}

// mergeTaskQueues returns the queues in needs with their workers and observations.
func mergeTaskQueues(needs []needRow, workers []queueWorkerRow, observations []observationRow) []domain.TaskQueue {
	queues := map[queueOf]*domain.TaskQueue{}
	for _, n := range needs {
		if n.TaskQueue == "" {
			continue
		}
		q, ok := queues[n.queueOf]
		if !ok {
			q = &domain.TaskQueue{TenantID: n.TenantID, TenantCode: n.TenantCode, Name: n.TaskQueue}
			queues[n.queueOf] = q
		}
		if n.Kind == "" {
			continue
		}
		slices.Sort(n.Versions)
		q.Needs = append(q.Needs, domain.TaskQueueNeed{
			Kind: n.Kind, Definition: n.Definition, Action: n.Action, WorkflowType: n.WorkflowType,
			Published: n.Published, Versions: n.Versions,
		})
	}
	for _, w := range workers {
		q, ok := queues[w.queueOf]
		if !ok {
			continue
		}
		q.Workers = append(q.Workers, domain.TaskQueueWorker{
			ID: w.ID, Identity: w.Identity, PrincipalID: w.PrincipalID,
			WorkflowTypes: w.WorkflowTypes, ActivityTypes: w.ActivityTypes, LiveSince: w.LiveSince, LastSeenAt: w.LastSeenAt,
		})
	}
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

// compareNeeds orders needs of processes and their user actions by their definitions, then needs of business artifacts, then
// needs of robots.
func compareNeeds(a, b domain.TaskQueueNeed) int {
	last := func(n domain.TaskQueueNeed) int {
		return slices.Index([]domain.TaskQueueNeedKind{domain.NeedArtifactAction, domain.NeedRobot}, n.Kind)
	}
	return cmp.Or(cmp.Compare(last(a), last(b)), strings.Compare(a.Definition, b.Definition), cmp.Compare(a.Kind, b.Kind),
		strings.Compare(a.Action, b.Action), strings.Compare(a.WorkflowType, b.WorkflowType))
}
