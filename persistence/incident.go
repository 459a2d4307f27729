package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	incidentColumns = `i.id, i.tenant_id, i.engine_run_id, i.run_id, i.kind, i.activity, i.attempts, i.worker, i.message, i.failure,
       i.fingerprint, i.state, i.acknowledged_at, i.acknowledged_by, i.muted_until, i.assignee_id, i.created_at, i.resolved_at,
       ` + engineRunColumns

	runOfIncident = ` JOIN engine_runs r ON r.id = i.engine_run_id`

	fromIncidents = `incidents i` + runOfIncident
)

func incidentFields(i *domain.Incident, run *domain.EngineRun) []any {
	return append([]any{
		&i.ID, &i.TenantID, &i.RunID, &i.EngineRun, &i.Kind, &i.Activity, &i.Attempts, &i.Worker, &i.Message, &i.Failure,
		&i.Fingerprint, &i.State, &i.AcknowledgedAt, &i.AcknowledgedBy, &i.MutedUntil, &i.AssigneeID, &i.CreatedAt, &i.ResolvedAt,
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
                       fingerprint, state, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

// InsertIncident stores a new incident.
func (tx *Tx) InsertIncident(i domain.Incident) {
	tx.queue(insertIncident, i.ID, i.TenantID, i.ProcessID, i.RunID, i.EngineRun, i.Kind, i.Activity, i.Attempts, i.Worker,
		i.Message, i.Failure, i.Fingerprint, i.State, i.CreatedAt)
}

const updateIncident = `
UPDATE incidents
   SET state = $2, resolved_at = $3, attempts = $4, acknowledged_at = $5, acknowledged_by = $6, muted_until = $7, assignee_id = $8
 WHERE id = $1`

// UpdateIncident stores the state of an incident that is under lock.
func (tx *Tx) UpdateIncident(i domain.Incident) {
	tx.queue(updateIncident, i.ID, i.State, i.ResolvedAt, i.Attempts, i.AcknowledgedAt, i.AcknowledgedBy, i.MutedUntil, i.AssigneeID)
}

const inScope = `($1 OR i.tenant_id = ANY($2))`

const getIncident = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.id = $3 AND ` + inScope

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

// GetIncident returns an incident in the scope, or NOT_FOUND.
func (r *Reader) GetIncident(ctx context.Context, scope AdministrationScope, id uuid.UUID) (*domain.Incident, error) {
	var i domain.Incident
	err := r.Read(ctx, pg.Q(getIncident, []any{scope.Everywhere, scope.Tenants, id}, oneIncident(&i, &domain.EngineRun{})))
	if err != nil {
		return nil, pg.Translate("reading an incident", pg.NotFound(err, "incident"))
	}
	return &i, nil
}

// IncidentFilter narrows a list of incidents; empty fields keep all.
type IncidentFilter struct {
	States      []domain.IncidentState
	ProcessIDs  []uuid.UUID
	TenantCodes []string
}

// ListIncidents returns a page of the incidents in the scope. They can be sorted
// by id and createdAt; without a key the newest comes first.
func (r *Reader) ListIncidents(
	ctx context.Context, scope AdministrationScope, filter IncidentFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Incident], error) {
	l := incidentList(scope, sort, filter.TenantCodes,
		listquery.AnyOf("i.state", filter.States),
		listquery.AnyOf("i.process_id", filter.ProcessIDs))
	l.Columns, l.Names = incidentColumns, runOfIncident
	return ReadPage(ctx, r, "listing incidents", &l, page, func(row pgx.CollectableRow) (i domain.Incident, err error) {
		return i, scanIncident(row, &i, &domain.EngineRun{})
	})
}

// incidentList is a list of incidents in the scope, of the tenants with the codes if there are any.
func incidentList(
	scope AdministrationScope, sort []domain.SortKey, tenantCodes []string, conditions ...listquery.Condition,
) listquery.List {
	return listquery.List{
		Table: "incidents i", Tenants: listquery.Within("i.tenant_id", scope.Everywhere, scope.Tenants),
		Where: append(conditions, listquery.MatchAny("i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", tenantCodes)),
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "i.created_at", Descending: true}, {SQL: "i.id", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "i.id"}, "createdAt": {SQL: "i.created_at"}},
		},
	}
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
 WHERE p.id = (SELECT i.process_id FROM incidents i WHERE i.id = $3 AND ` + inScope + `)
   FOR UPDATE OF p`

	lockTaskOfIncident = `
SELECT t.task_state
  FROM process_items t
 WHERE t.id = (SELECT r.owner_id FROM ` + fromIncidents + `
                WHERE i.id = $3 AND r.kind = 'TASK_ROBOT' AND ` + inScope + `)
   FOR SHARE OF t`

	lockIncident = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.id = $3 AND ` + inScope + `
   FOR NO KEY UPDATE`
)

// LockIncident locks an incident in the scope, or returns NOT_FOUND.
func (tx *Tx) LockIncident(ctx context.Context, scope AdministrationScope, id uuid.UUID) (*LockedIncident, error) {
	var locked LockedIncident
	args := []any{scope.Everywhere, scope.Tenants, id}
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
