package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ProcessFilter narrows FindProcesses.
type ProcessFilter = persistence.ProcessFilter

// FindProcesses (B7) returns a page of the processes visible to the caller.
func (s *Service) FindProcesses(
	ctx context.Context, call domain.Call, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	return s.store.Reader.ListProcesses(ctx, call.Caller, filter, page, sort)
}

// RetrieveProcess (B9) returns a process, or NOT_FOUND where the caller does
// not see it.
func (s *Service) RetrieveProcess(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Process, error) {
	process, err := s.store.Reader.GetProcess(ctx, call.Caller, id)
	if err != nil || !call.Names {
		return process, err
	}
	names, err := s.store.Reader.NamesOfProcesses(ctx, *process)
	process.Names = &names
	return process, err
}
