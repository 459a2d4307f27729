package bulk

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Filter narrows a list of bulk operations; empty fields match all.
type Filter = persistence.BulkOperationFilter

// FindOperations returns a page of the started bulk operations of the caller and of the tenants that the caller administers, the newest first
// by default.
func (s *Service) FindOperations(
	ctx context.Context, call domain.Call, filter Filter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.NamedBulkOperation], error) {
	return s.store.Reader.ListBulkOperations(ctx, call.Caller, filter, page, sort)
}

// RetrieveOperation returns a bulk operation as FindOperations does, or a preview of the caller, or NOT_FOUND.
func (s *Service) RetrieveOperation(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.NamedBulkOperation, error) {
	return s.store.Reader.GetBulkOperation(ctx, call.Caller, id)
}

// FindItems returns a page of the resources of a bulk operation, the refused ones first, under the conditions of RetrieveOperation.
func (s *Service) FindItems(
	ctx context.Context, call domain.Call, id uuid.UUID, states []domain.BulkItemState, page domain.PageRequest,
) (domain.Page[domain.BulkItem], error) {
	found, err := s.RetrieveOperation(ctx, call, id)
	if err != nil {
		return domain.Page[domain.BulkItem]{}, err
	}
	return s.store.Reader.ListBulkItems(ctx, call.Caller, found.BulkOperation, states, page)
}

// ExportItems calls each with all resources of a bulk operation, as they come from the database, under the conditions of RetrieveOperation. It
// returns the error of each.
func (s *Service) ExportItems(ctx context.Context, call domain.Call, id uuid.UUID, each func(domain.BulkItem) error) error {
	found, err := s.RetrieveOperation(ctx, call, id)
	if err != nil {
		return err
	}
	return s.store.Reader.EachBulkItem(ctx, call.Caller, found.BulkOperation, each)
}
