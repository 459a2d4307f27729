package domain

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// TaskState is the state of a task (specification section 3.1).
type TaskState string

// The task states.
const (
	TaskReady     TaskState = "READY"
	TaskClaimed   TaskState = "CLAIMED"
	TaskCompleted TaskState = "COMPLETED"
	TaskCancelled TaskState = "CANCELLED"
)

// Open reports whether a task in the state can still be worked on.
func (s TaskState) Open() bool { return s == TaskReady || s == TaskClaimed }

type taskAction string

const (
	claimTask    taskAction = "claim"
	assignTask   taskAction = "assign"
	delegateTask taskAction = "delegate"
	takeBackTask taskAction = "take back"
	releaseTask  taskAction = "release"
	completeTask taskAction = "complete"
	cancelTask   taskAction = "cancel"
	saveTask     taskAction = "save"
	logTask      taskAction = "log"
	reopenTask   taskAction = "reopen"
	repairTask   taskAction = "repair the data"
	planTask     taskAction = "plan"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var taskTransitions = transitions[TaskState, taskAction]{
	{TaskReady, claimTask}:     {to: TaskClaimed},
	{TaskClaimed, claimTask}:   {refusal: "the task is claimed"},
	{TaskCompleted, claimTask}: {refusal: "the task is completed"},
	{TaskCancelled, claimTask}: {refusal: "the task is cancelled"},

	{TaskReady, assignTask}:     {to: TaskClaimed},
	{TaskClaimed, assignTask}:   {to: TaskClaimed},
	{TaskCompleted, assignTask}: {refusal: "the task is completed"},
	{TaskCancelled, assignTask}: {refusal: "the task is cancelled"},

	{TaskReady, delegateTask}:     {to: TaskClaimed},
	{TaskClaimed, delegateTask}:   {to: TaskClaimed},
	{TaskCompleted, delegateTask}: {refusal: "the task is completed"},
	{TaskCancelled, delegateTask}: {refusal: "the task is cancelled"},

	{TaskReady, takeBackTask}:     {refusal: "the task has no owner"},
	{TaskClaimed, takeBackTask}:   {to: TaskClaimed},
	{TaskCompleted, takeBackTask}: {refusal: "the task is completed"},
	{TaskCancelled, takeBackTask}: {refusal: "the task is cancelled"},

	{TaskReady, releaseTask}:     {to: TaskReady},
	{TaskClaimed, releaseTask}:   {to: TaskReady},
	{TaskCompleted, releaseTask}: {refusal: "the task is completed"},
	{TaskCancelled, releaseTask}: {refusal: "the task is cancelled"},

	{TaskReady, completeTask}:     {refusal: "the task is not claimed"},
	{TaskClaimed, completeTask}:   {to: TaskCompleted},
	{TaskCompleted, completeTask}: {to: TaskCompleted},
	{TaskCancelled, completeTask}: {refusal: "the task is cancelled"},

	{TaskReady, cancelTask}:     {to: TaskCancelled},
	{TaskClaimed, cancelTask}:   {to: TaskCancelled},
	{TaskCompleted, cancelTask}: {refusal: "the task is completed"},
	{TaskCancelled, cancelTask}: {refusal: "the task is cancelled"},

	{TaskReady, saveTask}:     {to: TaskReady},
	{TaskClaimed, saveTask}:   {to: TaskClaimed},
	{TaskCompleted, saveTask}: {refusal: "the task is completed"},
	{TaskCancelled, saveTask}: {refusal: "the task is cancelled"},

	{TaskReady, reopenTask}:     {refusal: "the task is open"},
	{TaskClaimed, reopenTask}:   {refusal: "the task is open"},
	{TaskCompleted, reopenTask}: {to: TaskClaimed},
	{TaskCancelled, reopenTask}: {refusal: "the task is cancelled"},

	{TaskReady, repairTask}:     {to: TaskReady},
	{TaskClaimed, repairTask}:   {to: TaskClaimed},
	{TaskCompleted, repairTask}: {to: TaskCompleted},
	{TaskCancelled, repairTask}: {refusal: "the task is cancelled"},

	{TaskReady, planTask}:     {to: TaskReady},
	{TaskClaimed, planTask}:   {to: TaskClaimed},
	{TaskCompleted, planTask}: {refusal: "the task is completed"},
	{TaskCancelled, planTask}: {refusal: "the task is cancelled"},

	{TaskReady, logTask}:     {to: TaskReady},
	{TaskClaimed, logTask}:   {to: TaskClaimed},
	{TaskCompleted, logTask}: {to: TaskCompleted},
	{TaskCancelled, logTask}: {refusal: "the task is cancelled"},
}

// Task is the task block of a process item. The times are nil until the task enters the state they name. Logs
// are read back oldest first.
type Task struct {
	State       TaskState
	Data        *JSONValue
	ContextData *JSONValue
	Elements    ElementValues
	// ActivityToken identifies the activity to complete with the task, nil for none.
	ActivityToken ActivityToken
	// Delegation is the delegation to the owner, nil for none.
	Delegation *Delegation
	// SubstituteID is the person who completed the task for its absent owner, nil for none.
	SubstituteID *uuid.UUID
	Plan         TaskPlan
	Logs         []TaskLog
	ClaimedAt    *time.Time
	CompletedAt  *time.Time
	CancelledAt  *time.Time
}

// NewTask returns a task that is CLAIMED when it has an owner and READY otherwise.
func NewTask(owned bool, now time.Time) *Task {
	if !owned {
		return &Task{State: TaskReady}
	}
	return &Task{State: TaskClaimed, ClaimedAt: &now}
}

func (t *Task) act(action taskAction, now time.Time) error {
	to, err := taskTransitions.next(t.State, action)
	if err != nil {
		return err
	}
	if to == t.State {
		return nil
	}
	t.State = to
	switch to {
	case TaskReady:
		t.ClaimedAt = nil
	case TaskClaimed:
		t.ClaimedAt, t.CompletedAt = &now, nil
	case TaskCompleted:
		t.CompletedAt = &now
	case TaskCancelled:
		t.CancelledAt = &now
	}
	return nil
}

// LogLevel is the level of a task log entry.
type LogLevel string

// The log levels.
const (
	LogInfo  LogLevel = "INFO"
	LogWarn  LogLevel = "WARN"
	LogError LogLevel = "ERROR"
)

// TaskLog is one entry of a task's log.
type TaskLog struct {
	ID        uuid.UUID
	Timestamp time.Time
	Message   string
	Level     LogLevel
}

// MaxLogMessage is the maximum length of the message of an entry, in characters.
const MaxLogMessage = 4000

// cutLogMessage truncates a message. A truncated message ends with a mark that states its full length.
func cutLogMessage(message string) string {
	length := utf8.RuneCountInString(message)
	if length <= MaxLogMessage {
		return message
	}
	mark := fmt.Sprintf("… [cut, %d characters]", length)
	return string([]rune(message)[:MaxLogMessage-utf8.RuneCountInString(mark)]) + mark
}
