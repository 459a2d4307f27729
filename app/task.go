package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// taskState returns the state of an item that may be no task.
func taskState(item *domain.ProcessItem) domain.TaskState {
	if item.Task == nil {
		return ""
	}
	return item.Task.State
}

// saveTaskState stores that a task has another state than before, or another owner.
func saveTaskState(
	tx *persistence.Tx, item *domain.ProcessItem, before domain.TaskState, by uuid.UUID, now time.Time,
) domain.Event {
	tx.UpdateTaskState(item)
	return domain.TaskChangeEvent(item, before, by, now)
}

// saveDelegation stores that a task was delegated, or taken back.
func saveDelegation(
	tx *persistence.Tx, way string, item *domain.ProcessItem, before domain.TaskState, by uuid.UUID, now time.Time,
) domain.Event {
	tx.UpdateTaskState(item)
	return domain.DelegationEvent(way, item, before, by, now)
}
