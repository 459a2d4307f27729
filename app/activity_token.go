package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// finishActivity has the activity that waits for a task completed, now that the
// task is finished: COMPLETED or CANCELLED, which the worker finds out by reading
// it. Tasks that no activity waits for, and those of manual processes, are left
// alone. The task must be under lock and its state be stored.
func finishActivity(tx *persistence.Tx, task uuid.UUID, run *uuid.UUID, now time.Time) {
	if run == nil {
		return
	}
	tx.FinishActivity(task, domain.EngineCommand{
		ID: domain.NewID(), RunID: *run, OrderKey: *run, CreatedAt: now, NotBefore: now,
	})
}

// waitAgain has an activity wait for a task that exists already, in the place of
// the one before: Temporal has the worker begin the activity anew, under another
// token, after it has failed or timed out, and the task is created once. An
// activity that comes to wait for a finished task is completed at once.
//
// It takes the Manager permission on the process, as creating the task does. A
// process without a workflow has no activities, and a token that is not of an
// activity of the process's own workflow is refused: VALIDATION.
func waitAgain(
	tx *persistence.Tx, caller domain.Caller, known *persistence.NewItem, token domain.ActivityToken, now time.Time,
) error {
	if token == nil {
		return nil
	}
	process := known.Process
	if err := process.CheckMayManage(process.Rights); err != nil {
		return err
	}
	if err := mayWait(process, token); err != nil {
		return err
	}
	tx.Record(domain.ItemEvent(domain.EventItemTaskAwaited, known.Existing, caller.PrincipalID, now))
	tx.ReplaceActivityToken(known.Existing.ID, token)
	finishActivity(tx, known.Existing.ID, process.RunID, now)
	return nil
}

// mayWait refuses activities that wait for tasks of a process unless the token is
// that of an activity of the process's own workflow.
func mayWait(process *persistence.LockedProcess, token domain.ActivityToken) error {
	switch {
	case process.RunID == nil:
		return domain.InvalidField(domain.FieldActivityToken, "is for processes that have a workflow")
	case !token.OfProcess(process.ID):
		return domain.InvalidField(domain.FieldActivityToken, "is not the token of an activity of the process's workflow")
	}
	return nil
}
