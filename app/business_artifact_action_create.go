package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// NewBusinessArtifactAction contains the input of an action. Other members than those for the action's type are
// ignored: WorkflowInput for START_WORKFLOW, DownloadInput for DOWNLOADABLE, Metadata and Entity for START_PROCESS,
// Value for CREATE_BUSINESS_ARTIFACT. Each is a JSON object or nil.
type NewBusinessArtifactAction struct {
	ID            *uuid.UUID
	Code          string
	WorkflowInput json.RawMessage
	DownloadInput json.RawMessage
	Metadata      json.RawMessage
	Entity        json.RawMessage
	Value         json.RawMessage
}

// CreateBusinessArtifactAction (B40) invokes an action on a business artifact and reports whether it is new: with an id
// that the action of this code has already, that action is returned as it is.
//
// START_WORKFLOW and DOWNLOADABLE are REQUESTED, for a worker to carry out, or in ERROR where their input violates its
// schema. START_PROCESS and CREATE_BUSINESS_ARTIFACT are COMPLETED when the call returns or, if refused, in ERROR with
// the reasons. These take a third round trip.
//
// It requires the Editor or the Manager permission on the artifact, and the permission to start the process or create
// the artifact; otherwise ACCESS_DENIED. Other errors: DEFINITION_NOT_FOUND for a code that the artifact's definition
// does not have, and CONFLICT for an id that another action has.
func (s *Service) CreateBusinessArtifactAction(
	ctx context.Context, call domain.Call, artifact uuid.UUID, in NewBusinessArtifactAction,
) (action *domain.BusinessArtifactAction, created bool, err error) {
	id, now := idOr(in.ID), s.now()
	in.ID = &id
	outcome, err := attemptAction(func(cause *domain.Error) (outcome artifactActionOutcome, err error) {
		err = s.write(ctx, call, func(tx *persistence.Tx) (events domain.Events, err error) {
			outcome, events, err = s.attemptArtifactAction(ctx, tx, call.Caller, artifact, in, now, cause)
			return events, err
		})
		return outcome, err
	})
	if err != nil {
		return nil, false, err
	}
	return outcome.action, outcome.created, nil
}

// artifactActionOutcome is the outcome of an attempt to invoke an action.
type artifactActionOutcome struct {
	action  *domain.BusinessArtifactAction
	created bool
}

// attemptArtifactAction invokes an action or, with the cause of a failed attempt, stores the failed action.
func (s *Service) attemptArtifactAction(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, artifact uuid.UUID, in NewBusinessArtifactAction,
	now time.Time, cause *domain.Error,
) (outcome artifactActionOutcome, events domain.Events, err error) {
	l, err := newTextLookUps(caller, now, &artifact, in.WorkflowInput, in.DownloadInput, in.Metadata, in.Entity, in.Value)
	if err != nil {
		return outcome, nil, err
	}
	locked, vals, err := persistence.Both(ctx, tx, persistence.LockArtifactAction(caller, artifact, *in.ID, now), l.readValues())
	if err != nil {
		return outcome, nil, err
	}
	if err := locked.Artifact.Rights.RequireEditor(); err != nil {
		return outcome, nil, err
	}
	if existing := locked.Action; existing != nil && existing.Definition.Code == in.Code {
		return artifactActionOutcome{action: existing}, nil, nil
	}
	if locked.Action != nil || locked.Taken {
		return outcome, nil, idTaken(nil)
	}
	action, err := s.invokeArtifactAction(ctx, vals, locked.Artifact, in, cause)
	if deleted := locked.Artifact.CheckKept(); deleted != nil && !domain.HasCode(err, domain.CodeAccessDenied) {
		return outcome, nil, deleted
	}
	return artifactActionOutcome{action, true}, vals.events, err
}

func (s *Service) invokeArtifactAction(
	ctx context.Context, vals *values, artifact *persistence.LockedArtifact, in NewBusinessArtifactAction, cause *domain.Error,
) (*domain.BusinessArtifactAction, error) {
	d, err := s.artifactDefinitions.getOfArtifact(ctx, vals.tx, artifact)
	if err != nil {
		return nil, err
	}
	spec := d.findAction(in.Code)
	if spec == nil {
		return nil, unknownArtifactAction()
	}
	a := &domain.BusinessArtifactAction{
		Action:     vals.newAction(*in.ID, artifact.TenantID, domain.NewActionDefinitionRef(d.ID, spec.Code)),
		ArtifactID: artifact.ID, Type: spec.Type,
	}
	input, field := in.inputOf(a.Type)
	if cause != nil {
		a.Input = invalidInput(input, field, cause)
		a.Refuse(cause, vals.caller.PrincipalID, vals.now)
		return a, insertArtifactAction(vals.change, a)
	}
	switch a.Type {
	case domain.ArtifactActionStartWorkflow, domain.ArtifactActionDownloadable:
		err = s.requestWorkflow(ctx, vals, a, d, spec, input, field)
	case domain.ArtifactActionStartProcess:
		err = s.invokeStartProcess(ctx, vals, a, artifact.Data, spec, in)
	case domain.ArtifactActionCreateArtifact:
		err = s.invokeCreateArtifact(ctx, vals, a, artifact.Data, spec, in.Value)
	}
	return a, newActionError(err)
}

// inputOf returns the input for the worker of an action of the type, and its field.
func (in *NewBusinessArtifactAction) inputOf(of domain.ArtifactActionType) (input json.RawMessage, field domain.Field) {
	switch of {
	case domain.ArtifactActionStartWorkflow:
		return in.WorkflowInput, domain.FieldWorkflowInput
	case domain.ArtifactActionDownloadable:
		return in.DownloadInput, domain.FieldDownloadInput
	case domain.ArtifactActionStartProcess, domain.ArtifactActionCreateArtifact:
	}
	return nil, ""
}

// requestWorkflow leaves the action to a worker, unless its input is not valid: then
// it has failed. field is the one with the input.
func (s *Service) requestWorkflow(
	ctx context.Context, vals *values, a *domain.BusinessArtifactAction,
	d *artifactDefinition, spec *resource.ArtifactActionSpec, input json.RawMessage, field domain.Field,
) error {
	schemas, err := d.schemas()
	if err != nil {
		return err
	}
	a.Input, err = vals.prepareInitial(ctx, artifactActionSite(a), schemas.inputs[spec.Code], input)
	if err != nil {
		return nestError(field, "", err)
	}
	if a.Input != nil && !a.Input.Valid {
		a.Refuse(violationError(field, a.Input.Errors), vals.caller.PrincipalID, vals.now)
		return insertArtifactAction(vals.change, a)
	}
	by, err := vals.actionWorkflow(a.TenantID, spec.WorkflowType, spec.TaskQueue)
	if err != nil {
		return err
	}
	startWorkflow(vals.tx, domain.NewArtifactActionRun(domain.NewID(), a, by), "", vals.now)
	return insertArtifactAction(vals.change, a)
}

func insertArtifactAction(c *change, a *domain.BusinessArtifactAction) error {
	c.record(domain.ArtifactActionEvent(domain.EventArtifactActionCreated, a, c.caller.PrincipalID, c.now))
	return c.tx.InsertArtifactAction(a)
}

// artifactActionSite returns the place of the input of an action. Its documents belong
// to the artifact.
func artifactActionSite(a *domain.BusinessArtifactAction) valueSite {
	return valueSite{
		tenant: a.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: a.ArtifactID},
		holder: domain.ValueHolder{ID: a.ID, Slot: domain.SlotData},
	}
}

// invokeStartProcess starts a process as CreateProcess does, with the caller as its initiator.
// PrepareBusinessArtifactStartProcess computes the default metadata.
func (s *Service) invokeStartProcess(
	ctx context.Context, vals *values, a *domain.BusinessArtifactAction,
	source *domain.JSONValue, spec *resource.ArtifactActionSpec, input NewBusinessArtifactAction,
) error {
	if len(spec.Prefill) > 0 {
		// The input was usually computed before.
		if err := vals.keepUnlinked(a.ArtifactID, source); err != nil {
			return err
		}
		if noMembers(input.Metadata) {
			var err error
			if input.Metadata, err = vals.prefill(source, spec); err != nil {
				return err
			}
		}
	}
	id, key := domain.NewID(), DefinitionKey{TenantID: &a.TenantID, Code: spec.ProcessDefinition}
	prereqs, _, err := persistence.Both(ctx, vals.tx, persistence.PrepareProcess(vals.caller, id, key, PrincipalKey{}, nil), vals.readMore())
	if err != nil {
		return err
	}
	in := NewProcess{
		Definition: key, Metadata: input.Metadata, MetadataField: domain.FieldStartedMetadata,
		Entity: input.Entity, EntityField: domain.FieldStartedEntity,
	}
	if err := s.startProcessOf(ctx, vals, &a.Action, id, in, prereqs); err != nil {
		return err
	}
	return insertArtifactAction(vals.change, a)
}

// invokeCreateArtifact creates an artifact as CreateBusinessArtifact does, from
// the value that was sent or else from the one that B43 computes.
func (s *Service) invokeCreateArtifact(
	ctx context.Context, vals *values, a *domain.BusinessArtifactAction,
	source *domain.JSONValue, spec *resource.ArtifactActionSpec, value json.RawMessage,
) error {
	// The input was usually computed by PrepareBusinessArtifactCreateArtifact before.
	if err := vals.keepUnlinked(a.ArtifactID, source); err != nil {
		return err
	}
	if value == nil {
		var err error
		if value, err = vals.prefill(source, spec); err != nil {
			return err
		}
	}
	id, key := domain.NewID(), DefinitionKey{TenantID: &a.TenantID, Code: spec.BusinessArtifactDefinition}
	prereqs, _, err := persistence.Both(ctx, vals.tx, persistence.PrepareArtifact(vals.caller, id, key), vals.readMore())
	if err != nil {
		return err
	}
	found, err := selectCreatableByAction(prereqs.Definitions)
	if err != nil {
		return err
	}
	created, err := s.addArtifact(ctx, vals, id, found.ArtifactDefinitionState, value)
	if err != nil {
		return nestError(domain.FieldArtifactValue, "", err)
	}
	a.CreatedDefinition, a.CreatedID = &created.Definition, &created.ID
	if created.Data != nil {
		a.Value = created.Data.Value
	}
	a.Complete(vals.caller.PrincipalID, vals.now)
	return insertArtifactAction(vals.change, a)
}

// prefill returns the value that an action computes from the data of its artifact. Its references are looked up with
// the next read.
func (vals *values) prefill(source *domain.JSONValue, spec *resource.ArtifactActionSpec) (json.RawMessage, error) {
	value, err := prefillMetadata(source, spec.Prefill)
	if err != nil {
		return nil, err
	}
	return value, vals.addText(value)
}

// noMembers reports whether there is no object, or one that is empty.
func noMembers(object json.RawMessage) bool {
	var members map[string]json.RawMessage
	return object == nil || json.Unmarshal(object, &members) == nil && len(members) == 0
}

// selectCreatableByAction is creatable for a definition that an action names instead
// of the caller. Its errors do not describe the definition.
func selectCreatableByAction(found []persistence.FoundArtifactDefinition) (persistence.FoundArtifactDefinition, error) {
	one, err := selectCreatable(found)
	if domain.HasCode(err, domain.CodeDefinitionNotFound) {
		err = domain.Denied("the Editor permission on the business artifact definition is required")
	}
	return one, err
}

// findAction finds the action with the code, nil when there is none.
func (d *artifactDefinition) findAction(code string) *resource.ArtifactActionSpec {
	for i := range d.Spec.Actions {
		if d.Spec.Actions[i].Code == code {
			return &d.Spec.Actions[i]
		}
	}
	return nil
}

func unknownArtifactAction() error {
	return unknownAction(domain.FieldArtifactAction, "is not an action of the business artifact")
}
