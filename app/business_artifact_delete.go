package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DeleteBusinessArtifact (B37) deletes a business artifact with its documents
// and actions. The workflows of actions that are not finished are asked to
// cancel. It takes the Manager permission.
func (s *Service) DeleteBusinessArtifact(ctx context.Context, caller domain.Caller, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, func(tx *persistence.Tx) error {
		locked, runs, err := tx.LockArtifactAndOpenActions(ctx, caller, id)
		if err != nil {
			return err
		}
		if err := locked.Rights.RequireManager(); err != nil {
			return err
		}
		for i := range runs {
			s.stopWorkflow(tx, &runs[i], now)
		}
		tx.Record(domain.ArtifactEvent(domain.EventArtifactDeleted, locked.BusinessArtifact, caller.PrincipalID, now))
		tx.DeleteBusinessArtifact(locked.BusinessArtifact)
		return nil
	})
}
