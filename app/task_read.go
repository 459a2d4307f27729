package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
)

// FindTasks (A17) calls show with a page of the tasks visible to the caller,
// with data and elements but without logs, and returns the error of show. The
// database connection and the memory of the page are released when show
// returns.
func (s *Service) FindTasks(
	ctx context.Context, call domain.Call, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.ProcessItem]) error,
) error {
	return s.store.Reader.ShowTasks(ctx, call.Caller, filter, page, sort, show)
}

// FindProcessesWithElements (A5) calls show with a page of the processes
// visible to the caller, with subjects and elements, and returns the error of
// show.
func (s *Service) FindProcessesWithElements(
	ctx context.Context, call domain.Call, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.Process]) error,
) error {
	return s.store.Reader.ShowProcessesWithElements(ctx, call.Caller, filter, page, sort, show)
}

// NamesOfProcesses returns the names of the initiators and definitions of processes that were visible to the caller.
func (s *Service) NamesOfProcesses(ctx context.Context, processes ...domain.Process) (domain.Names, error) {
	return s.store.Reader.NamesOfProcesses(ctx, processes...)
}

// NamesOfTasks returns the names of the owners and definitions of tasks that were visible to the caller.
func (s *Service) NamesOfTasks(ctx context.Context, tasks ...domain.ProcessItem) (domain.Names, error) {
	return s.store.Reader.NamesOfItems(ctx, tasks...)
}
