package app

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewProcessAction contains the input of a user action. Only what is of the
// action's type counts: Metadata and Entity, each a JSON object or nil, for
// START_RELATED_PROCESS; Text and MessageThreadID for
// CREATE_PROCESS_ITEM_MESSAGE; TaskThreadID for CREATE_TASK; SignalInput, a JSON
// object or nil, for SEND_WORKFLOW_SIGNAL. A thread is one of the process, nil for
// none.
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

// CreateProcessAction invokes a user action on a process, which may be finished,
// and reports whether it is new: with an id that the action of this code on the
// process has already, that action is returned as it is.
//
// START_WORKFLOW and DOWNLOADABLE are REQUESTED, for a worker to carry out. All
// others are COMPLETED when the call returns or, where what they do is refused, in
// ERROR with the reasons.
//
// It requires what domain.UserAction.Obstacles demands, and that the availability
// expression is true: otherwise ACCESS_DENIED. Other errors: NOT_FOUND for the
// process, DEFINITION_NOT_FOUND for a code that its definition does not have,
// CONFLICT for an id that another action has, DEFINITION_NOT_PUBLISHED, and
// INVALID_STATE for a signal to a workflow that has ended.
func (s *Service) CreateProcessAction(
	ctx context.Context, call domain.Call, process uuid.UUID, in NewProcessAction,
) (action *domain.ProcessAction, created bool, err error) {
	id, now := idOr(in.ID), s.now()
	var faulty func() error
	attempt := func(tx *persistence.Tx, failed *domain.Error) (domain.Events, error) {
		faulty = nil
		l, err := newTextLookUps(call.Caller, now, nil, in.Metadata, in.Entity, in.SignalInput)
		if err != nil {
			return nil, err
		}
		known, k, err := persistence.Both(ctx, tx, persistence.PrepareProcessAction(call.Caller, process, id, in.threadIDs(), now), l.readValues())
		if err != nil {
			return nil, err
		}
		existing := known.Existing
		if existing != nil && existing.ProcessID == process && existing.Definition.Code == in.Code {
			action, created = existing, false
			return nil, nil
		}
		d, err := s.definitions.get(ctx, tx, known.Process.Definition.Version)
		if err != nil {
			return nil, err
		}
		of := d.findAction(in.Code)
		switch {
		case existing != nil && of == nil:
			return nil, idTaken(nil)
		case existing != nil:
			return nil, idTaken(of.accessError(&known.ActionableProcess))
		case of == nil:
			return nil, unknownAction(domain.FieldUserAction, "is not a user action of the process")
		}
		obstacle, fault := of.firstObstacle(ctx, &known.ActionableProcess, s.now())
		if fault != nil {
			faulty = func() error { return s.recordFault(ctx, of, &known.ActionableProcess, fault) }
		}
		if obstacle != "" {
			return nil, obstacle.Refusal()
		}
		created = true
		action, err = s.invokeUserAction(ctx, k, id, d, of, known, in, failed)
		return k.events, err
	}
	err = carryOut(func(failed *domain.Error) error {
		return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) { return attempt(tx, failed) })
	})
	if faulty != nil {
		if err := faulty(); err != nil {
			return nil, false, err
		}
	}
	if err != nil {
		return nil, false, err
	}
	return action, created, nil
}

// threadIDs returns the threads that the request names.
func (in *NewProcessAction) threadIDs() []uuid.UUID {
	var asked []uuid.UUID
	for _, thread := range []*uuid.UUID{in.TaskThreadID, in.MessageThreadID} {
		if thread != nil {
			asked = append(asked, *thread)
		}
	}
	return asked
}

func (s *Service) invokeUserAction(
	ctx context.Context, k *values, id uuid.UUID, d *definition, of *userAction, known *persistence.NewProcessAction,
	in NewProcessAction, failed *domain.Error,
) (*domain.ProcessAction, error) {
	p := &known.Process
	a := &domain.ProcessAction{
		Action:    k.newAction(id, p.TenantID, domain.NewActionDefinitionRef(d.ID, of.Code)),
		ProcessID: p.ID, DefinitionVersion: d.Version, Type: of.Type,
	}
	if failed != nil {
		if a.Type == domain.ProcessActionSendSignal {
			a.SignalName, a.Input = of.SignalName, invalidInput(in.SignalInput, domain.FieldSignalInput, failed)
		}
		a.Refuse(failed, k.caller.PrincipalID, k.now)
		return a, insertProcessAction(k.change, a)
	}
	var err error
	switch a.Type {
	case domain.ProcessActionStartWorkflow, domain.ProcessActionDownloadable:
		by, err := k.actionWorkflow(p.TenantID, of.WorkflowType, of.TaskQueue)
		if err != nil {
			return nil, err
		}
		startWorkflow(k.tx, domain.NewProcessActionRun(domain.NewID(), a, by), d.encryptionKey(), k.now)
		return a, insertProcessAction(k.change, a)
	case domain.ProcessActionStartRelatedProcess:
		err = s.startRelatedProcess(ctx, k, a, of, known, in)
	case domain.ProcessActionCreateTask:
		err = createItemByAction(ctx, k, a, d, known, NewItem{DefinitionCode: of.Item}, in.TaskThreadID, domain.FieldActionTaskThread)
	case domain.ProcessActionCreateThread:
		err = createItemByAction(ctx, k, a, d, known, NewItem{DefinitionCode: of.Item}, nil, "")
	case domain.ProcessActionCreateMessage:
		if in.Text == "" {
			return nil, newActionError(domain.InvalidField(domain.FieldActionText, "is required"))
		}
		err = createItemByAction(ctx, k, a, d, known, NewItem{DefinitionCode: of.Item, Text: in.Text},
			in.MessageThreadID, domain.FieldActionTextThread)
	case domain.ProcessActionSendSignal:
		err = sendSignal(ctx, k, a, of, *known.RunID, in.SignalInput)
	}
	if err != nil {
		return nil, newActionError(err)
	}
	// One that has failed stays as it is.
	a.Complete(k.caller.PrincipalID, k.now)
	return a, insertProcessAction(k.change, a)
}

// sendSignal sends the signal of an action, with its input, to the workflow of the
// process. An input that is not valid fails the action instead.
func sendSignal(
	ctx context.Context, k *values, a *domain.ProcessAction, of *userAction, run uuid.UUID, input json.RawMessage,
) (err error) {
	a.SignalName = of.SignalName
	if a.Input, err = k.prepareInitial(ctx, processActionSite(a), nil, input); err != nil {
		return nestError(domain.FieldSignalInput, "", err)
	}
	signal := domain.EngineCommand{
		ID: domain.NewID(), RunID: run, OrderKey: run, Kind: domain.CommandSignalAction,
		SignalName: of.SignalName, ActionCode: of.Code, CreatedAt: k.now, NotBefore: k.now,
	}
	if a.Input != nil {
		if !a.Input.Valid {
			a.Refuse(violationError(domain.FieldSignalInput, a.Input.Errors), k.caller.PrincipalID, k.now)
			return nil
		}
		signal.ActionInput = a.Input.Value
	}
	k.tx.Enqueue(signal)
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

// startRelatedProcess starts a process that comes from that of the action.
func (s *Service) startRelatedProcess(
	ctx context.Context, k *values, a *domain.ProcessAction, of *userAction, known *persistence.NewProcessAction,
	in NewProcessAction,
) error {
	related := NewProcess{
		Metadata: in.Metadata, MetadataField: domain.FieldRelatedMetadata,
		Entity: in.Entity, EntityField: domain.FieldRelatedEntity, RelatedID: &a.ProcessID,
	}
	return s.startProcessOf(ctx, k, &a.Action, domain.NewID(), related, &persistence.NewProcess{
		Definitions: []persistence.FoundDefinition{known.Startable[of.ProcessDefinition]}, RelatedTenantID: &a.TenantID,
	})
}

// createItemByAction creates the item of an action, in a thread unless that is nil. The
// process may be finished: then no workflow is notified. field
// is the one that names the thread.
func createItemByAction(
	ctx context.Context, k *values, a *domain.ProcessAction, d *definition, known *persistence.NewProcessAction,
	in NewItem, thread *uuid.UUID, field domain.Field,
) error {
	if thread != nil && !slices.Contains(known.Threads, *thread) {
		return unknownThread(field)
	}
	p := &known.Process
	in.Type = a.Type.ItemType()
	i := &domain.ProcessItem{
		ID: domain.NewID(), TenantID: p.TenantID, ProcessID: p.ID, ProcessDefinitionID: p.Definition.ID,
		Type: in.Type, Audit: a.Audit,
	}
	run := known.RunID
	if p.Finished() || !known.Relations.WorkflowOpen {
		run = nil
	}
	a.ItemID, a.ThreadID, i.ThreadID = &i.ID, thread, thread
	return putItem(ctx, k, i, in, d, run, known.SignalShape)
}
