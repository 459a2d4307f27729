package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ClaimProcessItemTask (B26) makes the caller, who must be a candidate, the owner of a READY task, and starts the robot
// that assists with it, if there is one. Claiming one's own task has no effect. Of several concurrent callers exactly
// one succeeds; the others get TASK_ALREADY_CLAIMED. A principal that delegated a task takes it back.
func (s *Service) ClaimProcessItemTask(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, robot, err := persistence.Both(ctx, tx, persistence.LockTaskForOwner(call.Caller, id), persistence.RobotOfTask(id))
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		before := taskState(item)
		changed, err := item.Claim(locked.Rights, locked.FourEyes, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		if before == domain.TaskClaimed {
			return domain.Events{saveDelegation(tx, domain.WayTakenBack, item, before, call.PrincipalID, now)}, nil
		}
		saved := saveTaskState(tx, item, before, call.PrincipalID, now)
		return domain.Events{saved}, startAssistance(tx, call.Caller, item, robot, now)
	})
	return item, err
}
