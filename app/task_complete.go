package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CompleteProcessItemTask (B28) completes a task that the caller owns and notifies the running workflow of the process:
// by completing the activity that waits for the task, or else by a signal. Repeating it has no effect. Another
// principal's task is refused with TASK_NOT_OWNED, invalid data with TASK_DATA_INVALID where the definition requires
// valid data, and so is a task without a value of a mandatory element.
func (s *Service) CompleteProcessItemTask(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockTaskForOwner(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		d, err := s.definitions.get(ctx, tx, locked.ProcessVersion)
		if err != nil {
			return nil, err
		}
		require := domain.TaskRequirements{FourEyes: locked.FourEyes}
		if definition, ok := d.items[item.DefinitionCode()]; ok {
			require.ValidData, require.Elements = definition.Spec.RequireValidDataOnComplete, definition.Spec.Elements
		}
		before := taskState(item)
		changed, err := item.Complete(require, locked.Rights, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		saved := saveTaskState(tx, item, before, call.PrincipalID, now).ForOwner(item, locked.Rights)
		finishActivity(tx, item.ID, locked.RunID, now)
		if locked.ProcessState == domain.ProcessRunning && !locked.Awaited {
			signalItem(tx, item, locked.RunID, locked.SignalShape, now)
		}
		return domain.Events{saved}, nil
	})
	return item, err
}
