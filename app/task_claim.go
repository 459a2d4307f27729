package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ClaimProcessItemTask (B26) makes the caller, who must be a candidate, the
// owner of a READY task. Claiming one's own task changes nothing. Of several
// callers at once exactly one wins; the others get TASK_ALREADY_CLAIMED.
func (s *Service) ClaimProcessItemTask(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, func(tx *persistence.Tx) error {
		locked, err := tx.LockProcessItem(ctx, caller, id)
		if err != nil {
			return err
		}
		item = locked.ProcessItem
		changed, err := item.Claim(locked.Rights, caller.PrincipalID, now)
		if err != nil || !changed {
			return err
		}
		saveTaskState(tx, item, caller.PrincipalID, now)
		return nil
	})
	return item, err
}

// saveTaskState stores that a task has got into another state or has another
// owner, and that this happened.
func saveTaskState(tx *persistence.Tx, item *domain.ProcessItem, by uuid.UUID, now time.Time) {
	tx.UpdateTaskState(item)
	tx.InsertEvent(domain.ItemEvent(newID(), domain.EventItemTaskStateChanged, item, by, now))
}
