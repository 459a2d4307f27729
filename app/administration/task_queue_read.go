package administration

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/queuereport"
	"github.com/procession-dev/procession/persistence"
)

// TaskQueue is a task queue with its problems and the current state of each of
// its workers, in their order.
type TaskQueue struct {
	domain.TaskQueue
	WorkerStates []domain.WorkerState
	Problems     []string
	// Current reports whether the observation is recent and did not fail. Unknown is set if it is not, and the queue has no other
	// problem.
	Current, Unknown bool
}

// TaskQueueFilter narrows FindTaskQueues; empty fields match all.
type TaskQueueFilter = persistence.TaskQueueFilter

// FindTaskQueues returns a page of the task queues that definitions need or for
// which workers registered lately, in the order of tenants and names. They are
// visible to the owners and administrators of their tenant, and to operators. The state
// in Temporal was observed some seconds ago.
func (s *Service) FindTaskQueues(
	ctx context.Context, call domain.Call, filter TaskQueueFilter, page domain.PageRequest,
) (domain.Page[TaskQueue], error) {
	result := domain.Page[TaskQueue]{PageRequest: page}
	now := s.now()
	found, err := s.store.Reader.ListTaskQueues(ctx, persistence.AdministrationOf(call.Caller), filter, page, now)
	if err != nil {
		return result, err
	}
	result.Total = found.Total
	for i := range found.Items {
		queue := TaskQueue{TaskQueue: found.Items[i], Problems: queuereport.Problems(&found.Items[i], now, s.queueTimeouts)}
		queue.Current = queuereport.IsCurrent(queue.Observed, now, s.queueTimeouts)
		if !queue.Current {
			unobserved := found.Items[i]
			unobserved.Observed = nil
			queue.Unknown = len(queuereport.Problems(&unobserved, now, s.queueTimeouts)) == 0
		}
		for _, w := range queue.Workers {
			queue.WorkerStates = append(queue.WorkerStates, domain.WorkerStateAt(w.LastSeenAt, now))
		}
		result.Items = append(result.Items, queue)
	}
	return result, nil
}
