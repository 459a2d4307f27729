package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// AppendProcessItemTaskLog (B29) adds an entry to the log of a task that is not
// cancelled and drops the oldest entry where the log is full. It takes owning
// the task or the Manager permission.
func (s *Service) AppendProcessItemTaskLog(
	ctx context.Context, caller domain.Caller, id uuid.UUID, level domain.LogLevel, message string,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	entry := domain.TaskLog{ID: newID(), Timestamp: now, Message: message, Level: level}
	err := s.write(ctx, func(tx *persistence.Tx) error {
		locked, err := tx.LockProcessItem(ctx, caller, id)
		if err != nil {
			return err
		}
		item = locked.ProcessItem
		if err := item.AppendLog(entry, s.taskLogLimit, locked.Rights, caller.PrincipalID, now); err != nil {
			return err
		}
		tx.AppendTaskLog(item, entry, s.taskLogLimit)
		return nil
	})
	return item, err
}
