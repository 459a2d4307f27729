package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// finishActivity completes the activity that waits for a finished task, COMPLETED or CANCELLED. The worker reads the
// state from the task. Tasks without a waiting activity are skipped. The task must be locked and its state stored.
func finishActivity(tx *persistence.Tx, task uuid.UUID, run *uuid.UUID, now time.Time) {
	if run == nil {
		return
	}
	tx.FinishActivity(task, domain.EngineCommand{
		ID: domain.NewID(), RunID: *run, OrderKey: *run, CreatedAt: now, NotBefore: now,
	})
}

// waitAgain replaces the activity that waits for an existing task. Temporal
// starts an activity again under another token after it has failed or timed
// out, while the task is created once. The activity of a finished task is
// completed at once. A task of a deleted process stays unchanged.
//
// It requires the Manager permission on the process, as creating the task does.
// A token is refused with VALIDATION if the process has no workflow, or if the
// token is not of an activity of the process's own workflow.
func waitAgain(
	tx *persistence.Tx, caller domain.Caller, prereqs *persistence.ItemPrerequisites, token domain.ActivityToken, now time.Time,
) (domain.Events, error) {
	if token == nil || prereqs.Existing.Deleted() {
		return nil, nil
	}
	process := prereqs.Process
	if err := process.CheckMayManage(process.Rights); err != nil {
		return nil, err
	}
	if err := mayWait(process, token); err != nil {
		return nil, err
	}
	tx.ReplaceActivityToken(prereqs.Existing.ID, token)
	finishActivity(tx, prereqs.Existing.ID, process.RunID, now)
	return domain.Events{domain.ItemEvent(domain.EventItemTaskAwaited, prereqs.Existing, caller.PrincipalID, now)}, nil
}

// mayWait refuses activities that wait for tasks of a process unless the token belongs to the process's own workflow.
func mayWait(process *persistence.LockedProcess, token domain.ActivityToken) error {
	switch {
	case process.RunID == nil:
		return domain.InvalidField(domain.FieldActivityToken, "is for processes that have a workflow")
	case !token.OfProcess(process.ID):
		return domain.InvalidField(domain.FieldActivityToken, "is not the token of an activity of the process's workflow")
	}
	return nil
}
