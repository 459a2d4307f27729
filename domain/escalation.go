package domain

import (
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// EscalationStep is a step that the service takes with an open task some time after its due date. One of Notify, Priority and
// Assign is set.
type EscalationStep struct {
	// After is a duration of package deadline.
	After string `json:"after"`
	// Notify are principals and groups that are told.
	Notify []uuid.UUID `json:"notify,omitempty"`
	// Priority is the least priority that the task has afterwards.
	Priority TaskPriority `json:"priority,omitempty"`
	// Assign is the principal, or the group with the principals, that gets the task.
	Assign *uuid.UUID `json:"assign,omitempty"`
	// Signal signals the workflow of the process.
	Signal bool `json:"signal,omitempty"`
}

// RaisePriority gives an open task at least a priority and reports whether that changed it.
func (i *ProcessItem) RaisePriority(priority TaskPriority, by uuid.UUID, now time.Time) bool {
	if i.Task.Plan.Priority.Rank() >= priority.Rank() {
		return false
	}
	i.Task.Plan.Priority = priority
	i.touch(by, now)
	return true
}

// EscalationEvent returns the event of a step, counted from 1, of the escalation of a task.
func EscalationEvent(i *ProcessItem, step int, s *EscalationStep, by uuid.UUID, now time.Time) Event {
	e := TaskPlanEvent(EventItemTaskEscalated, i, by, now).With("step", strconv.Itoa(step))
	if i.OwnerID != nil {
		e = e.With("ownerId", i.OwnerID.String())
	}
	if len(s.Notify) == 0 {
		return e
	}
	told := make([]string, len(s.Notify))
	for at, id := range s.Notify {
		told[at] = id.String()
	}
	return e.With("notify", strings.Join(told, ","))
}
