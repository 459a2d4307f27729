package domain

import (
	"time"

	"github.com/google/uuid"
)

// WorkflowQuestion asks what Temporal knows of a workflow of a tenant.
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

// WorkflowView contains what Temporal knows of a run of a workflow. All texts in it may come from workers.
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
	// Waits is what the run waits for. Timers are among it as far as they are in Events.
	Waits []WorkflowWait
	// Events are the events worth showing, the newest first.
	Events []WorkflowEvent
	// Older is what asks for the events before, nil where there are none.
	Older []byte
}

// WaitKind is the kind of what a workflow waits for.
type WaitKind string

// The kinds of what a workflow waits for: that a task is completed, that an activity, a timer or a child workflow ends,
// that a worker goes on with it.
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
	// Until is the time at which a timer ends, or the next attempt is made, nil for what is not known.
	Until *time.Time
	// Message is what the latest attempt failed with, "" for nothing.
	Message string
	// WorkflowID is the id of a child.
	WorkflowID string
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
