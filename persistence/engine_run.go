package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const engineRunColumns = `r.id, r.tenant_id, r.kind, r.owner_id, r.namespace, r.workflow_id, r.run_id,
       r.workflow_type, r.task_queue, r.state, r.action, r.robot, r.data_source, coalesce(r.encryption_key_id, ''),
       coalesce(r.finding, '')`

func engineRunFields(r *domain.EngineRun) []any {
	return []any{
		&r.ID, &r.TenantID, &r.Kind, &r.OwnerID, &r.Namespace, &r.WorkflowID, &r.RunID,
		&r.WorkflowType, &r.TaskQueue, &r.State, &r.Action, &r.Robot, &r.DataSource, &r.EncryptionKeyID, &r.Finding,
	}
}

func scanEngineRuns(dest *[]domain.EngineRun) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (domain.EngineRun, error) {
			var r domain.EngineRun
			err := row.Scan(engineRunFields(&r)...)
			return r, err
		})
		return err
	}
}

// storedWorkflowID is the workflow id in a namespace that several tenants share, or in one of the tenant alone.
const storedWorkflowID = `(SELECT CASE WHEN t.shared_namespace THEN t.code || '.' || $6::text ELSE $6 END FROM tenants t WHERE t.id = $2)`

const insertEngineRun = `
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, workflow_type, task_queue,
                         state, action, robot, data_source, created_at, last_active_at, extras)
VALUES ($1, $2, $3, $4, $5, ` + storedWorkflowID + `, $7, $8, $9, $10, $11, $12, $13, $13, $14)`

// InsertEngineRun stores a run that is yet to be started. In a namespace that several tenants share, the code of the tenant and a dot
// precede the id of its workflow.
func (tx *Tx) InsertEngineRun(run domain.EngineRun, now time.Time) {
	tx.queue(insertEngineRun, run.ID, run.TenantID, run.Kind, run.OwnerID, run.Namespace, run.WorkflowID,
		run.WorkflowType, run.TaskQueue, run.State, run.Action, run.Robot, run.DataSource, now, jsonOrNull(run.Extras))
}

// The run keeps the newest version of the key. The lock keeps the key from being deleted meanwhile. If the key
// is gone no run is inserted, so the command that starts it is refused and no workflow starts unencrypted.
const insertEncryptedRun = `
WITH newest AS (
    SELECT k.key_id
      FROM encryption_keys k
     WHERE k.tenant_id = $2 AND k.code = $15 AND k.sealed_value IS NOT NULL
     ORDER BY k.version DESC
     LIMIT 1
       FOR SHARE
)
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, workflow_type, task_queue,
                         state, action, robot, data_source, created_at, last_active_at, extras, encryption_key_id)
SELECT $1, $2, $3, $4, $5, ` + storedWorkflowID + `, $7, $8, $9, $10, $11, $12, $13, $13, $14, newest.key_id
  FROM newest`

// InsertEncryptedRun stores a run that is yet to be started and is encrypted with the newest version of the
// tenant's key with the code.
func (tx *Tx) InsertEncryptedRun(run domain.EngineRun, encryptionKey string, now time.Time) {
	tx.queue(insertEncryptedRun, run.ID, run.TenantID, run.Kind, run.OwnerID, run.Namespace, run.WorkflowID,
		run.WorkflowType, run.TaskQueue, run.State, run.Action, run.Robot, run.DataSource, now, jsonOrNull(run.Extras), encryptionKey)
}

// LockedRun is a run with its owner, both under lock: Process, ProcessAction, ArtifactAction or TaskState by the
// kind of the run, all nil for a run that outlived its action. Failed reports whether an incident exists for the
// failure of the requested attempt. The process has no values.
type LockedRun struct {
	Process        *domain.Process
	ProcessAction  *domain.ProcessAction
	ArtifactAction *domain.BusinessArtifactAction
	// TaskState is the state of the task that a robot assists with.
	TaskState *domain.TaskState
	Run       domain.EngineRun
	Failed    bool
}

const (
	// The owner is locked first: every transaction that locks both does it in this order.
	lockProcessOfWorkflow = `
SELECT ` + processSummaryColumns + `
  FROM processes p
 WHERE p.id = (SELECT r.owner_id FROM engine_runs r
                WHERE r.kind = 'PROCESS' AND r.namespace = $1 AND r.workflow_id = $2)
   FOR UPDATE OF p`

	lockProcessActionOfWorkflow = `
SELECT ` + processActionColumns + `
  FROM process_actions x
 WHERE x.id = (SELECT r.owner_id FROM engine_runs r
                WHERE r.kind = 'PROCESS_ACTION' AND r.namespace = $1 AND r.workflow_id = $2)
   FOR NO KEY UPDATE OF x`

	lockArtifactActionOfWorkflow = `
SELECT ` + artifactActionColumns + `
  FROM business_artifact_actions x
 WHERE x.id = (SELECT r.owner_id FROM engine_runs r
                WHERE r.kind = 'BUSINESS_ARTIFACT_ACTION' AND r.namespace = $1 AND r.workflow_id = $2)
   FOR NO KEY UPDATE OF x`

	lockTaskOfWorkflow = `
SELECT i.task_state
  FROM process_items i
 WHERE i.id = (SELECT r.owner_id FROM engine_runs r
                WHERE r.kind = 'TASK_ROBOT' AND r.namespace = $1 AND r.workflow_id = $2)
   FOR SHARE OF i`

	// The weaker lock allows commands for the run to be staged meanwhile.
	lockRunOfWorkflow = `
SELECT ` + engineRunColumns + `,
       EXISTS (SELECT 1 FROM incidents i WHERE i.engine_run_id = r.id AND i.run_id = $3 AND i.kind = 'FAILURE')
  FROM engine_runs r
 WHERE r.namespace = $1 AND r.workflow_id = $2
   FOR NO KEY UPDATE OF r`
)

// LockRunOfWorkflow locks the process, the action or the task that a workflow is
// the run of, together with the run, or returns NOT_FOUND for a workflow that the
// service did not start.
func (tx *Tx) LockRunOfWorkflow(ctx context.Context, c domain.RunEnd) (*LockedRun, error) {
	var locked LockedRun
	err := tx.Read(
		ctx,
		pg.Q(lockProcessOfWorkflow, []any{c.Namespace, c.WorkflowID}, scanProcessIfAny(&locked.Process)),
		pg.Q(
			lockProcessActionOfWorkflow,
			[]any{c.Namespace, c.WorkflowID},
			scanProcessActionIfAny(&locked.ProcessAction, c.ClosedAt),
		),
		pg.Q(
			lockArtifactActionOfWorkflow,
			[]any{c.Namespace, c.WorkflowID},
			scanArtifactActionIfAny(&locked.ArtifactAction, c.ClosedAt),
		),
		pg.Q(lockTaskOfWorkflow, []any{c.Namespace, c.WorkflowID}, pg.IfAny(&locked.TaskState)),
		pg.Q(
			lockRunOfWorkflow,
			[]any{c.Namespace, c.WorkflowID, c.RunID},
			pg.One(append(engineRunFields(&locked.Run), &locked.Failed)...),
		),
	)
	if err != nil {
		return nil, pg.NotFound(err, "engine run")
	}
	return &locked, nil
}

const (
	// The order prevents deadlocks. The processes are locked first, as everywhere.
	lockProcessesOfWorkflows = `
SELECT ` + processSummaryColumns + `
  FROM processes p
 WHERE p.id = ANY(ARRAY(SELECT r.owner_id FROM engine_runs r
                         WHERE r.kind = 'PROCESS' AND r.namespace = $1 AND r.workflow_id = ANY($2)))
 ORDER BY p.id
   FOR UPDATE OF p`

	lockRunsOfWorkflows = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.kind = 'PROCESS' AND r.namespace = $1 AND r.workflow_id = ANY($2)
 ORDER BY r.id
   FOR NO KEY UPDATE OF r`
)

// LockProcessesOfWorkflows locks the processes that workflows of a namespace are the runs of, together with the
// runs, by the ids of the workflows. Workflows of other kinds, and workflows that the service did not start, are left
// out. The processes have no values.
func (tx *Tx) LockProcessesOfWorkflows(
	ctx context.Context, namespace string, workflowIDs []string,
) (map[string]*LockedRun, error) {
	processes := map[uuid.UUID]*domain.Process{}
	var runs []domain.EngineRun
	args := []any{namespace, workflowIDs}
	err := tx.Read(
		ctx,
		pg.Q(lockProcessesOfWorkflows, args, func(rows pgx.Rows) error {
			_, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
				var p domain.Process
				err := row.Scan(processSummaryFields(&p)...)
				processes[p.ID] = &p
				return struct{}{}, err
			})
			return err
		}),
		pg.Q(lockRunsOfWorkflows, args, scanEngineRuns(&runs)),
	)
	if err != nil {
		return nil, pg.Translate("locking processes of workflows", err)
	}
	locked := make(map[string]*LockedRun, len(runs))
	for _, run := range runs {
		if p := processes[run.OwnerID]; p != nil {
			locked[run.WorkflowID] = &LockedRun{Process: p, Run: run}
		}
	}
	return locked, nil
}

// scanProcessIfAny reads processSummaryColumns of at most one row.
func scanProcessIfAny(dest **domain.Process) func(pgx.Rows) error {
	return pg.OrNil(dest, func(p *domain.Process) func(pgx.Rows) error { return pg.One(processSummaryFields(p)...) })
}

// LockOpenTasks locks the open tasks of a process that is under lock.
func (tx *Tx) LockOpenTasks(ctx context.Context, process uuid.UUID) ([]*domain.ProcessItem, error) {
	var items []*domain.ProcessItem
	err := tx.Read(ctx, openTasks(process, nil, &items))
	return items, err
}

const updateEngineRun = `
UPDATE engine_runs
   SET state = $2, run_id = $3, closed_at = $4, last_active_at = $5, finding = NULL, inspect_at = NULL
 WHERE id = $1`

// UpdateEngineRun stores the state of a run that is under lock and deletes its finding. closedAt is nil for a run that is
// open.
func (tx *Tx) UpdateEngineRun(run domain.EngineRun, closedAt *time.Time, now time.Time) {
	tx.queue(updateEngineRun, run.ID, run.State, run.RunID, closedAt, now)
}

const listOpenRunsOfWorkflows = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.namespace = $1 AND r.workflow_id = ANY($2) AND r.closed_at IS NULL`

// ListOpenRunsOfWorkflows returns, for the workflows with the given ids in a namespace, the runs that are not
// recorded as ended.
func (r *Reader) ListOpenRunsOfWorkflows(
	ctx context.Context, namespace string, workflowIDs []string,
) ([]domain.EngineRun, error) {
	var runs []domain.EngineRun
	err := r.Read(ctx, pg.Q(listOpenRunsOfWorkflows, []any{namespace, workflowIDs}, scanEngineRuns(&runs)))
	return runs, pg.Translate("listing open engine runs", err)
}

const listStaleRuns = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.namespace = $1 AND r.state = 'RUNNING' AND r.last_active_at < $2 AND r.id > $3
 ORDER BY r.id
 LIMIT $4`

// ListStaleRuns returns the next limit running runs after the id, of those in a namespace that the service last
// used before the given time.
func (r *Reader) ListStaleRuns(
	ctx context.Context, namespace string, before time.Time, after uuid.UUID, limit int,
) ([]domain.EngineRun, error) {
	var runs []domain.EngineRun
	err := r.Read(ctx, pg.Q(listStaleRuns, []any{namespace, before, after, limit}, scanEngineRuns(&runs)))
	return runs, pg.Translate("listing stale engine runs", err)
}

const oldestRun = `
SELECT min(r.created_at)
  FROM engine_runs r
 WHERE r.namespace = $1 AND r.state = 'RUNNING'`

// OldestRun returns when the oldest of the running runs of a namespace began, nil if none runs.
func (r *Reader) OldestRun(ctx context.Context, namespace string) (*time.Time, error) {
	var at *time.Time
	err := r.Read(ctx, pg.Q(oldestRun, []any{namespace}, pg.One(&at)))
	return at, pg.Translate("reading the oldest engine run", err)
}

const listNamespaces = `
SELECT DISTINCT t.namespace
  FROM tenants t
 ORDER BY t.namespace`

// ListNamespaces returns the Temporal namespaces of all tenants.
func (r *Reader) ListNamespaces(ctx context.Context) ([]string, error) {
	var namespaces []string
	err := r.Read(ctx, pg.Q(listNamespaces, nil, func(rows pgx.Rows) (err error) {
		namespaces, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	return namespaces, pg.Translate("listing namespaces", err)
}
