package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	selectDefinitionVersion = `
SELECT v.version, d.id, d.tenant_id, d.code, v.name,
       coalesce(v.workflow_type, ''), coalesce(v.task_queue, ''), coalesce(v.signal_shape, ''), v.runner_id,
       coalesce(v.encryption_key, ''), v.spec
  FROM process_definition_versions v
  JOIN process_definitions d ON d.id = v.process_definition_id
 WHERE v.version = $1`

	selectItemDefinitionVersions = `
SELECT d.id, v.version, d.code, v.type, v.name, v.spec
  FROM item_definition_versions v
  JOIN item_definitions d ON d.id = v.item_definition_id
 WHERE v.process_version = $1
 ORDER BY d.code`
)

// GetDefinitionVersion returns a version of a process definition with its item definitions. A version never
// changes, so the result may be cached. It reads on the connection of the transaction: a second connection per
// transaction could deadlock the pool.
func (tx *Tx) GetDefinitionVersion(ctx context.Context, version uuid.UUID) (*domain.ProcessDefinition, error) {
	return getDefinitionVersion(ctx, version, tx.Read)
}

// GetDefinitionVersion is Tx.GetDefinitionVersion outside a transaction.
func (r *Reader) GetDefinitionVersion(ctx context.Context, version uuid.UUID) (*domain.ProcessDefinition, error) {
	d, err := getDefinitionVersion(ctx, version, r.Read)
	return d, pg.Translate("reading a process definition", err)
}

func getDefinitionVersion(
	ctx context.Context, version uuid.UUID, read func(context.Context, ...pg.Query) error,
) (*domain.ProcessDefinition, error) {
	var d domain.ProcessDefinition
	var engine domain.EngineBinding
	var runner *uuid.UUID
	var spec []byte
	err := read(ctx,
		pg.Q(selectDefinitionVersion, []any{version}, pg.One(
			&d.Version, &d.ID, &d.TenantID, &d.Code, &d.Name,
			&engine.WorkflowType, &engine.TaskQueue, &engine.SignalShape, &runner, &engine.EncryptionKey, &spec)),
		pg.Q(selectItemDefinitionVersions, []any{version}, func(rows pgx.Rows) (err error) {
			d.Items, err = pgx.CollectRows(rows, scanItemDefinition)
			return err
		}))
	if err != nil {
		return nil, pg.NotFound(err, "process definition")
	}
	if runner != nil {
		engine.RunnerID = *runner
		d.Engine = &engine
	}
	if err := json.Unmarshal(spec, &d.Spec); err != nil {
		return nil, fmt.Errorf("reading the specification of process definition %s: %w", d.Code, err)
	}
	return &d, nil
}

func scanItemDefinition(row pgx.CollectableRow) (domain.ItemDefinition, error) {
	var d domain.ItemDefinition
	var spec []byte
	if err := row.Scan(&d.ID, &d.Version, &d.Code, &d.Type, &d.Name, &spec); err != nil {
		return d, err
	}
	if err := json.Unmarshal(spec, &d.Spec); err != nil {
		return d, fmt.Errorf("reading the specification of item definition %s: %w", d.Code, err)
	}
	return d, nil
}

// DefinitionKey identifies a process definition by its id, or by the tenant and its code. Without a tenant the
// code is searched in every tenant of the caller.
type DefinitionKey struct {
	ID       *uuid.UUID
	TenantID *uuid.UUID
	Code     string
}

// FoundDefinition is a process definition of one of the caller's tenants.
// Version is nil while no version is published.
type FoundDefinition struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Version  *uuid.UUID
	Rights   domain.DefinitionRights
	// Clock is the clock of deadlines.
	Clock DeadlineClock
}

// scanFoundDefinition reads a row of findDefinition.
func scanFoundDefinition(row pgx.CollectableRow) (d FoundDefinition, err error) {
	fields := []any{&d.ID, &d.TenantID, &d.Version, &d.Rights.Initiates, &d.Rights.Views, &d.Rights.Manages}
	return d, row.Scan(append(fields, d.Clock.fields()...)...)
}

const findDefinition = `
SELECT d.id, d.tenant_id, d.published_version,
       coalesce(bool_or(g.permission = 'INITIATOR'), false),
       coalesce(bool_or(g.permission = 'VIEWER'), false),
       coalesce(bool_or(g.permission = 'MANAGER'), false),
       ` + clockOfDefinition + `
  FROM process_definitions d
  LEFT JOIN process_definition_grants g ON g.process_definition_id = d.id AND ` + access.CallerIsGrantee + `
 WHERE d.tenant_id = ANY($2)
   AND ($3::uuid IS NULL OR d.id = $3)
   AND ($4::uuid IS NULL OR d.tenant_id = $4)
   AND ($5 = '' OR $3 IS NOT NULL OR d.code = $5)
 GROUP BY d.id
 LIMIT 2`

// ProcessPrerequisites is the result of PrepareProcess.
type ProcessPrerequisites struct {
	// Taken reports whether a process has the id already, in any tenant: see GetTakenProcess.
	Taken bool
	// Definitions are the definitions that match the key, two when the key is ambiguous.
	Definitions []FoundDefinition
	// Initiator is the requested initiator, nil when there is none.
	Initiator *PrincipalTenants
	// RelatedTenantID is the tenant of the process from which the new one originates, nil when none is visible
	// to the caller.
	RelatedTenantID *uuid.UUID
}

const (
	// Ids are rarely taken, and reading the whole process costs several times as much.
	processExists = `SELECT EXISTS (SELECT 1 FROM processes p WHERE p.id = $1)`

	tenantOfProcess = `
SELECT p.tenant_id
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND p.deleted_at IS NULL AND ` + access.VisibleProcess
)

// PrepareProcess reads the rows that the creation of a process depends on. The id of the originating process may be nil.
func PrepareProcess(
	caller domain.Caller, id uuid.UUID, key DefinitionKey, initiator PrincipalKey, related *uuid.UUID,
) Read[*ProcessPrerequisites] {
	n := &ProcessPrerequisites{}
	queries := []pg.Query{
		pg.Q(processExists, []any{id}, pg.One(&n.Taken)),
		pg.Q(
			findDefinition,
			[]any{caller.PrincipalID, caller.TenantIDs(), key.ID, key.TenantID, key.Code},
			func(rows pgx.Rows) (err error) {
				n.Definitions, err = pgx.CollectRows(rows, scanFoundDefinition)
				return err
			},
		),
	}
	if !initiator.Empty() {
		queries = append(queries, lookUpPrincipal(initiator, &n.Initiator))
	}
	if related != nil {
		args := []any{caller.PrincipalID, caller.TenantIDs(), related}
		queries = append(queries, pg.Q(tenantOfProcess, args, func(rows pgx.Rows) error {
			return pg.IgnoreNoRows(pg.One(&n.RelatedTenantID)(rows))
		}))
	}
	return Read[*ProcessPrerequisites]{queries, func(*Tx) (*ProcessPrerequisites, error) { return n, nil }}
}

// GetTakenProcess returns the process that has the id of a new one, nil if it is not visible to the caller.
func (tx *Tx) GetTakenProcess(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Process, error) {
	var p domain.Process
	found := false
	err := tx.Read(ctx, pg.Q(getProcess, []any{caller.PrincipalID, caller.TenantIDs(), id}, func(rows pgx.Rows) error {
		err := scanRelatedProcess(caller, &p)(rows)
		found = err == nil
		return pg.IgnoreNoRows(err)
	}))
	if err != nil || !found {
		return nil, err
	}
	tx.Found(p.ID, p.Version())
	tx.process = &p
	return &p, nil
}

// ItemPrerequisites is the result of PrepareProcessItem.
type ItemPrerequisites struct {
	// Existing is the item that already has the id, in any tenant.
	Existing *domain.ProcessItem
	// ExistingVisible reports whether Existing is visible to the caller.
	ExistingVisible bool
	// Process is the process, locked so that it cannot be finished meanwhile; nil when it is not visible to the
	// caller.
	Process *LockedProcess
	// SignalShape is the shape of signals to the process's workflow, empty without a workflow.
	SignalShape domain.SignalShape
	// Clock is the clock of deadlines.
	Clock DeadlineClock
	// Owner is the requested owner, nil when there is none.
	Owner *PrincipalTenants
	// Owned are the tasks of a process with opposed tasks that have an owner, nil unless an owner is requested.
	Owned domain.FourEyes
	// Threads are the requested threads that belong to the process and are visible to the caller.
	Threads []uuid.UUID
}

const (
	getItemByID = `
SELECT ` + itemWithLogs + `, (i.tenant_id = ANY($2) AND ` + access.VisibleItem + `) IS TRUE
  FROM process_items i
 WHERE i.id = $3`

	shareProcess = `
SELECT ` + processColumns + `,
       ` + access.ManagesProcess + `,
       (SELECT r.id FROM engine_runs r WHERE r.kind = 'PROCESS' AND r.owner_id = p.id),
       coalesce((SELECT v.signal_shape FROM process_definition_versions v WHERE v.version = p.process_version), ''),
       ` + clockOfProcess + `
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
   FOR SHARE OF p`
)

// PrepareProcessItem reads the rows that the creation of a process item depends on. thread is the thread to attach the item to,
// nil for none.
func PrepareProcessItem(
	caller domain.Caller, id, process uuid.UUID, owner PrincipalKey, thread *uuid.UUID,
) Read[*ItemPrerequisites] {
	n := &ItemPrerequisites{}
	var row itemRow
	var found bool
	locked := &LockedProcess{Process: &domain.Process{}}
	queries := []pg.Query{
		pg.Q(getItemByID, []any{caller.PrincipalID, caller.TenantIDs(), id}, func(rows pgx.Rows) error {
			err := pg.One(append(row.fieldsWithLogs(), &n.ExistingVisible)...)(rows)
			found = err == nil
			return pg.IgnoreNoRows(err)
		}),
		pg.Q(shareProcess, []any{caller.PrincipalID, caller.TenantIDs(), process}, func(rows pgx.Rows) error {
			err := scanProcess(locked.Process, append([]any{&locked.Rights.Manages, &locked.RunID, &n.SignalShape}, n.Clock.fields()...)...)(rows)
			if err == nil {
				n.Process = locked
			}
			return pg.IgnoreNoRows(err)
		}),
	}
	if !owner.Empty() {
		lock, tasks := ownedTasks(caller, process, &n.Owned)
		queries = slices.Concat([]pg.Query{lock}, queries, []pg.Query{lookUpPrincipal(owner, &n.Owner), tasks})
	}
	if thread != nil {
		queries = append(queries, threadsOf(caller, process, []uuid.UUID{*thread}, &n.Threads))
	}
	return Read[*ItemPrerequisites]{queries, func(tx *Tx) (_ *ItemPrerequisites, err error) {
		if found {
			n.Existing, err = row.processItem()
		}
		if n.ExistingVisible {
			tx.Found(row.item.ID, row.item.Version())
			tx.item = n.Existing
		}
		return n, err
	}}
}
