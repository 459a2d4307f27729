package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewTaskLog is an entry for the log of a task. An entry with an id in the log is not added again.
type NewTaskLog struct {
	ID *uuid.UUID
	// Timestamp is the time at which it happened, nil for now.
	Timestamp *time.Time
	Level     domain.LogLevel
	Message   string
}

// AppendProcessItemTaskLog (B29) adds an entry to the log of a task that is not
// cancelled and drops the oldest entry where the log is full. A message that is
// too long is cut. It takes owning
// the task or the Manager permission.
func (s *Service) AppendProcessItemTaskLog(
	ctx context.Context, call domain.Call, id uuid.UUID, in NewTaskLog,
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	entry := domain.TaskLog{ID: idOr(in.ID), Timestamp: now, Message: in.Message, Level: in.Level}
	if in.Timestamp != nil {
		entry.Timestamp = in.Timestamp.UTC().Truncate(time.Microsecond)
	}
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockProcessItem(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		exists := item.HasLog(entry.ID)
		if err := item.AppendLog(entry, s.taskLogLimit, locked.Rights, call.PrincipalID, now); err != nil {
			return nil, err
		}
		if exists {
			return nil, nil
		}
		tx.AppendTaskLog(item, item.Task.Logs[len(item.Task.Logs)-1], s.taskLogLimit)
		return domain.Events{domain.ItemEvent(domain.EventItemTaskLogAppended, item, call.PrincipalID, now).
			With("logId", entry.ID.String()).With("level", string(entry.Level))}, nil
	})
	return item, err
}
