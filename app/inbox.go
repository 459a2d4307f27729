package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// InboxFilter narrows FindInbox.
type InboxFilter = persistence.InboxFilter

// FindInbox returns a page of the tasks of a view that are visible to the caller, as
// people look for them.
func (s *Service) FindInbox(
	ctx context.Context, caller domain.Caller, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.InboxTask], error) {
	return s.reader.ListInbox(ctx, caller, filter, page, sort)
}

// CountInbox returns how many tasks each view has for the caller.
func (s *Service) CountInbox(ctx context.Context, caller domain.Caller) (map[domain.InboxView]int64, error) {
	return s.reader.CountInbox(ctx, caller)
}
