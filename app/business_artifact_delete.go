package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DeleteBusinessArtifact (B37) deletes a business artifact, which can be
// restored. It can still be retrieved by id, with its documents and actions,
// but is omitted from lists that do not ask for it, and refuses writes.
// Unfinished actions are canceled and their workflows asked to stop. It
// requires the Manager permission. Deleting it again changes nothing.
func (s *Service) DeleteBusinessArtifact(ctx context.Context, caller domain.Caller, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, func(tx *persistence.Tx) error {
		locked, open, err := tx.LockArtifactAndOpenActions(ctx, caller, id)
		if err != nil {
			return err
		}
		if err := locked.Rights.RequireManager(); err != nil || !locked.Delete(caller.PrincipalID, now) {
			return err
		}
		for i := range open {
			if open[i].Cancel(caller.PrincipalID, now) {
				storeArtifactActionEnd(tx, &open[i].BusinessArtifactAction, caller.PrincipalID, now)
				s.stopWorkflow(tx, &open[i].RunID, now)
			}
		}
		tx.Record(domain.ArtifactEvent(domain.EventArtifactDeleted, locked.BusinessArtifact, caller.PrincipalID, now))
		tx.UpdateArtifactDeletion(locked.BusinessArtifact)
		return nil
	})
}

// RestoreBusinessArtifact undoes the deletion of a business artifact. Actions
// that were canceled with it remain canceled. It requires the Manager
// permission. An artifact that is not deleted is returned unchanged.
func (s *Service) RestoreBusinessArtifact(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*domain.BusinessArtifact, error) {
	var artifact *domain.BusinessArtifact
	now := s.now()
	err := s.write(ctx, func(tx *persistence.Tx) error {
		locked, err := persistence.LockAnyArtifact(caller, id).Do(ctx, tx)
		if err != nil {
			return err
		}
		artifact = locked.BusinessArtifact
		if err := locked.Rights.RequireManager(); err != nil || !artifact.Restore(caller.PrincipalID, now) {
			return err
		}
		tx.Record(domain.ArtifactEvent(domain.EventArtifactRestored, artifact, caller.PrincipalID, now))
		tx.UpdateArtifactDeletion(artifact)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return artifact, nil
}
