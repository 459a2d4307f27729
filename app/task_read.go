package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// FindTasks (A17) calls show with a page of the tasks that the caller sees, with
// their data and elements but without logs, and returns its error. What a listing
// holds of the database and of memory is free when show returns.
func (s *Service) FindTasks(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.ProcessItem]) error,
) error {
	return s.reader.ShowTasks(ctx, caller, filter, page, sort, show)
}

// FindProcessesWithElements (A5) calls show with a page of the processes that the
// caller sees, with their subjects and elements, and returns its error.
func (s *Service) FindProcessesWithElements(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.Process]) error,
) error {
	return s.reader.ShowProcessesWithElements(ctx, caller, filter, page, sort, show)
}

// Names are principals and the names of definitions.
type Names = persistence.Names

// NamesOfProcesses are the names of what processes refer to: their initiators and
// their definitions. The caller has been shown the processes.
func (s *Service) NamesOfProcesses(ctx context.Context, processes ...domain.Process) (Names, error) {
	var principals, versions []uuid.UUID
	for i := range processes {
		principals = append(principals, processes[i].InitiatorID)
		versions = append(versions, processes[i].Definition.Version)
	}
	return s.reader.GetNames(ctx, principals, versions, nil)
}

// NamesOfTasks are the names of what tasks refer to: their owners and their
// definitions. The caller has been shown the tasks.
func (s *Service) NamesOfTasks(ctx context.Context, tasks ...domain.ProcessItem) (Names, error) {
	var principals, versions []uuid.UUID
	for i := range tasks {
		if owner := tasks[i].OwnerID; owner != nil {
			principals = append(principals, *owner)
		}
		if definition := tasks[i].Definition; definition != nil {
			versions = append(versions, definition.Version)
		}
	}
	return s.reader.GetNames(ctx, principals, nil, versions)
}
