package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DeleteProcess deletes a finished process, and its items with it. It stays to be
// found by id, but is in no list that does not ask for it, and nothing can be
// written to it any more. It takes the Manager permission. INVALID_STATE refuses a
// process that is not finished or in which something is in progress. One that is
// deleted already stays as it is.
func (s *Service) DeleteProcess(ctx context.Context, caller domain.Caller, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, func(tx *persistence.Tx) error {
		locked, inProgress, err := tx.LockProcessToDelete(ctx, caller, id)
		if err != nil {
			return err
		}
		changed, err := locked.Delete(locked.Rights, inProgress, caller.PrincipalID, now)
		if err != nil || !changed {
			return err
		}
		tx.Record(domain.ProcessEvent(domain.EventProcessDeleted, locked.Process, caller.PrincipalID, now))
		tx.DeleteProcess(locked.Process)
		return nil
	})
}
