package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// FindTasks (A17) returns a page of the tasks that the caller sees, with their
// data and elements but without logs.
func (s *Service) FindTasks(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	return s.reader.ListTasks(ctx, caller, filter, page, sort)
}

// FindProcessesWithElements (A5) returns a page of the processes that the caller
// sees, with their subjects and elements.
func (s *Service) FindProcessesWithElements(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	return s.reader.ListProcessesWithElements(ctx, caller, filter, page, sort)
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
