package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CancelProcessAction cancels a REQUESTED action and asks its workflow to stop;
// later uploads and results of the workflow are dropped. An action in a final
// state is returned unchanged. The caller must have invoked the action or have
// the Manager permission.
func (s *Service) CancelProcessAction(
	ctx context.Context, call domain.Call, process, action uuid.UUID,
) (*domain.ProcessAction, error) {
	var canceled *domain.ProcessAction
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		site, err := persistence.LockProcessAction(call.Caller, process, action, now).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if site.Action == nil {
			return nil, domain.NotFound("user action")
		}
		canceled = site.Action
		if canceled.CreatedBy != call.PrincipalID {
			if err := site.Process.CheckMayManage(site.Rights); err != nil {
				return nil, err
			}
		}
		if canceled.Cancel(call.PrincipalID, now) {
			s.stopWorkflow(tx, site.RunID, now)
			return domain.Events{storeProcessActionEnd(tx, canceled, call.PrincipalID, now)}, nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}
