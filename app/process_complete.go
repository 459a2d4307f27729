package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CompleteProcess (B10) completes a running process; its open items stay open,
// its workflow is asked to stop. It requires the Manager permission. A completed
// process is returned as it is, a cancelled one refused with INVALID_STATE.
func (s *Service) CompleteProcess(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Process, error) {
	var process *domain.Process
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockProcess(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		process = locked.Process
		if err := process.CheckMayManage(locked.Rights); err != nil {
			return nil, err
		}
		before := process.State
		changed, err := process.Complete(call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		s.stopWorkflow(tx, locked.RunID, now)
		return finishProcess(tx, process, before, call.PrincipalID, now), nil
	})
	return process, err
}
