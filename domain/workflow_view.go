package domain

import (
	"time"

	"github.com/google/uuid"
)

// WorkflowQuestion identifies a workflow of a tenant to describe.
type WorkflowQuestion struct {
	TenantID   uuid.UUID
	Namespace  string
	WorkflowID string
	// RunID is a run of the workflow, "" for the latest.
	RunID string
	// Among are the workflows that the answer may be about. Children of theirs are among them too.
	Among []string
	// After continues behind the events of an earlier answer; nil asks for the newest.
	After []byte
}

// WorkflowView describes a run of a workflow. All its texts may come from workers.
type WorkflowView struct {
	WorkflowID, RunID, Type, TaskQueue string
	// Status is Temporal's word for the state, such as Running or ContinuedAsNew.
	Status    string
	StartedAt time.Time
	ClosedAt  *time.Time
	// Length is how many events the history has.
	Length int64
	// Parent is the workflow that started it as a child, "" for none.
	Parent string
	// Waits lists the pending work of the run. It contains timers that are in Events.
	Waits []WorkflowWait
	// Events are the events worth showing, the newest first.
	Events []WorkflowEvent
	// Older is the token of the page of older events, nil for none.
	Older []byte
}

// WaitKind is the kind of pending work of a workflow.
type WaitKind string

// The kinds of pending work: the completion of a task, an activity, a timer, a child workflow, or the next step of a
// worker.
const (
	WaitTask     WaitKind = "TASK"
	WaitActivity WaitKind = "ACTIVITY"
	WaitTimer    WaitKind = "TIMER"
	WaitChild    WaitKind = "CHILD_WORKFLOW"
	WaitWorker   WaitKind = "WORKER"
)

// WorkflowWait is something that a workflow waits for.
type WorkflowWait struct {
	Kind WaitKind
	// Name is the code of the task, the type of the activity or the child, the id of the timer, or the task queue.
	Name  string
	Since time.Time
	// Attempt counts the attempts at an activity from 1, or is 0.
	Attempt int
	// Until is the end of a timer or the time of the next attempt, nil if unknown.
	Until *time.Time
	// Message is the failure of the latest attempt, or "".
	Message string
	// WorkflowID is the id of a child, ActivityID the one of an activity.
	WorkflowID, ActivityID string
}

// WorkflowEvent is something that happened in a workflow.
type WorkflowEvent struct {
	ID int64
	At time.Time
	// Kind is Temporal's type of the event, such as ActivityTaskFailed.
	Kind string
	// Name is the type of the activity, the workflow or the child, the name of the signal or the id of the timer. It is ""
	// where an event further back has it.
	Name string
	// About is the definition of the item that a signal of the service is about, "" where it cannot be read.
	About string
	// Message is a failure or a reason.
	Message string
	// Until is the time at which a timer ends.
	Until *time.Time
	// WorkflowID is the id of a child.
	WorkflowID string
}
