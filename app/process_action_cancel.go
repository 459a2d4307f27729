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
	ctx context.Context, caller domain.Caller, process, action uuid.UUID,
) (*domain.ProcessAction, error) {
	var canceled *domain.ProcessAction
	now := s.now()
	err := s.write(ctx, func(tx *persistence.Tx) (domain.Events, error) {
		site, err := persistence.LockProcessAction(caller, process, action, now).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if site.Action == nil {
			return nil, domain.NotFound("user action")
		}
		canceled = site.Action
		if canceled.CreatedBy != caller.PrincipalID {
			if err := site.Process.CheckMayManage(site.Rights); err != nil {
				return nil, err
			}
		}
		if canceled.Cancel(caller.PrincipalID, now) {
			s.stopWorkflow(tx, site.RunID, now)
			return domain.Events{storeProcessActionEnd(tx, canceled, caller.PrincipalID, now)}, nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}
