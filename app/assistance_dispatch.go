package app

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// dispatchLease is how long a run is left alone by other replicas while its
	// workflow is being started.
	dispatchLease = 10 * time.Second
	// dispatchBatch is how many runs are taken out at once.
	dispatchBatch = 50
	// overdueGrace is how long after its deadline the workflow of a run may take to
	// end it.
	overdueGrace = 15 * time.Second
)

// DispatchAssistance records started workflows and returns the runs that need one. A run may be returned more than once
// until it is recorded, also after a crash. Overdue runs fail with TIMEOUT in any state of their workflows.
func (s *Service) DispatchAssistance(
	ctx context.Context, started []domain.DueAssistance,
) ([]domain.DueAssistance, error) {
	now := s.now()
	due, overdue, err := s.store.DB.ExchangeAssistance(ctx, persistence.AssistanceExchange{
		Started: started, Now: now, Overdue: now.Add(-overdueGrace), LeaseUntil: now.Add(dispatchLease),
		Limit: dispatchBatch,
	})
	if err != nil {
		return nil, err
	}
	for _, key := range overdue {
		if err := s.FailAssistance(ctx, key, domain.AssistanceTimedOut); err != nil {
			return due, err
		}
	}
	return due, nil
}
