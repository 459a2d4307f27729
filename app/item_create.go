package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/commonmark"
	"github.com/procession-dev/procession/persistence"
)

// maxMessageText bounds the text of a message, in characters.
const maxMessageText = 100_000

// NewItem contains the input of CreateProcessItem. Data and ContextData are JSON
// objects or nil and belong to tasks, Text and MessageData to messages.
type NewItem struct {
	ID             *uuid.UUID
	Type           domain.ItemType
	ProcessID      uuid.UUID
	DefinitionCode string
	// DefinitionID and DefinitionVersion name the definition as DefinitionCode does.
	// All that are given have to name the same one.
	DefinitionID, DefinitionVersion *uuid.UUID
	// ThreadID is the thread of the process that a task or a message is attached to,
	// nil for none.
	ThreadID *uuid.UUID
	Owner    PrincipalKey
	// Plan is the planning of a task. The rules of the definition set the empty members.
	Plan        domain.TaskPlan
	Data        json.RawMessage
	ContextData json.RawMessage
	Text        string
	MessageData json.RawMessage
	// DataCode names the data structure that MessageData is of.
	DataCode string
	// Elements are values of elements of a task by their codes. Documents among them
	// are references to others, which are copied.
	Elements domain.ElementValues
	// ActivityToken names an activity of the process's workflow that is completed
	// with the task, nil for none.
	ActivityToken domain.ActivityToken

	// site returns the process with its values, and the clock of its deadlines.
	site func() (*domain.Process, persistence.DeadlineClock, error)
}

// CreateProcessItem (B22) creates an item in a running process and reports
// whether it is new: with an id that is in use, the existing item is returned
// unchanged. A task with an owner is created CLAIMED.
//
// It requires the Manager permission. Errors: NOT_FOUND for the process,
// PROCESS_FINISHED, DEFINITION_NOT_FOUND for the code, VALIDATION for an owner
// who is not an active principal of the tenant, FOUR_EYES for one who owns an opposed task, VALIDATION for a thread that is not of the
// process or not visible to the caller, CONFLICT for an id that is in use by an
// item of another process, type or definition, or by one not visible to the caller.
func (s *Service) CreateProcessItem(
	ctx context.Context, call domain.Call, in NewItem,
) (item *domain.ProcessItem, created bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	id, now := idOr(in.ID), s.now()
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, now, nil, in.Data, in.ContextData, in.MessageData)
		if err != nil {
			return nil, err
		}
		if err := l.addElements(in.Elements); err != nil {
			return nil, err
		}
		prereqs, vals, err := persistence.Both(ctx, tx, persistence.PrepareProcessItem(call.Caller, id, in.ProcessID, in.Owner, in.ThreadID), l.readValues())
		if err != nil {
			return nil, err
		}
		if prereqs.Process == nil {
			return nil, domain.NotFound("process")
		}
		if prereqs.Existing != nil {
			if !prereqs.ExistingVisible || !in.isOfItem(prereqs.Existing) {
				return nil, idTaken(prereqs.Process.CheckMayManage(prereqs.Process.Rights))
			}
			item, created = prereqs.Existing, false
			return waitAgain(tx, call.Caller, prereqs, in.ActivityToken, now)
		}
		item, created = nil, true
		item, err = s.addItem(ctx, vals, id, in, prereqs)
		return vals.events, err
	})
	return item, created && err == nil, err
}

// check refuses input that is invalid for every process.
func (in *NewItem) check() error {
	switch {
	case in.Type != domain.ItemMessage && !in.namesDefinition():
		return domain.InvalidField(domain.FieldItemDefinition, "is required for items of this type")
	case in.Type == domain.ItemMessage && in.Text == "" && in.MessageData == nil:
		return domain.InvalidField(domain.FieldItemMessage, "needs text, data or both")
	case utf8.RuneCountInString(in.Text) > maxMessageText:
		return domain.InvalidField(domain.FieldItemMessage, fmt.Sprintf("must have a text of at most %d characters", maxMessageText))
	case in.MessageData != nil && in.DataCode == "":
		return domain.InvalidField(domain.FieldMessageDataStructure, "is required with data")
	case in.Type == domain.ItemMessage && in.MessageData == nil && in.DataCode != "":
		return domain.InvalidField(domain.FieldMessageData, "is required with dataStructureDataDefinitionCode")
	case in.Type != domain.ItemTask && (in.Data != nil || in.ContextData != nil || !in.Plan.IsDefault()):
		return domain.InvalidField(domain.FieldItemTask, "is for items of type TASK")
	case in.Type == domain.ItemThread && in.ThreadID != nil:
		return domain.InvalidField(domain.FieldItemThread, "is for items of type TASK and MESSAGE")
	case in.Type != domain.ItemMessage && (in.Text != "" || in.MessageData != nil || in.DataCode != ""):
		return domain.InvalidField(domain.FieldItemMessage, "is for items of type MESSAGE")
	}
	_, err := in.Plan.Normalize(domain.FieldTaskDueAt, domain.FieldTaskFollowUpAt)
	return err
}

// namesDefinition reports whether a definition is named.
func (in *NewItem) namesDefinition() bool {
	return in.DefinitionCode != "" || in.DefinitionID != nil || in.DefinitionVersion != nil
}

// matchesDefinition reports whether d is the definition that is named.
func (in *NewItem) matchesDefinition(d *domain.DefinitionRef) bool {
	return (in.DefinitionCode == "" || d.Code == in.DefinitionCode) &&
		(in.DefinitionID == nil || d.ID == *in.DefinitionID) &&
		(in.DefinitionVersion == nil || d.Version == *in.DefinitionVersion)
}

// findDefinition finds the definition that is named.
func (in *NewItem) findDefinition(d *definition) (*itemDefinition, bool) {
	for _, item := range d.items {
		if item.Type == in.Type && in.matchesDefinition(&item.DefinitionRef) {
			return item, true
		}
	}
	return nil, false
}

// isOfItem reports whether i is of the process, the type and the definition of
// the item to create.
func (in *NewItem) isOfItem(i *domain.ProcessItem) bool {
	if i.ProcessID != in.ProcessID || i.Type != in.Type {
		return false
	}
	if i.Definition == nil {
		return !in.namesDefinition()
	}
	return in.namesDefinition() && in.matchesDefinition(i.Definition)
}

func (s *Service) addItem(
	ctx context.Context, vals *values, id uuid.UUID, in NewItem, prereqs *persistence.ItemPrerequisites,
) (*domain.ProcessItem, error) {
	tx, caller, now, process := vals.tx, vals.caller, vals.now, prereqs.Process
	if err := process.CheckMayWrite(process.Rights); err != nil {
		return nil, err
	}
	owner, err := resolvePrincipal(in.Owner, prereqs.Owner, process.TenantID, domain.FieldItemOwner)
	if err != nil {
		return nil, err
	}
	if in.ThreadID != nil && !slices.Contains(prereqs.Threads, *in.ThreadID) {
		return nil, unknownThread(domain.FieldItemThread)
	}
	if in.ActivityToken != nil {
		if err := mayWait(process, in.ActivityToken); err != nil {
			return nil, err
		}
	}
	d, err := s.definitions.get(ctx, tx, process.Definition.Version)
	if err != nil {
		return nil, err
	}
	if named, ok := in.findDefinition(d); ok && owner != nil {
		if err := prereqs.Owned.Of(d.OpposedTo(named.Code)).CheckOwner(*owner); err != nil {
			return nil, err
		}
	}
	i := &domain.ProcessItem{
		ID: id, TenantID: process.TenantID, ProcessID: process.ID, ProcessDefinitionID: process.Definition.ID,
		Type: in.Type, ThreadID: in.ThreadID, OwnerID: owner, Audit: domain.NewAudit(caller.PrincipalID, now),
	}
	in.site = func() (*domain.Process, persistence.DeadlineClock, error) { return process.Process, prereqs.Clock, nil }
	return i, putItem(ctx, vals, i, in, d, process.RunID, prereqs.SignalShape)
}

// putItem fills a new item and stores it. The workflow with the run, unless that
// is nil, is notified of a message or a thread that a person creates. Workflows of
// the older shape know of tasks only.
func putItem(
	ctx context.Context, vals *values, i *domain.ProcessItem, in NewItem, d *definition,
	run *uuid.UUID, shape domain.SignalShape,
) error {
	if err := fillItem(ctx, vals, i, in, d); err != nil {
		return err
	}
	if err := vals.tx.InsertProcessItem(i); err != nil {
		return err
	}
	if keys := commonmark.Mentions(in.Text); len(keys) > 0 {
		vals.tx.ResolveMentions(i, keys)
	}
	vals.record(domain.ItemEvent(domain.EventItemCreated, i, vals.caller.PrincipalID, vals.now))
	if i.Task != nil {
		vals.record(domain.TaskStateEvent(i, "", vals.caller.PrincipalID, vals.now))
		return assistOwner(ctx, vals.tx, vals.caller, i, d, vals.now)
	}
	if vals.caller.Type == domain.PrincipalUser && shape != domain.SignalShapeA {
		signalItem(vals.tx, i, run, shape, vals.now)
	}
	return nil
}

// fillItem gives a new item its definition and its content.
func fillItem(ctx context.Context, vals *values, i *domain.ProcessItem, in NewItem, d *definition) error {
	item := &itemDefinition{}
	if in.namesDefinition() {
		var ok bool
		if item, ok = in.findDefinition(d); !ok {
			return unknownDefinition(domain.FieldItemDefinition)
		}
		i.Definition = &item.DefinitionRef
	}
	var err error
	switch in.Type {
	case domain.ItemTask:
		i.Task = domain.NewTask(i.OwnerID != nil, vals.now)
		if i.Task.Data, err = vals.prepareInitial(ctx, itemSite(i, domain.SlotData), item.data, in.Data); err != nil {
			return err
		}
		if i.Task.ContextData, err = vals.prepareInitial(ctx, itemSite(i, domain.SlotContextData), item.contextData, in.ContextData); err != nil {
			return err
		}
		i.Task.ActivityToken = in.ActivityToken
		if i.Task.Plan, err = newPlan(ctx, &in, item, i.Task, vals.now); err != nil {
			return err
		}
		i.Task.Elements, err = vals.initialElements(ctx, itemSite(i, domain.SlotElement), item.elements, in.Elements)
		return err
	case domain.ItemMessage:
		i.Message, err = newMessage(ctx, vals, i, in, d)
		return err
	case domain.ItemThread:
	}
	return nil
}

// newMessage returns the content of a new message. Its data is held against the data
// structure as it was when the version of the process was published.
func newMessage(
	ctx context.Context, vals *values, i *domain.ProcessItem, in NewItem, d *definition,
) (*domain.Message, error) {
	message := &domain.Message{Text: in.Text}
	if in.MessageData == nil {
		return message, nil
	}
	schema, ok := d.structures[in.DataCode]
	if !ok {
		return nil, unknownDefinition(domain.FieldMessageDataStructure)
	}
	message.DataStructureCode = in.DataCode
	var err error
	message.Data, err = vals.prepareInitial(ctx, itemSite(i, domain.SlotMessageData), schema, in.MessageData)
	return message, err
}

func unknownThread(field domain.Field) error {
	return domain.InvalidField(field, "is not a thread of the process that is visible to you")
}

func unknownDefinition(field domain.Field) error {
	return &domain.Error{
		Kind: domain.KindNotFound, Code: domain.CodeDefinitionNotFound, Message: "definition not found",
		Details: []domain.Detail{{
			Code: domain.CodeDefinitionNotFound, Message: "names no definition of the process for this type",
			Field: field,
		}},
	}
}

// signalItem signals the workflow of the process about an item. Manual
// processes have no workflow.
func signalItem(
	tx *persistence.Tx, i *domain.ProcessItem, run *uuid.UUID, shape domain.SignalShape, now time.Time,
) {
	if run == nil {
		return
	}
	dataCode := ""
	if i.Message != nil {
		dataCode = i.Message.DataStructureCode
	}
	tx.Enqueue(domain.EngineCommand{
		ID: domain.NewID(), RunID: *run, OrderKey: *run, Kind: domain.CommandSignal, Shape: shape,
		ItemID: &i.ID, ItemType: i.Type, ItemCode: i.DefinitionCode(), DataCode: dataCode,
		CreatedAt: now, NotBefore: now,
	})
}
