package domain

import (
	"errors"

	"github.com/google/uuid"
)

// ProcessActionType is the type of a user action, and of each invocation of it
// (specification section 2.12).
type ProcessActionType string

// The types of action. Workers execute the first two; the others are done when the call that invokes them
// returns.
const (
	ProcessActionDownloadable        ProcessActionType = "DOWNLOADABLE"
	ProcessActionStartWorkflow       ProcessActionType = "START_WORKFLOW"
	ProcessActionStartRelatedProcess ProcessActionType = "START_RELATED_PROCESS"
	ProcessActionCreateTask          ProcessActionType = "CREATE_TASK"
	ProcessActionCreateMessage       ProcessActionType = "CREATE_PROCESS_ITEM_MESSAGE"
	ProcessActionCreateThread        ProcessActionType = "CREATE_PROCESS_ITEM_THREAD"
	ProcessActionSendSignal          ProcessActionType = "SEND_WORKFLOW_SIGNAL"
)

// ItemType returns the type of the items that an action of the type creates, empty when it creates none.
func (t ProcessActionType) ItemType() ItemType {
	switch t {
	case ProcessActionCreateTask:
		return ItemTask
	case ProcessActionCreateMessage:
		return ItemMessage
	case ProcessActionCreateThread:
		return ItemThread
	case ProcessActionDownloadable, ProcessActionStartWorkflow, ProcessActionStartRelatedProcess, ProcessActionSendSignal:
	}
	return ""
}

// RunsWorkflow reports whether workers execute actions of the type.
func (t ProcessActionType) RunsWorkflow() bool {
	return t == ProcessActionDownloadable || t == ProcessActionStartWorkflow
}

// forManagers reports whether section 2.12 of the specification shows actions of the type to managers only.
func (t ProcessActionType) forManagers() bool {
	return t == ProcessActionDownloadable || t == ProcessActionStartRelatedProcess || t == ProcessActionCreateTask
}

// ProcessAction is a user action that was invoked on a process. ItemID is the item that it created and ThreadID
// the thread to which the item is attached, nil for none; SignalName is the signal that it sent and Input its
// payload, nil for none.
type ProcessAction struct {
	Action
	ProcessID uuid.UUID
	// DefinitionVersion is the version of the process definition to which the process is pinned, and which
	// describes the action.
	DefinitionVersion uuid.UUID
	Type              ProcessActionType
	ItemID            *uuid.UUID
	ThreadID          *uuid.UUID
	SignalName        string
	Input             *JSONValue
}

// TakesDocument reports whether the action waits for the document that completes it; a final action does not.
// Actions without a document are refused with INVALID_STATE.
func (a *ProcessAction) TakesDocument() (bool, error) {
	if a.Type != ProcessActionDownloadable {
		return false, Conflict(CodeInvalidState, "the action is not one that delivers a document")
	}
	return a.Status == ActionRequested, nil
}

// ErrActionFinal ends an upload to an action that is already final. The upload has no effect, and the caller
// gets no error.
var ErrActionFinal = errors.New("the action is final")
