package domain

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// TaskPriority is the priority of a task.
type TaskPriority string

// The priorities.
const (
	PriorityLow    TaskPriority = "LOW"
	PriorityNormal TaskPriority = "NORMAL"
	PriorityHigh   TaskPriority = "HIGH"
	PriorityUrgent TaskPriority = "URGENT"
)

// TaskPriorities returns the priorities, the lowest first.
func TaskPriorities() []TaskPriority {
	return []TaskPriority{PriorityLow, PriorityNormal, PriorityHigh, PriorityUrgent}
}

// Rank returns the position of the priority in TaskPriorities from 1 on. The empty priority is PriorityNormal.
func (p TaskPriority) Rank() int {
	if p == "" {
		p = PriorityNormal
	}
	return slices.Index(TaskPriorities(), p) + 1
}

// PriorityOfRank returns the priority with a Rank.
func PriorityOfRank(rank int) TaskPriority { return TaskPriorities()[rank-1] }

// TaskPlan is the planning of a task. A nil time is not set. An empty priority is PriorityNormal.
type TaskPlan struct {
	DueAt, FollowUpAt *time.Time
	Priority          TaskPriority
}

// IsDefault reports whether the plan has no dates and the normal priority.
func (p TaskPlan) IsDefault() bool {
	return p.DueAt == nil && p.FollowUpAt == nil && p.Priority.Rank() == PriorityNormal.Rank()
}

// Equal reports whether both plans are the same.
func (p TaskPlan) Equal(other TaskPlan) bool {
	return sameTime(p.DueAt, other.DueAt) && sameTime(p.FollowUpAt, other.FollowUpAt) && p.Priority.Rank() == other.Priority.Rank()
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// The limits of the times of plans and processes. PostgreSQL and JSON represent all times between them.
//
//nolint:gochecknoglobals // constant times
var (
	minPlannedAt = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	maxPlannedAt = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// CheckPlannedAt refuses a time before 1970 or after 9999 with VALIDATION. A nil time is valid.
func CheckPlannedAt(field Field, at *time.Time) error {
	if at != nil && (at.Before(minPlannedAt) || at.After(maxPlannedAt)) {
		return InvalidField(field, "must be between 1970 and 9999")
	}
	return nil
}

// RoundPlannedAt returns the time in the precision of the database.
func RoundPlannedAt(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Microsecond))
}

// Normalize returns the plan in the precision of the database, or VALIDATION for a time that cannot be stored, about the field.
func (p TaskPlan) Normalize(dueAt, followUpAt Field) (TaskPlan, error) {
	if err := CheckPlannedAt(dueAt, p.DueAt); err != nil {
		return p, err
	}
	if err := CheckPlannedAt(followUpAt, p.FollowUpAt); err != nil {
		return p, err
	}
	return TaskPlan{
		DueAt: RoundPlannedAt(p.DueAt), FollowUpAt: RoundPlannedAt(p.FollowUpAt), Priority: PriorityOfRank(p.Priority.Rank()),
	}, nil
}

// DueSoonLead is the time before the due date at which the owner of a task is told. Dates that were set later are not told.
const DueSoonLead = 24 * time.Hour

// IsOverdue reports whether the task is open and its due date has passed.
func (t *Task) IsOverdue(now time.Time) bool {
	return t.State.Open() && t.Plan.DueAt != nil && !now.Before(*t.Plan.DueAt)
}

// CheckMayPlan refuses principals that may not plan the task. Principals that pass CheckMayHandle may while the task is open.
func (i *ProcessItem) CheckMayPlan(rights ItemRights, by uuid.UUID) error {
	if err := i.CheckMayHandle(rights, by); err != nil {
		return err
	}
	_, err := taskTransitions.next(i.Task.State, planTask)
	return err
}

// PlanTask replaces the plan of an open task and reports whether that changed it. It returns the errors of CheckMayPlan.
func (i *ProcessItem) PlanTask(plan TaskPlan, rights ItemRights, by uuid.UUID, now time.Time) (bool, error) {
	if err := i.CheckMayPlan(rights, by); err != nil {
		return false, err
	}
	if i.Task.Plan.Equal(plan) {
		return false, nil
	}
	i.Task.Plan = plan
	i.touch(by, now)
	return true, nil
}

// TaskPlanEvent returns an event of a task with its plan.
func TaskPlanEvent(t EventType, i *ProcessItem, by uuid.UUID, now time.Time) Event {
	e := ItemEvent(t, i, by, now).With("priority", string(PriorityOfRank(i.Task.Plan.Priority.Rank())))
	if due := i.Task.Plan.DueAt; due != nil {
		e = e.With("dueAt", due.UTC().Format(time.RFC3339Nano))
	}
	if followUp := i.Task.Plan.FollowUpAt; followUp != nil {
		e = e.With("followUpAt", followUp.UTC().Format(time.RFC3339Nano))
	}
	return e
}
