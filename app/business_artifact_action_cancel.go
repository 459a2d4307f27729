package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CancelBusinessArtifactAction (B42) cancels a REQUESTED action and asks its
// workflow to stop; later results of the workflow are dropped. An action in a
// final state is returned unchanged. The caller must have invoked the action
// and have the Editor permission, or have the Manager permission.
func (s *Service) CancelBusinessArtifactAction(
	ctx context.Context, call domain.Call, artifact, action uuid.UUID,
) (*domain.BusinessArtifactAction, error) {
	var canceled *domain.BusinessArtifactAction
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockArtifactAction(call.Caller, artifact, action, now).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if err := locked.Artifact.Rights.RequireEditor(); err != nil {
			return nil, err
		}
		if locked.Action == nil {
			return nil, domain.NotFound("business artifact action")
		}
		canceled = locked.Action
		if canceled.CreatedBy != call.PrincipalID {
			if err := locked.Artifact.Rights.RequireManager(); err != nil {
				return nil, err
			}
		}
		if err := locked.Artifact.CheckMayWrite(locked.Artifact.Rights); err != nil {
			return nil, err
		}
		if canceled.Cancel(call.PrincipalID, now) {
			s.stopWorkflow(tx, locked.RunID, now)
			return domain.Events{storeArtifactActionEnd(tx, canceled, call.PrincipalID, now)}, nil
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}
