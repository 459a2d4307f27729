package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	listDueInspections = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.namespace = $1 AND r.inspect_at <= $2
 ORDER BY r.inspect_at
 LIMIT $3`

	// A workflow with a problem that Temporal does not report any more has recovered.
	requestInspections = `
UPDATE engine_runs r
   SET inspect_at = $2
 WHERE r.namespace = $1 AND r.state = 'RUNNING' AND (r.inspect_at > $2 OR r.inspect_at IS NULL)
   AND (r.workflow_id = ANY($3) AND r.finding IS DISTINCT FROM 'STUCK'
        OR $4 AND r.workflow_id <> ALL($3)
           AND r.id IN (SELECT i.engine_run_id FROM incidents i
                         WHERE i.tenant_id = r.tenant_id AND i.kind = 'WORKFLOW_TASK' AND i.state IN ('OPEN', 'DISMISSED'))
           AND r.finding = 'STUCK')`

	requestInspectionOfProcess = `
UPDATE engine_runs r
   SET inspect_at = $2
 WHERE r.owner_id = $1 AND r.kind = 'PROCESS' AND r.state = 'RUNNING' AND (r.inspect_at > $2 OR r.inspect_at IS NULL)`
)

// ListDueInspections returns the first limit runs of a namespace that are due for an inspection.
func (r *Reader) ListDueInspections(
	ctx context.Context, namespace string, now time.Time, limit int,
) ([]domain.EngineRun, error) {
	var runs []domain.EngineRun
	err := r.Read(ctx, pg.Q(listDueInspections, []any{namespace, now, limit}, scanEngineRuns(&runs)))
	return runs, pg.Translate("listing due inspections", err)
}

// RequestInspections makes inspections due of the workflows with problems that have no finding yet. If the list of
// problems is complete, workflows that have left it are due too.
func (db *DB) RequestInspections(
	ctx context.Context, namespace string, now time.Time, workflowIDs []string, complete bool,
) error {
	return pg.Translate("requesting inspections", db.Send(ctx, []pg.Query{
		pg.Q(requestInspections, []any{namespace, now, append([]string{}, workflowIDs...), complete}, pg.None),
	}))
}

// RequestInspection makes an inspection of the workflow of a process due at the given time, if it has one that runs.
func (tx *Tx) RequestInspection(process uuid.UUID, at time.Time) {
	tx.queue(requestInspectionOfProcess, process, at)
}

// InspectedRun is a run under lock with the state that an inspection depends on. Process is nil for the run of an action or
// a robot. UsedAt is the time of the last use of the workflow; Pending is set while commands for the workflow are to be
// carried out. Problem is the open incident of the running workflow, nil if there is none. Dismissed are the fingerprints of the
// incidents that were dismissed since the workflow is stuck.
type InspectedRun struct {
	Process   *domain.Process
	Run       domain.EngineRun
	Open      bool
	UsedAt    time.Time
	Pending   bool
	Problem   *domain.Incident
	Dismissed []string
}

const (
	lockProcessOfRun = `
SELECT ` + processSummaryColumns + `
  FROM processes p
 WHERE p.id = (SELECT r.owner_id FROM engine_runs r WHERE r.id = $1 AND r.kind = 'PROCESS')
   FOR SHARE OF p`

	lockInspectedRun = `
SELECT ` + engineRunColumns + `, r.last_active_at,
       EXISTS (SELECT 1 FROM engine_commands c WHERE c.engine_run_id = r.id),
       EXISTS (SELECT 1 FROM process_items o WHERE o.process_id = r.owner_id AND o.task_state IN ('READY', 'CLAIMED'))
       OR EXISTS (SELECT 1 FROM process_actions x WHERE x.process_id = r.owner_id AND x.status = 'REQUESTED'),
       ARRAY(SELECT n.fingerprint FROM incidents n
              WHERE n.engine_run_id = r.id AND n.state = 'DISMISSED' AND r.finding = 'STUCK' AND n.created_at >= r.finding_at)
  FROM engine_runs r
 WHERE r.id = $1
   FOR NO KEY UPDATE OF r`

	lockProblem = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.engine_run_id = $1 AND i.kind <> 'FAILURE' AND i.state = 'OPEN'
   FOR NO KEY UPDATE OF i`
)

// LockProblem locks the open incident of a run that is under lock and running, nil if there is none.
func (tx *Tx) LockProblem(ctx context.Context, run uuid.UUID) (*domain.Incident, error) {
	var problem *domain.Incident
	err := tx.Read(ctx, pg.Q(lockProblem, []any{run}, scanIncidentIfAny(&problem)))
	return problem, err
}

// LockInspectedRun locks a run, or returns NOT_FOUND.
func (tx *Tx) LockInspectedRun(ctx context.Context, id uuid.UUID) (*InspectedRun, error) {
	var locked InspectedRun
	err := tx.Read(
		ctx,
		pg.Q(lockProcessOfRun, []any{id}, scanProcessIfAny(&locked.Process)),
		pg.Q(lockInspectedRun, []any{id}, pg.One(append(engineRunFields(&locked.Run), &locked.UsedAt, &locked.Pending, &locked.Open, &locked.Dismissed)...)),
		pg.Q(lockProblem, []any{id}, scanIncidentIfAny(&locked.Problem)),
	)
	if err != nil {
		return nil, pg.NotFound(err, "engine run")
	}
	return &locked, nil
}

const updateFinding = `
UPDATE engine_runs
   SET finding = nullif($2, ''), unserved_queue = nullif($5, ''), inspect_at = $3,
       finding_at = CASE WHEN coalesce(finding, '') = $2 THEN finding_at ELSE $4 END
 WHERE id = $1`

// UpdateFinding stores the conclusion from an inspection of a run that is under lock.
func (tx *Tx) UpdateFinding(run uuid.UUID, d domain.Diagnosis, now time.Time) {
	tx.queue(updateFinding, run, d.Finding, d.InspectAt, now, d.Queue)
}
