package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewProcessAction contains the input of a user action. Other members than those for the action's type are ignored:
// Metadata and Entity, each a JSON object or nil, for START_RELATED_PROCESS; Text and MessageThreadID for
// CREATE_PROCESS_ITEM_MESSAGE; TaskThreadID for CREATE_TASK; SignalInput, a JSON object or nil, for
// SEND_WORKFLOW_SIGNAL. A thread is one of the process, nil for none.
type NewProcessAction struct {
	ID              *uuid.UUID
	Code            string
	Metadata        json.RawMessage
	Entity          json.RawMessage
	Text            string
	MessageThreadID *uuid.UUID
	TaskThreadID    *uuid.UUID
	SignalInput     json.RawMessage
}

// CreateProcessAction invokes a user action on a process, which may be finished, and reports whether it is new: with an
// id that the action of this code on the process has already, that action is returned as it is.
//
// START_WORKFLOW and DOWNLOADABLE are REQUESTED, for a worker to carry out. All others are COMPLETED when the call
// returns or, if refused, in ERROR with the reasons.
//
// It requires the rights in domain.UserAction.Obstacles and a true availability expression, otherwise it returns
// ACCESS_DENIED. Other errors: NOT_FOUND for the process, DEFINITION_NOT_FOUND for a code that its definition does not
// have, CONFLICT for an id that another action has, DEFINITION_NOT_PUBLISHED, and INVALID_STATE for a signal to a
// workflow that has ended.
func (s *Service) CreateProcessAction(
	ctx context.Context, call domain.Call, process uuid.UUID, in NewProcessAction,
) (action *domain.ProcessAction, created bool, err error) {
	id, now := idOr(in.ID), s.now()
	in.ID = &id
	outcome, err := attemptAction(func(cause *domain.Error) (outcome processActionOutcome, err error) {
		err = s.write(ctx, call, func(tx *persistence.Tx) (events domain.Events, err error) {
			outcome, events, err = s.attemptProcessAction(ctx, tx, call.Caller, process, in, now, cause)
			return events, err
		})
		return outcome, err
	})
	if outcome.fault != nil {
		if err := s.recordFault(ctx, outcome.fault); err != nil {
			return nil, false, err
		}
	}
	if err != nil {
		return nil, false, err
	}
	return outcome.action, outcome.created, nil
}

// processActionOutcome is the outcome of an attempt to invoke an action. fault is the failure of the availability
// expression, nil if there is none; an attempt that failed has it too.
type processActionOutcome struct {
	action  *domain.ProcessAction
	created bool
	fault   *availabilityFault
}

// attemptProcessAction invokes an action or, with the cause of a failed attempt, stores the failed action.
func (s *Service) attemptProcessAction(
	ctx context.Context, tx *persistence.Tx, caller domain.Caller, process uuid.UUID, in NewProcessAction,
	now time.Time, cause *domain.Error,
) (outcome processActionOutcome, events domain.Events, err error) {
	l, err := newTextLookUps(caller, now, nil, in.Metadata, in.Entity, in.SignalInput)
	if err != nil {
		return outcome, nil, err
	}
	prereqs, vals, err := persistence.Both(ctx, tx, persistence.PrepareProcessAction(caller, process, *in.ID, in.threadIDs(), now), l.readValues())
	if err != nil {
		return outcome, nil, err
	}
	existing := prereqs.Existing
	if existing != nil && existing.ProcessID == process && existing.Definition.Code == in.Code {
		return processActionOutcome{action: existing}, nil, nil
	}
	d, err := s.definitions.get(ctx, tx, prereqs.Process.Definition.Version)
	if err != nil {
		return outcome, nil, err
	}
	requested := d.findAction(in.Code)
	switch {
	case existing != nil && requested == nil:
		return outcome, nil, idTaken(nil)
	case existing != nil:
		return outcome, nil, idTaken(requested.accessError(&prereqs.ActionableProcess))
	case requested == nil:
		return outcome, nil, unknownAction(domain.FieldUserAction, "is not a user action of the process")
	}
	obstacle, fault := requested.firstObstacle(ctx, &prereqs.ActionableProcess, s.now())
	if fault != nil {
		outcome.fault = &availabilityFault{requested, &prereqs.ActionableProcess, fault}
	}
	if obstacle != "" {
		return outcome, nil, obstacle.Refusal()
	}
	outcome.created = true
	outcome.action, err = s.invokeUserAction(ctx, vals, d, requested, prereqs, in, cause)
	return outcome, vals.events, err
}

// threadIDs returns the threads that the request names.
func (in *NewProcessAction) threadIDs() []uuid.UUID {
	var ids []uuid.UUID
	for _, thread := range []*uuid.UUID{in.TaskThreadID, in.MessageThreadID} {
		if thread != nil {
			ids = append(ids, *thread)
		}
	}
	return ids
}

func (s *Service) invokeUserAction(
	ctx context.Context, vals *values, d *definition, requested *userAction, prereqs *persistence.ProcessActionPrerequisites,
	in NewProcessAction, cause *domain.Error,
) (*domain.ProcessAction, error) {
	p := &prereqs.Process
	a := &domain.ProcessAction{
		Action:    vals.newAction(*in.ID, p.TenantID, domain.NewActionDefinitionRef(d.ID, requested.Code)),
		ProcessID: p.ID, DefinitionVersion: d.Version, Type: requested.Type,
	}
	if cause != nil {
		if a.Type == domain.ProcessActionSendSignal {
			a.SignalName, a.Input = requested.SignalName, invalidInput(in.SignalInput, domain.FieldSignalInput, cause)
		}
		a.Refuse(cause, vals.caller.PrincipalID, vals.now)
		return a, insertProcessAction(vals.change, a)
	}
	var err error
	switch a.Type {
	case domain.ProcessActionStartWorkflow, domain.ProcessActionDownloadable:
		by, err := vals.actionWorkflow(p.TenantID, requested.WorkflowType, requested.TaskQueue)
		if err != nil {
			return nil, err
		}
		startWorkflow(vals.tx, domain.NewProcessActionRun(domain.NewID(), a, by), d.encryptionKey(), vals.now)
		return a, insertProcessAction(vals.change, a)
	case domain.ProcessActionStartRelatedProcess:
		err = s.startRelatedProcess(ctx, vals, a, requested, prereqs, in)
	case domain.ProcessActionCreateTask:
		err = createItemByAction(ctx, vals, a, d, prereqs, NewItem{DefinitionCode: requested.Item}, in.TaskThreadID, domain.FieldActionTaskThread)
	case domain.ProcessActionCreateThread:
		err = createItemByAction(ctx, vals, a, d, prereqs, NewItem{DefinitionCode: requested.Item}, nil, "")
	case domain.ProcessActionCreateMessage:
		if in.Text == "" {
			return nil, newActionError(domain.InvalidField(domain.FieldActionText, "is required"))
		}
		err = createItemByAction(ctx, vals, a, d, prereqs, NewItem{DefinitionCode: requested.Item, Text: in.Text},
			in.MessageThreadID, domain.FieldActionTextThread)
	case domain.ProcessActionSendSignal:
		err = sendSignal(ctx, vals, a, requested, *prereqs.RunID, in.SignalInput)
	}
	if err != nil {
		return nil, newActionError(err)
	}
	// One that has failed stays as it is.
	a.Complete(vals.caller.PrincipalID, vals.now)
	return a, insertProcessAction(vals.change, a)
}

// sendSignal sends the signal of an action, with its input, to the workflow of the
// process. An input that is not valid fails the action instead.
func sendSignal(
	ctx context.Context, vals *values, a *domain.ProcessAction, requested *userAction, run uuid.UUID, input json.RawMessage,
) (err error) {
	a.SignalName = requested.SignalName
	if a.Input, err = vals.prepareInitial(ctx, processActionSite(a), nil, input); err != nil {
		return nestError(domain.FieldSignalInput, "", err)
	}
	signal := domain.EngineCommand{
		ID: domain.NewID(), RunID: run, OrderKey: run, Kind: domain.CommandSignalAction,
		SignalName: requested.SignalName, ActionCode: requested.Code, CreatedAt: vals.now, NotBefore: vals.now,
	}
	if a.Input != nil {
		if !a.Input.Valid {
			a.Refuse(violationError(domain.FieldSignalInput, a.Input.Errors), vals.caller.PrincipalID, vals.now)
			return nil
		}
		signal.ActionInput = a.Input.Value
	}
	vals.tx.Enqueue(signal)
	return nil
}

// processActionSite returns the place of the input of an action. Its documents belong to
// the process.
func processActionSite(a *domain.ProcessAction) valueSite {
	return valueSite{
		tenant: a.TenantID, owner: domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: a.ProcessID},
		holder: domain.ValueHolder{ID: a.ID, Slot: domain.SlotData},
	}
}

func insertProcessAction(c *change, a *domain.ProcessAction) error {
	c.record(domain.ProcessActionEvent(domain.EventProcessActionCreated, a, c.caller.PrincipalID, c.now))
	return c.tx.InsertProcessAction(a)
}

// startRelatedProcess starts a process related to the process of the action.
func (s *Service) startRelatedProcess(
	ctx context.Context, vals *values, a *domain.ProcessAction, requested *userAction, prereqs *persistence.ProcessActionPrerequisites,
	in NewProcessAction,
) error {
	related := NewProcess{
		Metadata: in.Metadata, MetadataField: domain.FieldRelatedMetadata,
		Entity: in.Entity, EntityField: domain.FieldRelatedEntity, RelatedID: &a.ProcessID,
	}
	return s.startProcessOf(ctx, vals, &a.Action, domain.NewID(), related, &persistence.ProcessPrerequisites{
		Definitions: []persistence.FoundDefinition{prereqs.Startable[requested.ProcessDefinition]}, RelatedTenantID: &a.TenantID,
	})
}

// createItemByAction creates the item of an action, in a thread unless that is nil. The
// process may be finished: then no workflow is notified. field
// is the one that names the thread.
func createItemByAction(
	ctx context.Context, vals *values, a *domain.ProcessAction, d *definition, prereqs *persistence.ProcessActionPrerequisites,
	in NewItem, thread *uuid.UUID, field domain.Field,
) error {
	if thread != nil && !slices.Contains(prereqs.Threads, *thread) {
		return unknownThread(field)
	}
	p := &prereqs.Process
	in.Type = a.Type.ItemType()
	i := &domain.ProcessItem{
		ID: domain.NewID(), TenantID: p.TenantID, ProcessID: p.ID, ProcessDefinitionID: p.Definition.ID,
		Type: in.Type, Audit: a.Audit,
	}
	run := prereqs.RunID
	if p.Finished() || !prereqs.Relations.WorkflowOpen {
		run = nil
	}
	a.ItemID, a.ThreadID, i.ThreadID = &i.ID, thread, thread
	in.site = func() (*domain.Process, persistence.DeadlineClock, error) { return vals.tx.GetDeadlineSite(ctx, p.ID) }
	return putItem(ctx, vals, i, in, d, run, prereqs.SignalShape)
}
