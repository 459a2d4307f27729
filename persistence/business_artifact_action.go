package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const artifactActionColumns = actionColumns + `,
       x.business_artifact_id, x.type, x.input, coalesce(x.input_valid, true), x.input_errors, x.process_definition_id, x.process_id,
       x.created_definition_id, coalesce(x.created_definition_code, ''), x.created_artifact_id, x.value`

// readArtifactAction reads artifactActionColumns followed by the columns of more from a row. now decides whether a
// document has expired.
func readArtifactAction(a *domain.BusinessArtifactAction, now time.Time, more ...any) func(scan func(...any) error) error {
	return func(scan func(...any) error) error {
		var action actionRow
		var input storedValue
		var createdDefinition *uuid.UUID
		var createdCode string
		fields := append(action.fields(), &a.ArtifactID, &a.Type, &input.document, &input.valid, &input.errors,
			&action.startedDefinition, &action.started, &createdDefinition, &createdCode, &a.CreatedID, &a.Value)
		err := scan(append(fields, more...)...)
		if err != nil {
			return err
		}
		a.Action = action.read(now)
		if createdDefinition != nil {
			a.CreatedDefinition = &domain.ArtifactDefinitionRef{ID: *createdDefinition, Code: createdCode}
		}
		a.Input, err = input.value()
		return err
	}
}

// scanArtifactAction is readArtifactAction for the only row.
func scanArtifactAction(a *domain.BusinessArtifactAction, now time.Time, more ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		return readArtifactAction(a, now, more...)(func(fields ...any) error { return pg.One(fields...)(rows) })
	}
}

// scanArtifactActionIfAny is scanArtifactAction for at most one row.
func scanArtifactActionIfAny(dest **domain.BusinessArtifactAction, now time.Time, more ...any) func(pgx.Rows) error {
	return pg.OrNil(dest, func(a *domain.BusinessArtifactAction) func(pgx.Rows) error {
		return scanArtifactAction(a, now, more...)
	})
}

const getArtifactAction = `
SELECT ` + artifactActionColumns + `
  FROM business_artifact_actions x
  JOIN business_artifacts a ON a.id = x.business_artifact_id
 WHERE x.id = $4 AND a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact

// GetBusinessArtifactAction returns an action on an artifact visible to the caller, or NOT_FOUND. now decides
// whether its document has expired.
func (r *Reader) GetBusinessArtifactAction(
	ctx context.Context, caller domain.Caller, artifact, id uuid.UUID, now time.Time,
) (*domain.BusinessArtifactAction, error) {
	var a domain.BusinessArtifactAction
	err := r.Read(ctx, pg.Q(
		getArtifactAction,
		[]any{caller.PrincipalID, caller.TenantIDs(), artifact, id},
		scanArtifactAction(&a, now),
	))
	if err != nil {
		return nil, pg.Translate("reading an action", pg.NotFound(err, "business artifact action"))
	}
	return &a, nil
}

// LockedArtifactAction is an artifact and the action with the requested id, both under lock. Action is nil when
// the artifact has no such action; Taken reports whether another artifact has. RunID is the run of the action's
// workflow, nil for an action without one.
type LockedArtifactAction struct {
	Artifact *LockedArtifact
	Action   *domain.BusinessArtifactAction
	RunID    *uuid.UUID
	Taken    bool
}

const (
	lockArtifactAction = `
SELECT ` + artifactActionColumns + `,
       (SELECT r.id FROM engine_runs r WHERE r.kind = 'BUSINESS_ARTIFACT_ACTION' AND r.owner_id = x.id)
  FROM business_artifact_actions x
 WHERE x.id = $2 AND x.business_artifact_id = $1
   FOR NO KEY UPDATE OF x`

	actionOfAnotherArtifact = `
SELECT EXISTS (SELECT 1 FROM business_artifact_actions x WHERE x.id = $2 AND x.business_artifact_id <> $1)`
)

// LockArtifactAction locks an artifact visible to the caller, or returns NOT_FOUND, together with the action
// that has the id.
func LockArtifactAction(
	caller domain.Caller, artifact, id uuid.UUID, now time.Time,
) Read[*LockedArtifactAction] {
	var locked LockedArtifactAction
	both := And(LockArtifact(caller, artifact), answer(&locked,
		pg.Q(lockArtifactAction, []any{artifact, id}, scanArtifactActionIfAny(&locked.Action, now, &locked.RunID)),
		pg.Q(actionOfAnotherArtifact, []any{artifact, id}, pg.One(&locked.Taken))))
	return Then(both, func(tx *Tx, found Pair[*LockedArtifact, LockedArtifactAction]) (*LockedArtifactAction, error) {
		locked.Artifact = found.First
		if locked.Action != nil {
			tx.Found(locked.Action.ID, locked.Action.Version())
		}
		return &locked, nil
	})
}

// ArtifactActionSource is an artifact with the specification of an action from its definition, nil when there is
// no such action. Created is the definition of the artifact that the action creates, nil when it creates none or
// the definition is not visible to the caller. Started is the definition of the process that it starts, empty
// when it starts none.
type ArtifactActionSource struct {
	Artifact domain.BusinessArtifact
	Rights   domain.ArtifactRights
	Action   *resource.ArtifactActionSpec
	Created  *FoundArtifactDefinition
	Started  []FoundDefinition
}

const (
	getArtifactAndRights = `
SELECT ` + artifactColumns + `, ` + access.EditsArtifact + `, ` + access.ManagesArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact

	fromActionOfArtifact = `
  FROM business_artifacts a
  JOIN resources d ON d.tenant_id = a.tenant_id AND d.kind = 'BusinessArtifactDefinition' AND d.id = a.definition_id
 CROSS JOIN json_array_elements(d.spec -> 'actions') AS c (action)`

	whereActionOfArtifact = `
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `
   AND c.action ->> 'code' = $4`

	getActionOfArtifact = `
SELECT c.action` + fromActionOfArtifact + whereActionOfArtifact

	getDefinitionOfCreated = `
SELECT ` + artifactDefinitionStateColumns + `,
       r.id = ANY(` + access.EditableArtifactDefinitions + `), r.id = ANY(` + access.ManagedArtifactDefinitions + `)` +
		fromActionOfArtifact + `
  JOIN resources r ON r.tenant_id = a.tenant_id AND r.kind = 'BusinessArtifactDefinition'
   AND r.code = c.action ->> 'businessArtifactDefinition'
   AND r.id = ANY(` + access.ReadableArtifactDefinitions + `)` + whereActionOfArtifact

	getDefinitionOfStarted = `
SELECT p.id, p.tenant_id, p.published_version,
       coalesce(bool_or(g.permission = 'INITIATOR'), false),
       coalesce(bool_or(g.permission = 'VIEWER'), false),
       coalesce(bool_or(g.permission = 'MANAGER'), false), ` + clockOfStarted + fromActionOfArtifact + `
  JOIN process_definitions p ON p.tenant_id = a.tenant_id AND p.code = c.action ->> 'processDefinition'
  LEFT JOIN process_definition_grants g ON g.process_definition_id = p.id AND ` + access.CallerIsGrantee +
		whereActionOfArtifact + `
 GROUP BY p.id`
)

// GetArtifactActionSource returns an artifact visible to the caller, or NOT_FOUND, with an action of its
// definition.
func (r *Reader) GetArtifactActionSource(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, code string,
) (*ArtifactActionSource, error) {
	var s ArtifactActionSource
	args := []any{caller.PrincipalID, caller.TenantIDs(), artifact}
	err := r.Read(ctx,
		pg.Q(getArtifactAndRights, args, scanArtifact(&s.Artifact, &s.Rights.Edits, &s.Rights.Manages)),
		pg.Q(getActionOfArtifact, append(args, code), func(rows pgx.Rows) error {
			return pg.IgnoreNoRows(pg.One(&s.Action)(rows))
		}),
		pg.Q(getDefinitionOfCreated, append(args, code), pg.OrNil(&s.Created, func(d *FoundArtifactDefinition) func(pgx.Rows) error {
			return pg.One(&d.ID, &d.Code, &d.TenantID, &d.ModifiedAt, &d.Rights.Edits, &d.Rights.Manages)
		})),
		pg.Q(getDefinitionOfStarted, append(args, code), func(rows pgx.Rows) (err error) {
			s.Started, err = pgx.CollectRows(rows, scanFoundDefinition)
			return err
		}))
	if err != nil {
		return nil, pg.Translate("reading an action of a definition", pg.NotFound(err, "business artifact"))
	}
	return &s, nil
}

// OpenArtifactAction is an unfinished action with its run.
type OpenArtifactAction struct {
	domain.BusinessArtifactAction
	RunID uuid.UUID
}

const lockOpenActionRuns = `
SELECT x.id, x.tenant_id, x.status, x.action_id, x.action_code, x.business_artifact_id, r.id
  FROM business_artifact_actions x
  JOIN engine_runs r ON r.kind = 'BUSINESS_ARTIFACT_ACTION' AND r.owner_id = x.id
 WHERE x.business_artifact_id = $1 AND x.status = 'REQUESTED'
   FOR NO KEY UPDATE OF x`

// LockArtifactAndOpenActions locks an artifact visible to the caller, deleted or not, or returns NOT_FOUND,
// together with its open actions. It returns the runs and documents needed to end these.
func (tx *Tx) LockArtifactAndOpenActions(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID,
) (*LockedArtifact, []OpenArtifactAction, error) {
	var open []OpenArtifactAction
	return Both(ctx, tx, LockArtifact(caller, artifact), answer(&open, pg.Q(
		lockOpenActionRuns,
		[]any{artifact},
		func(rows pgx.Rows) (err error) {
			open, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a OpenArtifactAction, err error) {
				return a, row.Scan(&a.ID, &a.TenantID, &a.Status, &a.Definition.ID, &a.Definition.Code, &a.ArtifactID, &a.RunID)
			})
			return err
		},
	)))
}

const insertArtifactAction = `
INSERT INTO business_artifact_actions (id, tenant_id, business_artifact_id, type, status, action_id, action_code,
                                       input, input_valid, input_errors, error, errors,
                                       process_definition_id, process_id,
                                       created_definition_id, created_definition_code, created_artifact_id, value,
                                       created_by, created_at, last_modified_by, last_modified_at, finished_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif($11, ''), $12, $13, $14, $15, nullif($16, ''),
        $17, $18, $19, $20, $21, $22, $23)`

// InsertArtifactAction stores a new action.
func (tx *Tx) InsertArtifactAction(a *domain.BusinessArtifactAction) error {
	input, err := store(a.Input)
	if err != nil {
		return err
	}
	startedDefinition, started := startedBy(&a.Action)
	var created domain.ArtifactDefinitionRef
	if a.CreatedDefinition != nil {
		created = *a.CreatedDefinition
	}
	tx.queue(insertArtifactAction, a.ID, a.TenantID, a.ArtifactID, a.Type, a.Status, a.Definition.ID, a.Definition.Code,
		input.document, input.valid, input.errors, a.Failure, storeDetails(a.Errors), startedDefinition, started,
		pg.Optional(created.ID), created.Code, a.CreatedID, jsonOrNull(a.Value),
		a.CreatedBy, a.CreatedAt, a.LastModifiedBy, a.LastModifiedAt, a.FinishedAt)
	return nil
}

const (
	lockArtifactDocument = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.id = $2 AND d.owner_kind = 'BUSINESS_ARTIFACT' AND d.owner_id = $1
   FOR NO KEY UPDATE OF d`

	keepDocument = `
UPDATE documents
   SET expires_at = greatest(expires_at, $2)
 WHERE id = $1 AND expires_at IS NOT NULL`
)

// LockArtifactDocument locks a document of an artifact, so that it cannot expire
// meanwhile, or returns nil when the artifact has no such document.
func (tx *Tx) LockArtifactDocument(ctx context.Context, artifact, id uuid.UUID) (*domain.Document, error) {
	var found []domain.Document
	err := tx.Read(ctx, pg.Q(lockArtifactDocument, []any{artifact, id}, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanDocument)
		return err
	}))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// KeepDocument extends the expiry of a document that is under lock to at least until.
func (tx *Tx) KeepDocument(id uuid.UUID, until time.Time) { tx.queue(keepDocument, id, until) }
