package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const processSummaryColumns = `p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by, p.due_at`

const processColumns = processSummaryColumns + `,
       p.metadata, p.metadata_valid, p.metadata_errors, p.entity, p.entity_valid, p.entity_errors,
       p.subject, p.element_values`

// processWithRelations are processColumns of the process $3, with the related processes that the caller may see and its condition.
const processWithRelations = processColumns + `,
       ` + incomingProcesses + `,
       ` + outgoingProcesses + `, ` + conditionColumns

const (
	incomingProcesses = `ARRAY(SELECT p.id FROM process_relations r JOIN processes p ON p.id = r.from_id
              WHERE r.to_id = $3` + relatedVisibly
	outgoingProcesses = `ARRAY(SELECT p.id FROM process_relations r JOIN processes p ON p.id = r.to_id
              WHERE r.from_id = $3` + relatedVisibly
	relatedVisibly = ` AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
              ORDER BY p.created_at, p.id)`
)

func processSummaryFields(p *domain.Process) []any {
	return []any{
		&p.ID, &p.TenantID, &p.Definition.ID, &p.Definition.Version, &p.Definition.Code,
		&p.State, &p.InitiatorID, &p.CreatedBy, &p.CreatedAt, &p.LastModifiedBy, &p.LastModifiedAt,
		&p.DeletedAt, &p.DeletedBy, &p.DueAt,
	}
}

// scanProcess reads processColumns followed by the columns of more.
func scanProcess(p *domain.Process, more ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var metadata, entity storedValue
		var elements []byte
		fields := append(processSummaryFields(p), &metadata.document, &metadata.valid, &metadata.errors,
			&entity.document, &entity.valid, &entity.errors, &p.Subject, &elements)
		if err := pg.One(append(fields, more...)...)(rows); err != nil {
			return err
		}
		var err error
		if p.Metadata, err = metadata.value(); err != nil {
			return err
		}
		if p.Entity, err = entity.value(); err != nil {
			return err
		}
		p.Elements, err = readElements(elements)
		return err
	}
}

// scanRelatedProcess reads processWithRelations followed by the columns of more.
func scanRelatedProcess(caller domain.Caller, p *domain.Process, more ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var condition readCondition
		fields := append([]any{&p.Related.Incoming, &p.Related.Outcoming}, condition.fields()...)
		err := scanProcess(p, append(fields, more...)...)(rows)
		condition.show(caller, p)
		return err
	}
}

const getProcess = `
SELECT ` + processWithRelations + `
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

// GetProcess returns a process visible to the caller, or NOT_FOUND.
func (r *Reader) GetProcess(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Process, error) {
	var p domain.Process
	err := r.Read(ctx, pg.Q(getProcess, []any{caller.PrincipalID, caller.TenantIDs(), id}, scanRelatedProcess(caller, &p)))
	if err != nil {
		return nil, pg.Translate("reading a process", pg.NotFound(err, "process"))
	}
	return &p, nil
}

// LockedProcess is a process under lock with the caller's rights on it, and the run of its workflow, nil for a
// manual process.
type LockedProcess struct {
	*domain.Process
	Rights domain.ProcessRights
	RunID  *uuid.UUID
}

const lockProcess = `
SELECT ` + processWithRelations + `,
       ` + access.ManagesProcess + `,
       (SELECT r.id FROM engine_runs r WHERE r.kind = 'PROCESS' AND r.owner_id = p.id)
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
   FOR UPDATE OF p`

// LockProcess locks a process visible to the caller, or returns NOT_FOUND.
func LockProcess(caller domain.Caller, id uuid.UUID) Read[*LockedProcess] {
	locked := &LockedProcess{Process: &domain.Process{}}
	return Read[*LockedProcess]{[]pg.Query{pg.Q(
		lockProcess,
		[]any{caller.PrincipalID, caller.TenantIDs(), id},
		pg.OrNotFound("process", scanRelatedProcess(caller, locked.Process, &locked.Rights.Manages, &locked.RunID)),
	)}, func(tx *Tx) (*LockedProcess, error) {
		tx.Found(locked.ID, locked.Version())
		tx.process = locked.Process
		return locked, nil
	}}
}

// The version of the definition is looked up again, so that no row is inserted once it was deleted.
const insertProcess = `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at,
                       metadata, metadata_valid, metadata_errors, entity, entity_valid, entity_errors,
                       subject, element_values, due_at)
VALUES ($1, $2, $3,
        (SELECT v.version FROM process_definition_versions v WHERE v.version = $4 AND v.process_definition_id = $3),
        $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`

// InsertProcess stores a new process.
func (tx *Tx) InsertProcess(p *domain.Process) error {
	tx.process = p
	metadata, err := store(p.Metadata)
	if err != nil {
		return err
	}
	entity, err := store(p.Entity)
	if err != nil {
		return err
	}
	elements, err := storeElements(p.Elements)
	if err != nil {
		return err
	}
	tx.queue(insertProcess, p.ID, p.TenantID, p.Definition.ID, p.Definition.Version, p.Definition.Code, p.State,
		p.InitiatorID, p.CreatedBy, p.CreatedAt, p.LastModifiedBy, p.LastModifiedAt,
		metadata.document, metadata.valid, metadata.errors, entity.document, entity.valid, entity.errors,
		p.Subject, elements, p.DueAt)
	return nil
}

const insertProcessRelation = `
INSERT INTO process_relations (tenant_id, from_id, to_id)
VALUES ($1, $2, $3)`

// InsertProcessRelation stores that a new process originates from another one of its tenant.
func (tx *Tx) InsertProcessRelation(from uuid.UUID, p *domain.Process) {
	tx.queue(insertProcessRelation, p.TenantID, from, p.ID)
}

const updateProcess = `
UPDATE processes
   SET state = $2, initiator_id = $3, last_modified_by = $4, last_modified_at = $5,
       metadata = $6, metadata_valid = $7, metadata_errors = $8,
       entity = $9, entity_valid = $10, entity_errors = $11
 WHERE id = $1`

// UpdateProcess stores a process that is under lock.
func (tx *Tx) UpdateProcess(p *domain.Process) error {
	metadata, err := store(p.Metadata)
	if err != nil {
		return err
	}
	entity, err := store(p.Entity)
	if err != nil {
		return err
	}
	tx.queue(updateProcess, p.ID, p.State, p.InitiatorID, p.LastModifiedBy, p.LastModifiedAt,
		metadata.document, metadata.valid, metadata.errors, entity.document, entity.valid, entity.errors)
	return nil
}

const updateProcessState = `
UPDATE processes
   SET state = $2, last_modified_by = $3, last_modified_at = $4
 WHERE id = $1`

// UpdateProcessState stores the state of a process that is under lock.
func (tx *Tx) UpdateProcessState(p *domain.Process) {
	tx.queue(updateProcessState, p.ID, p.State, p.LastModifiedBy, p.LastModifiedAt)
}
