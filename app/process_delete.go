package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DeleteProcess deletes a finished process with its items. It can still be retrieved by id, but is omitted from lists
// that do not ask for it, and refuses writes. It requires the Manager permission. INVALID_STATE refuses a process that
// is not finished or in which something is in progress. Repeating it has no effect.
func (s *Service) DeleteProcess(ctx context.Context, call domain.Call, id uuid.UUID) error {
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, inProgress, err := tx.LockProcessToDelete(ctx, call.Caller, id)
		if err != nil {
			return nil, err
		}
		changed, err := locked.Delete(locked.Rights, inProgress, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		tx.DeleteProcess(locked.Process)
		return domain.Events{domain.ProcessEvent(domain.EventProcessDeleted, locked.Process, call.PrincipalID, now)}, nil
	})
}
