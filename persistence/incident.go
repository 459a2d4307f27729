package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	incidentColumns = `i.id, i.tenant_id, i.engine_run_id, i.run_id, i.kind, i.activity, i.attempts, i.worker, i.message, i.failure,
       i.fingerprint, i.state, i.acknowledged_at, i.acknowledged_by, i.muted_until, i.assignee_id, i.created_at, i.resolved_at, i.changed_at,
       ` + engineRunColumns

	runOfIncident = ` JOIN engine_runs r ON r.id = i.engine_run_id`

	fromIncidents = `incidents i` + runOfIncident
)

func incidentFields(i *domain.Incident, run *domain.EngineRun) []any {
	return append([]any{
		&i.ID, &i.TenantID, &i.RunID, &i.EngineRun, &i.Kind, &i.Activity, &i.Attempts, &i.Worker, &i.Message, &i.Failure,
		&i.Fingerprint, &i.State, &i.AcknowledgedAt, &i.AcknowledgedBy, &i.MutedUntil, &i.AssigneeID, &i.CreatedAt, &i.ResolvedAt, &i.ChangedAt,
	}, engineRunFields(run)...)
}

// scanIncident reads incidentColumns.
func scanIncident(row interface{ Scan(dest ...any) error }, i *domain.Incident, run *domain.EngineRun) error {
	err := row.Scan(incidentFields(i, run)...)
	i.Concern(*run)
	return err
}

const insertIncident = `
INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, run_id, kind, activity, attempts, worker, message, failure,
                       fingerprint, state, created_at, muted_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
        (SELECT m.muted_until FROM incident_mutes m WHERE m.tenant_id = $2 AND m.fingerprint = $12 AND m.muted_until > $14))`

// InsertIncident stores a new incident, muted if its cause is.
func (tx *Tx) InsertIncident(i domain.Incident) {
	tx.openedIncidents = append(tx.openedIncidents, i.Kind)
	tx.queue(insertIncident, i.ID, i.TenantID, i.ProcessID, i.RunID, i.EngineRun, i.Kind, i.Activity, i.Attempts, i.Worker,
		i.Message, i.Failure, i.Fingerprint, i.State, i.CreatedAt)
}

// OpenedIncidents returns the kinds of the incidents that the transaction stores.
func (tx *Tx) OpenedIncidents() []domain.IncidentKind { return tx.openedIncidents }

const updateIncident = `
UPDATE incidents
   SET state = $2, resolved_at = $3, attempts = $4, acknowledged_at = $5, acknowledged_by = $6, muted_until = $7, assignee_id = $8,
       changed_at = $9
 WHERE id = $1`

// UpdateIncident stores the state of an incident that is under lock.
func (tx *Tx) UpdateIncident(i domain.Incident) {
	tx.queue(updateIncident, i.ID, i.State, i.ResolvedAt, i.Attempts, i.AcknowledgedAt, i.AcknowledgedBy, i.MutedUntil, i.AssigneeID, i.ChangedAt)
}

const getIncident = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.id = $5 AND ` + incidentInScope

func oneIncident(i *domain.Incident, run *domain.EngineRun) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		_, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, scanIncident(row, i, run)
		})
		return err
	}
}

// scanIncidentIfAny reads incidentColumns of at most one row.
func scanIncidentIfAny(dest **domain.Incident) func(pgx.Rows) error {
	return pg.OrNil(dest, func(i *domain.Incident) func(pgx.Rows) error { return oneIncident(i, &domain.EngineRun{}) })
}

// GetIncident returns an incident in the scope with its newest comments, or NOT_FOUND.
func (r *Reader) GetIncident(
	ctx context.Context, scope AdministrationScope, id uuid.UUID,
) (*domain.Incident, []domain.IncidentComment, error) {
	var i domain.Incident
	var comments []domain.IncidentComment
	err := r.Read(ctx, pg.Q(getIncident, scope.args(id), oneIncident(&i, &domain.EngineRun{})),
		selectComments(scope, id, &comments))
	if err != nil {
		return nil, nil, pg.Translate("reading an incident", pg.NotFound(err, "incident"))
	}
	return &i, comments, nil
}

// LockedIncident is an incident together with its run and its process, all under
// lock. The process is nil for the run of an action on a business artifact.
type LockedIncident struct {
	Incident domain.Incident
	Process  *domain.Process
	// TaskState is the state of the task that a robot assisted with, nil for other runs.
	TaskState *domain.TaskState
	Run       domain.EngineRun
}

const (
	lockProcessOfIncident = `
SELECT ` + processSummaryColumns + `
  FROM processes p
 WHERE p.id = (SELECT i.process_id FROM incidents i WHERE i.id = $5 AND ` + incidentInScope + `)
   FOR UPDATE OF p`

	lockTaskOfIncident = `
SELECT t.task_state
  FROM process_items t
 WHERE t.id = (SELECT r.owner_id FROM ` + fromIncidents + `
                WHERE i.id = $5 AND r.kind = 'TASK_ROBOT' AND ` + incidentInScope + `)
   FOR SHARE OF t`

	lockIncident = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.id = $5 AND ` + incidentInScope + `
   FOR NO KEY UPDATE`
)

// LockIncident locks an incident in the scope, or returns NOT_FOUND.
func (tx *Tx) LockIncident(ctx context.Context, scope AdministrationScope, id uuid.UUID) (*LockedIncident, error) {
	var locked LockedIncident
	args := scope.args(id)
	err := tx.Read(
		ctx,
		pg.Q(lockProcessOfIncident, args, scanProcessIfAny(&locked.Process)),
		pg.Q(lockTaskOfIncident, args, pg.IfAny(&locked.TaskState)),
		pg.Q(lockIncident, args, oneIncident(&locked.Incident, &locked.Run)),
	)
	if err != nil {
		return nil, pg.NotFound(err, "incident")
	}
	tx.Found(id, locked.Incident.Version())
	return &locked, nil
}
