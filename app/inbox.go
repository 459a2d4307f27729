package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

// InboxFilter narrows ReadInbox.
type InboxFilter = persistence.InboxFilter

// ReadInbox returns a page of the tasks of a view that are visible to the caller, as
// people look for them, and the counts of all views.
func (s *Service) ReadInbox(
	ctx context.Context, call domain.Call, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Inbox, error) {
	var at domain.EventCursor
	found, err := s.store.Reader.ReadInbox(ctx, call.Caller, filter, page, sort, events.FindEnd(&at))
	found.At = at
	return found, err
}

// CountInboxNews returns the number of tasks that others have moved into a view after a place in the event log, without the known
// ones. Its cost is bounded: after many events, tasks of the newest ones are counted.
func (s *Service) CountInboxNews(
	ctx context.Context, call domain.Call, filter InboxFilter, after domain.EventCursor, seen []uuid.UUID,
) (int64, error) {
	return s.store.Reader.CountInboxNews(ctx, call.Caller, filter, after, seen)
}

// FindInboxTasks returns the tasks with the ids that are visible to the caller, in no order.
func (s *Service) FindInboxTasks(ctx context.Context, call domain.Call, ids []uuid.UUID) ([]domain.InboxTask, error) {
	return s.store.Reader.ListInboxTasks(ctx, call.Caller, ids)
}

// OpenTask returns a task visible to the caller with the caller's rights, or NOT_FOUND.
func (s *Service) OpenTask(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.OpenedTask, error) {
	return s.store.Reader.OpenTask(ctx, call.Caller, id)
}

// FindTaskChange returns the last change of the state or of the owner of a task, nil if it is not recorded or not visible to the
// caller.
func (s *Service) FindTaskChange(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.TimelineEvent, error) {
	return events.LastTaskChange(ctx, s.store.Reader, call.Caller, id)
}
