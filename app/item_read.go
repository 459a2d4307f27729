package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ItemFilter narrows FindProcessItems.
type ItemFilter = persistence.ItemFilter

// FindProcessItems (B21) returns a page of the process items visible to the
// caller.
func (s *Service) FindProcessItems(
	ctx context.Context, call domain.Call, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	filter.Now = s.now()
	return s.store.Reader.ListProcessItems(ctx, call.Caller, filter, page, sort)
}

// RetrieveProcessItem (B23) returns a process item, or NOT_FOUND where the
// caller does not see it.
func (s *Service) RetrieveProcessItem(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.ProcessItem, error) {
	item, err := s.store.Reader.GetProcessItem(ctx, call.Caller, id)
	if err != nil || !call.Names {
		return item, err
	}
	names, err := s.store.Reader.NamesOfItems(ctx, *item)
	item.Names = &names
	return item, err
}
