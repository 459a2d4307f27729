package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ActionableProcess is a process with the facts that decide which of its user actions a principal may invoke.
type ActionableProcess struct {
	// Process lacks metadata, entity, elements and related processes.
	Process domain.Process
	// Relations lack the relations that depend on the action.
	Relations domain.UserActionRelations
	// RunID is the run of the process's workflow, nil for a manual process.
	RunID       *uuid.UUID
	SignalShape domain.SignalShape
	// Tasks are the newest tasks by code.
	Tasks map[string]availability.Task
	// Startable are the definitions, by code, that let the principal start processes in the tenant of the
	// process.
	Startable map[string]FoundDefinition
}

// Model returns the model against which availability expressions are evaluated at the time.
func (p *ActionableProcess) Model(now time.Time) availability.Model {
	return availability.Model{
		Now: now,
		Process: availability.Process{
			State: p.Process.State, CreatedAt: p.Process.CreatedAt, LastModifiedAt: p.Process.LastModifiedAt,
		},
		Tasks: p.Tasks,
	}
}

// RelationsTo returns the relations that decide about the action.
func (p *ActionableProcess) RelationsTo(action *domain.UserAction) domain.UserActionRelations {
	r := p.Relations
	r.Deleted = p.Process.Deleted()
	if related, ok := p.Startable[action.ProcessDefinition]; ok {
		r.StartsRelated, r.RelatedPublished = related.Rights.Initiates, related.Version != nil
	}
	return r
}

const (
	// Conditions that are not true of a row may be NULL.
	selectActionableProcess = `
SELECT ` + processSummaryColumns + `,
       ` + access.VisibleProcess + ` IS TRUE, p.initiator_id = $1,
       p.process_definition_id = ANY(` + access.ViewedProcessDefinitions + `), ` + access.ManagesProcess + `,
       r.id, coalesce(r.state IN ('PENDING', 'RUNNING'), false), coalesce(v.signal_shape, '')
  FROM processes p
  JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN engine_runs r ON r.kind = 'PROCESS' AND r.owner_id = p.id
 WHERE p.id = $3 AND ($4 OR p.tenant_id = ANY($2))`

	shareActionableProcess = selectActionableProcess + `
   FOR SHARE OF p`

	selectNewestTasks = `
SELECT DISTINCT ON (i.item_definition_code)
       i.item_definition_code, i.task_state, i.created_at, i.last_modified_at
  FROM process_items i
 WHERE i.process_id = $1 AND i.type = 'TASK'
 ORDER BY i.item_definition_code, i.created_at DESC, i.id DESC`

	selectStartableDefinitions = `
SELECT d.code, d.id, d.tenant_id, d.published_version,
       bool_or(g.permission = 'INITIATOR'), bool_or(g.permission = 'MANAGER'), ` + clockOfDefinition + `
  FROM processes p
  JOIN process_definitions d ON d.tenant_id = p.tenant_id
  JOIN process_definition_grants g ON g.process_definition_id = d.id AND ` + access.CallerIsGrantee + `
 WHERE p.id = $3 AND ($4 OR p.tenant_id = ANY($2)) AND g.permission IN ('INITIATOR', 'MANAGER')
 GROUP BY d.id`
)

// queries read the process, which may be in any of the tenants and not visible to the principal.
func (p *ActionableProcess) queries(process string, principal uuid.UUID, in AdministrationScope, id uuid.UUID) []pg.Query {
	args, r := []any{principal, in.Tenants, id, in.Everywhere}, &p.Relations
	return []pg.Query{
		pg.Q(process, args, pg.OrNotFound("process", pg.One(append(processSummaryFields(&p.Process),
			&r.Sees, &r.Initiator, &r.Viewer, &r.Manager, &p.RunID, &r.WorkflowOpen, &p.SignalShape)...))),
		pg.Q(selectNewestTasks, []any{id}, func(rows pgx.Rows) error {
			p.Tasks = map[string]availability.Task{}
			var code string
			var task availability.Task
			_, err := pgx.ForEachRow(rows, []any{&code, &task.State, &task.CreatedAt, &task.LastModifiedAt}, func() error {
				p.Tasks[code] = task
				return nil
			})
			return err
		}),
		pg.Q(selectStartableDefinitions, args, func(rows pgx.Rows) error {
			p.Startable = map[string]FoundDefinition{}
			defer rows.Close()
			for rows.Next() {
				var code string
				var d FoundDefinition
				fields := []any{&code, &d.ID, &d.TenantID, &d.Version, &d.Rights.Initiates, &d.Rights.Manages}
				if err := rows.Scan(append(fields, d.Clock.fields()...)...); err != nil {
					return err
				}
				p.Startable[code] = d
			}
			return rows.Err()
		}),
	}
}

// GetActionableProcess returns a process visible to the caller, or NOT_FOUND.
func (r *Reader) GetActionableProcess(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*ActionableProcess, error) {
	var p ActionableProcess
	err := r.Read(ctx, p.queries(selectActionableProcess, caller.PrincipalID, memberScope(caller), id)...)
	if err == nil && !p.Relations.Sees {
		err = domain.NotFound("process")
	}
	if err != nil {
		return nil, pg.Translate("reading the user actions of a process", err)
	}
	return &p, nil
}

// GetActionableProcessFor returns a process of the scope with the relations of the principal to it, and
// the principal, or NOT_FOUND for the process.
func (r *Reader) GetActionableProcessFor(
	ctx context.Context, in AdministrationScope, id, principal uuid.UUID,
) (*ActionableProcess, *PrincipalTenants, error) {
	var p ActionableProcess
	var who *PrincipalTenants
	queries := append(p.queries(selectActionableProcess, principal, in, id),
		lookUpPrincipal(PrincipalKey{ID: &principal}, &who))
	if err := r.Read(ctx, queries...); err != nil {
		return nil, nil, pg.Translate("reading the user actions of a process", err)
	}
	return &p, who, nil
}

// ProcessActionPrerequisites is the result of PrepareProcessAction.
type ProcessActionPrerequisites struct {
	ActionableProcess
	// Existing is the action that already has the id, on any process.
	Existing *domain.ProcessAction
	// Threads are the requested threads that belong to the process and are visible to the caller.
	Threads []uuid.UUID
}

const (
	getProcessActionByID = `
SELECT ` + processActionColumns + `
  FROM process_actions x
 WHERE x.id = $1`

	selectThreads = `
SELECT i.id
  FROM process_items i
 WHERE i.id = ANY($4) AND i.process_id = $3 AND i.tenant_id = ANY($2) AND i.type = 'THREAD' AND ` + access.VisibleItem
)

// threadsOf reads which of the ids are threads of the process that are visible to the caller.
func threadsOf(caller domain.Caller, process uuid.UUID, ids []uuid.UUID, threads *[]uuid.UUID) pg.Query {
	return pg.Q(
		selectThreads,
		[]any{caller.PrincipalID, caller.TenantIDs(), process, ids},
		func(rows pgx.Rows) (err error) {
			*threads, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		},
	)
}

// PrepareProcessAction reads the rows that an invocation of a user action depends on, or returns NOT_FOUND for the process. It
// blocks the process from being finished until the transaction ends.
func PrepareProcessAction(
	caller domain.Caller, process, id uuid.UUID, threads []uuid.UUID, now time.Time,
) Read[*ProcessActionPrerequisites] {
	var n ProcessActionPrerequisites
	queries := append(n.queries(shareActionableProcess, caller.PrincipalID, memberScope(caller), process),
		pg.Q(getProcessActionByID, []any{id}, scanProcessActionIfAny(&n.Existing, now)))
	if len(threads) > 0 {
		queries = append(queries, threadsOf(caller, process, threads, &n.Threads))
	}
	return Read[*ProcessActionPrerequisites]{queries, func(tx *Tx) (*ProcessActionPrerequisites, error) {
		if !n.Relations.Sees {
			return nil, domain.NotFound("process")
		}
		tx.Found(process, n.Process.Version())
		return &n, nil
	}}
}
