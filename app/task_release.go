package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ReleaseProcessItemTask returns a claimed task to its candidates: it is READY again, has no owner and keeps its data.
// The caller must have the Manager permission or own the task. Releasing a READY task has no effect; a finished one is
// refused with INVALID_STATE. A robot that assists is stopped; the next owner gets another run of it.
func (s *Service) ReleaseProcessItemTask(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockProcessItem(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		before := taskState(item)
		changed, err := item.Release(locked.Rights, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		tx.StopTaskRobots(item.ID, now, now.Add(s.cancelGrace))
		return domain.Events{saveTaskState(tx, item, before, call.PrincipalID, now)}, nil
	})
	return item, err
}
