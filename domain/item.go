package domain

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
)

// ItemType is the kind of a process item.
type ItemType string

// The item types.
const (
	ItemTask    ItemType = "TASK"
	ItemMessage ItemType = "MESSAGE"
	ItemThread  ItemType = "THREAD"
)

// ProcessItem is a task, a message or a thread of a process (specification
// section 2.10). Task is set for tasks only, Message for messages only.
// Definition is nil for a message that names none.
type ProcessItem struct {
	ID                  uuid.UUID
	TenantID            uuid.UUID
	ProcessID           uuid.UUID
	ProcessDefinitionID uuid.UUID
	Type                ItemType
	Definition          *DefinitionRef
	// ThreadID is the thread of the process that a task or a message is attached to,
	// nil for none.
	ThreadID *uuid.UUID
	OwnerID  *uuid.UUID
	Task     *Task
	Message  *Message
	// Names are the names of the owner and the definition, nil unless requested.
	Names *Names
	Audit
	// Deletion is the deletion of the process.
	Deletion
}

// Message is the content of a MESSAGE item: CommonMark text, data or both.
type Message struct {
	Text              string
	Data              *JSONValue
	DataStructureCode string
	// Mentions are the people that the text mentions and that may read the message.
	Mentions []uuid.UUID
}

// Data returns the data of a task or a message, nil for none.
func (i *ProcessItem) Data() *JSONValue {
	switch {
	case i.Task != nil:
		return i.Task.Data
	case i.Message != nil:
		return i.Message.Data
	}
	return nil
}

// ErrNotTask is returned when a task operation is called on an item of another type.
var ErrNotTask = errors.New("the process item is not a task")

// DefinitionCode returns the item definition's code, or "" when the item has none.
func (i *ProcessItem) DefinitionCode() string {
	if i.Definition == nil {
		return ""
	}
	return i.Definition.Code
}

// taskForChange returns the task block for a change, or INVALID_STATE for items that are deleted or not tasks. Callers check
// rights first, so that the refusal of a caller without the right does not depend on the state.
func (i *ProcessItem) taskForChange() (*Task, error) {
	if err := i.CheckKept(); err != nil {
		return nil, err
	}
	return i.Task, i.RequireTask()
}

// CheckKept refuses items of a deleted process with INVALID_STATE.
func (i *ProcessItem) CheckKept() error { return i.RequireKept("process of the item") }

// RequireTask refuses items that are not tasks with INVALID_STATE.
func (i *ProcessItem) RequireTask() error {
	if i.Task == nil {
		return &Error{
			Kind: KindConflict, Code: CodeInvalidState, Message: "the process item is not a task", Cause: ErrNotTask,
		}
	}
	return nil
}

func (i *ProcessItem) ownedBy(principal uuid.UUID) bool {
	return i.OwnerID != nil && *i.OwnerID == principal
}

// Claim makes the caller the owner of a READY task, or of a CLAIMED one that it delegated, and reports whether the owner
// changed. It returns false if the caller already owns the task, TASK_ALREADY_CLAIMED if another principal does, FOUR_EYES
// for the owner of an opposed task, and ACCESS_DENIED if the caller is neither a candidate nor the delegator.
func (i *ProcessItem) Claim(rights ItemRights, eyes FourEyes, by uuid.UUID, now time.Time) (bool, error) {
	if i.Task == nil {
		return false, i.CheckMayHandle(rights, by)
	}
	claimed, delegator := i.Task.State == TaskClaimed && i.ownedBy(by), i.Task.isDelegatedBy(by)
	if !claimed && !delegator && !rights.Candidate {
		return false, Denied("only a candidate of the task may claim it")
	}
	task, err := i.taskForChange()
	if err != nil || claimed {
		return false, err
	}
	action := claimTask
	if task.State == TaskClaimed {
		if !delegator {
			return false, Conflict(CodeTaskAlreadyClaimed, "the task is already claimed by another principal")
		}
		action = takeBackTask
	}
	if err := i.mayOwn(eyes, action, by); err != nil {
		return false, err
	}
	if err := task.act(action, now); err != nil {
		return false, err
	}
	i.setOwner(&by)
	i.touch(by, now)
	return true, nil
}

// CheckMayHandle refuses principals that may not assign or release the task and write to it: its owner and Managers may.
func (i *ProcessItem) CheckMayHandle(rights ItemRights, by uuid.UUID) error {
	if err := i.requireHandler(rights, by); err != nil {
		return err
	}
	_, err := i.taskForChange()
	return err
}

func (i *ProcessItem) requireHandler(rights ItemRights, by uuid.UUID) error {
	if !rights.Manages && !i.ownedBy(by) {
		return notOwned()
	}
	return nil
}

// mayOwn refuses an action that the state does not allow, and then an owner of an opposed task.
func (i *ProcessItem) mayOwn(eyes FourEyes, action taskAction, owner uuid.UUID) error {
	if _, err := taskTransitions.next(i.Task.State, action); err != nil {
		return err
	}
	return eyes.CheckOwner(owner)
}

// Assign makes owner the owner of an open task and reports whether that changed it. The owner of an opposed task is refused
// with FOUR_EYES. It does not check rights; see CheckMayHandle.
func (i *ProcessItem) Assign(eyes FourEyes, owner, by uuid.UUID, now time.Time) (bool, error) {
	task, err := i.taskForChange()
	if err != nil {
		return false, err
	}
	if task.State == TaskClaimed && i.ownedBy(owner) {
		return false, nil
	}
	if err := i.mayOwn(eyes, assignTask, owner); err != nil {
		return false, err
	}
	if err := task.act(assignTask, now); err != nil {
		return false, err
	}
	i.setOwner(&owner)
	i.touch(by, now)
	return true, nil
}

// Release returns a CLAIMED task to READY, without an owner, and reports whether that changed it. Principals that
// pass CheckMayHandle may. For a candidate, who may have been the owner, a READY task stays unchanged too.
func (i *ProcessItem) Release(rights ItemRights, by uuid.UUID, now time.Time) (bool, error) {
	if i.Task != nil && i.Task.State == TaskReady && rights.Candidate {
		return false, i.CheckKept()
	}
	if err := i.CheckMayHandle(rights, by); err != nil {
		return false, err
	}
	before := i.Task.State
	if err := i.Task.act(releaseTask, now); err != nil || i.Task.State == before {
		return false, err
	}
	i.setOwner(nil)
	i.touch(by, now)
	return true, nil
}

// Complete moves a task of the caller, or of a person for whom it substitutes, to COMPLETED and reports whether that changed it. A task of another owner
// is refused with TASK_NOT_OWNED, and so is one without an owner unless the caller may become its owner. Data that
// does not meet the requirements is refused with TASK_DATA_INVALID, a caller who completed an opposed task with FOUR_EYES,
// and so is a substitute of an owner who did.
func (i *ProcessItem) Complete(require TaskRequirements, rights ItemRights, by uuid.UUID, now time.Time) (bool, error) {
	mayOwn := i.OwnerID == nil && (rights.Candidate || rights.Manages)
	if !mayOwn && !i.ownedBy(by) && !rights.Substitute {
		return false, notOwned()
	}
	task, err := i.taskForChange()
	if err != nil {
		return false, err
	}
	if task.State == TaskCompleted {
		return false, nil
	}
	if task.State == TaskClaimed {
		if err := require.FourEyes.checkCompletion(by, *i.OwnerID); err != nil {
			return false, err
		}
		if err := task.check(require); err != nil {
			return false, err
		}
	}
	if err := task.act(completeTask, now); err != nil {
		return false, err
	}
	if !i.ownedBy(by) {
		task.SubstituteID = &by
	}
	i.touch(by, now)
	return true, nil
}

// TaskRequirements are the requirements of a definition for a completed task: for its data, and for the person.
type TaskRequirements struct {
	// ValidData requires that the data is valid.
	ValidData bool
	// Elements are the elements; mandatory ones require a value.
	Elements []ElementDefinition
	FourEyes FourEyes
}

// check refuses data that does not meet the requirements.
func (t *Task) check(require TaskRequirements) error {
	valid := (t.Data == nil || t.Data.Valid) && t.Elements.Valid()
	if require.ValidData && !valid {
		return t.invalidData()
	}
	return t.checkMandatory(require.Elements)
}

// invalidData refuses to complete the task, and names every place of its data that is not valid: by a JSON Pointer into
// the data, and an element as if it was a member of it.
func (t *Task) invalidData() *Error {
	refusal := Conflict(CodeTaskDataInvalid, "the data of the task is not valid")
	name := func(pointer, message string) {
		refusal.Details = append(refusal.Details, Detail{Code: CodeTaskDataInvalid, Message: message, Location: pointer})
	}
	if t.Data != nil {
		for _, e := range t.Data.Errors {
			name(e.PropertyPath, cmp.Or(e.Message, "violates the keyword "+e.Type+" of its schema"))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(t.Elements)) {
		if !t.Elements.onlyElement(code).Valid() {
			name("/"+code, "is not valid")
		}
	}
	return refusal
}

// checkMandatory refuses to complete a task in which mandatory elements have no value, and names them.
func (t *Task) checkMandatory(definitions []ElementDefinition) error {
	refusal := Conflict(CodeTaskDataInvalid, "a mandatory element of the task has no value")
	for i, d := range definitions {
		if !t.Elements.Complete(definitions[i : i+1]) {
			refusal.Details = append(refusal.Details, Detail{Code: CodeTaskDataInvalid, Message: "is mandatory", Location: "/" + d.Code})
		}
	}
	if len(refusal.Details) == 0 {
		return nil
	}
	return refusal
}

// Reopen makes a completed task CLAIMED by its former owner.
func (i *ProcessItem) Reopen(by uuid.UUID, now time.Time) error {
	task, err := i.taskForChange()
	if err != nil {
		return err
	}
	if err := task.act(reopenTask, now); err != nil {
		return err
	}
	task.SubstituteID = nil
	i.touch(by, now)
	return nil
}

// CheckMayRepair refuses a repair of the data of a cancelled task.
func (i *ProcessItem) CheckMayRepair() error {
	task, err := i.taskForChange()
	if err != nil {
		return err
	}
	_, err = taskTransitions.next(task.State, repairTask)
	return err
}

// Cancel moves an open task to CANCELLED and reports whether that changed it. Other items stay unchanged.
func (i *ProcessItem) Cancel(by uuid.UUID, now time.Time) bool {
	if i.Task == nil || i.Task.act(cancelTask, now) != nil {
		return false
	}
	i.touch(by, now)
	return true
}

// CheckMayWriteTask refuses principals that may not write the data of the task. Principals that pass
// CheckMayHandle may while the task is open, and so may the substitute of an absent owner. The process may be finished: its
// open tasks stay open.
func (i *ProcessItem) CheckMayWriteTask(rights ItemRights, by uuid.UUID) error {
	if !rights.Substitute {
		if err := i.requireHandler(rights, by); err != nil {
			return err
		}
	}
	if _, err := i.taskForChange(); err != nil {
		return err
	}
	_, err := taskTransitions.next(i.Task.State, saveTask)
	return err
}

// CheckMayWriteContext refuses principals that may not write the context data of the task. Managers, among them the
// application that runs the process, may while the task is open; the owner may not.
func (i *ProcessItem) CheckMayWriteContext(rights ItemRights, by uuid.UUID) error {
	if !rights.Manages {
		return Denied("only Managers and the application that runs the process may write context data")
	}
	return i.CheckMayWriteTask(rights, by)
}

// SetTaskData replaces the data of a task that may be written to.
func (i *ProcessItem) SetTaskData(value JSONValue, by uuid.UUID, now time.Time) {
	i.Task.Data = &value
	i.touch(by, now)
}

// SetTaskElement replaces the values of an element of a task that may be written
// to.
func (i *ProcessItem) SetTaskElement(code string, values []ElementValue, by uuid.UUID, now time.Time) {
	i.Task.Elements = i.Task.Elements.With(code, values)
	i.touch(by, now)
}

// SetTaskContextData replaces the context data of a task that may be written
// to.
func (i *ProcessItem) SetTaskContextData(value JSONValue, by uuid.UUID, now time.Time) {
	i.Task.ContextData = &value
	i.touch(by, now)
}

// HasLog reports whether the log of a task has an entry with the id.
func (i *ProcessItem) HasLog(id uuid.UUID) bool {
	return i.Task != nil && slices.ContainsFunc(i.Task.Logs, func(l TaskLog) bool { return l.ID == id })
}

// AppendLog adds an entry to the log of a task that is not cancelled and drops the oldest ones beyond limit. An
// entry that is already in the log is ignored, in any state. A message of more than MaxLogMessage characters is
// cut and marked. The owner and Managers may do so.
func (i *ProcessItem) AppendLog(entry TaskLog, limit int, rights ItemRights, by uuid.UUID, now time.Time) error {
	if err := i.requireHandler(rights, by); err != nil || i.HasLog(entry.ID) {
		return err
	}
	task, err := i.taskForChange()
	if err != nil {
		return err
	}
	if err := task.act(logTask, now); err != nil {
		return err
	}
	entry.Message = cutLogMessage(entry.Message)
	task.Logs = append(task.Logs, entry)
	task.Logs = task.Logs[max(0, len(task.Logs)-limit):]
	i.touch(by, now)
	return nil
}

func notOwned() *Error {
	return &Error{Kind: KindDenied, Code: CodeTaskNotOwned, Message: "you do not own the task"}
}
