package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const processActionColumns = actionColumns + `,
       x.process_id, x.type, x.started_definition_id, x.started_process_id, x.item_id, x.thread_id,
       coalesce(x.signal_name, ''), x.input, x.input_valid, x.input_errors,
       (SELECT y.process_version FROM processes y WHERE y.id = x.process_id)`

// processActionRow is a row of processActionColumns, to be converted to a domain.ProcessAction.
type processActionRow struct {
	actionRow

	of    domain.ProcessAction
	input storedValue
}

// fields returns the destinations of processActionColumns.
func (r *processActionRow) fields() []any {
	return append(r.actionRow.fields(), &r.of.ProcessID, &r.of.Type, &r.startedDefinition, &r.started,
		&r.of.ItemID, &r.of.ThreadID, &r.of.SignalName, &r.input.document, &r.input.valid, &r.input.errors,
		&r.of.DefinitionVersion)
}

// read converts the row. now decides whether its document has expired.
func (r *processActionRow) read(now time.Time) (domain.ProcessAction, error) {
	a := r.of
	a.Action = r.actionRow.read(now)
	var err error
	a.Input, err = r.input.value()
	return a, err
}

// scanProcessAction reads processActionColumns followed by the columns of more. now decides whether a document
// has expired.
func scanProcessAction(a *domain.ProcessAction, now time.Time, more ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var row processActionRow
		err := pg.One(append(row.fields(), more...)...)(rows)
		if err != nil {
			return err
		}
		*a, err = row.read(now)
		return err
	}
}

// scanProcessActionIfAny is scanProcessAction for at most one row.
func scanProcessActionIfAny(dest **domain.ProcessAction, now time.Time, more ...any) func(pgx.Rows) error {
	return pg.OrNil(dest, func(a *domain.ProcessAction) func(pgx.Rows) error { return scanProcessAction(a, now, more...) })
}

const getProcessAction = `
SELECT ` + processActionColumns + `
  FROM process_actions x
  JOIN processes p ON p.id = x.process_id
 WHERE x.id = $4 AND p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

// GetProcessAction returns an action on a process visible to the caller, or NOT_FOUND. now decides whether its
// document has expired.
func (r *Reader) GetProcessAction(
	ctx context.Context, caller domain.Caller, process, id uuid.UUID, now time.Time,
) (*domain.ProcessAction, error) {
	var a domain.ProcessAction
	err := r.Read(ctx, pg.Q(
		getProcessAction,
		[]any{caller.PrincipalID, caller.TenantIDs(), process, id},
		scanProcessAction(&a, now),
	))
	if err != nil {
		return nil, pg.Translate("reading a user action", pg.NotFound(err, "user action"))
	}
	return &a, nil
}

// ProcessActionSite is a process together with an action that was invoked on it.
type ProcessActionSite struct {
	Process domain.Process
	Rights  domain.ProcessRights
	// Action is nil when the process has none with the id.
	Action *domain.ProcessAction
	// RunID is the run of the action's workflow, nil for an action without one.
	RunID *uuid.UUID
}

const (
	selectActionSite = `
SELECT ` + processWithRelations + `, ` + access.ManagesProcess + `
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

	selectProcessAction = `
SELECT ` + processActionColumns + `,
       (SELECT r.id FROM engine_runs r WHERE r.kind = 'PROCESS_ACTION' AND r.owner_id = x.id)
  FROM process_actions x
 WHERE x.process_id = $1 AND x.id = $2`

	lockProcessAction = selectProcessAction + `
   FOR NO KEY UPDATE OF x`
)

func (s *ProcessActionSite) queries(action string, caller domain.Caller, process, id uuid.UUID, now time.Time) []pg.Query {
	return []pg.Query{
		pg.Q(
			selectActionSite,
			[]any{caller.PrincipalID, caller.TenantIDs(), process},
			pg.OrNotFound("process", scanRelatedProcess(caller, &s.Process, &s.Rights.Manages)),
		),
		pg.Q(action, []any{process, id}, scanProcessActionIfAny(&s.Action, now, &s.RunID)),
	}
}

// GetProcessActionSite returns a process visible to the caller with an action of it, or NOT_FOUND for the
// process.
func (r *Reader) GetProcessActionSite(
	ctx context.Context, caller domain.Caller, process, action uuid.UUID, now time.Time,
) (*ProcessActionSite, error) {
	var site ProcessActionSite
	if err := r.Read(ctx, site.queries(selectProcessAction, caller, process, action, now)...); err != nil {
		return nil, pg.Translate("reading an action of a process", err)
	}
	return &site, nil
}

// LockProcessAction is GetProcessActionSite with the action under lock.
func LockProcessAction(
	caller domain.Caller, process, action uuid.UUID, now time.Time,
) Read[*ProcessActionSite] {
	var site ProcessActionSite
	return Read[*ProcessActionSite]{site.queries(lockProcessAction, caller, process, action, now), func(tx *Tx) (*ProcessActionSite, error) {
		tx.Found(process, site.Process.Version())
		tx.process = &site.Process
		if site.Action != nil {
			tx.Found(site.Action.ID, site.Action.Version())
		}
		return &site, nil
	}}
}

const insertProcessAction = `
INSERT INTO process_actions (id, tenant_id, process_id, type, status, action_id, action_code,
                             started_definition_id, started_process_id, item_id, thread_id, signal_name,
                             input, input_valid, input_errors, error, errors,
                             created_by, created_at, last_modified_by, last_modified_at, finished_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12, ''), $13, $14, $15, nullif($16, ''),
        $17, $18, $19, $20, $21, $22)`

// InsertProcessAction stores a new action.
func (tx *Tx) InsertProcessAction(a *domain.ProcessAction) error {
	input, err := store(a.Input)
	if err != nil {
		return err
	}
	startedDefinition, started := startedBy(&a.Action)
	tx.queue(insertProcessAction, a.ID, a.TenantID, a.ProcessID, a.Type, a.Status, a.Definition.ID, a.Definition.Code,
		startedDefinition, started, a.ItemID, a.ThreadID, a.SignalName,
		input.document, input.valid, input.errors, a.Failure, storeDetails(a.Errors),
		a.CreatedBy, a.CreatedAt, a.LastModifiedBy, a.LastModifiedAt, a.FinishedAt)
	return nil
}
