package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DeleteBusinessArtifact (B37) deletes a business artifact, which can be restored. It can still be retrieved by id,
// with its documents and actions, but is omitted from lists that do not ask for it, and refuses writes. Unfinished
// actions are canceled and their workflows asked to stop. It requires the Manager permission. Repeating it has no
// effect.
func (s *Service) DeleteBusinessArtifact(ctx context.Context, call domain.Call, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, open, err := tx.LockArtifactAndOpenActions(ctx, call.Caller, id)
		if err != nil {
			return nil, err
		}
		if err := locked.Rights.RequireManager(); err != nil || !locked.Delete(call.PrincipalID, now) {
			return nil, err
		}
		var events domain.Events
		for i := range open {
			if open[i].Cancel(call.PrincipalID, now) {
				events = append(events, storeArtifactActionEnd(tx, &open[i].BusinessArtifactAction, call.PrincipalID, now))
				s.stopWorkflow(tx, &open[i].RunID, now)
			}
		}
		tx.UpdateArtifactDeletion(locked.BusinessArtifact)
		deleted := domain.ArtifactEvent(domain.EventArtifactDeleted, locked.BusinessArtifact, call.PrincipalID, now)
		return append(events, deleted), nil
	})
}

// RestoreBusinessArtifact undoes the deletion of a business artifact. Actions
// that were canceled with it remain canceled. It requires the Manager
// permission. An artifact that is not deleted is returned unchanged.
func (s *Service) RestoreBusinessArtifact(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.BusinessArtifact, error) {
	var artifact *domain.BusinessArtifact
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockArtifact(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		artifact = locked.BusinessArtifact
		if err := locked.Rights.RequireManager(); err != nil || !artifact.Restore(call.PrincipalID, now) {
			return nil, err
		}
		tx.UpdateArtifactDeletion(artifact)
		return domain.Events{domain.ArtifactEvent(domain.EventArtifactRestored, artifact, call.PrincipalID, now)}, nil
	})
	if err != nil {
		return nil, err
	}
	return artifact, nil
}
