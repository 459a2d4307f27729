package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// WorkerFilter narrows FindWorkers; empty fields match all.
type WorkerFilter = persistence.WorkerFilter

// Worker is a worker with the state that it and each of its registrations have
// now. QueueStates belong to its queues, in their order.
type Worker struct {
	domain.RegisteredWorker
	State       domain.WorkerState
	QueueStates []domain.WorkerState
}

// FindWorkers returns a page of the workers, the latest registration first by
// default. They are visible to the owners and administrators of their tenant,
// and to operators.
func (s *Service) FindWorkers(
	ctx context.Context, call domain.Call, filter WorkerFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[Worker], error) {
	now := s.now()
	found, err := s.store.Reader.ListWorkers(ctx, persistence.AdministrationOf(call.Caller), filter, now, page, sort)
	result := domain.Page[Worker]{PageRequest: found.PageRequest, Total: found.Total}
	for _, w := range found.Items {
		worker := Worker{RegisteredWorker: w, State: domain.WorkerStateAt(w.LastSeenAt, now)}
		for _, queue := range w.Queues {
			worker.QueueStates = append(worker.QueueStates, domain.WorkerStateAt(queue.LastSeenAt, now))
		}
		result.Items = append(result.Items, worker)
	}
	return result, err
}
