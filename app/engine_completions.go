package app

import (
	"context"
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RecordCompletions is RecordEnd, in one transaction, for completed workflows with unused results of a namespace.
// It returns the number of new ends. Workflows of other resources, and workflows that the service did not start, are
// ignored.
func (s *Service) RecordCompletions(ctx context.Context, namespace string, ends []domain.RunEnd) (int, error) {
	recorded := 0
	now := s.now()
	ids := make([]string, len(ends))
	for i := range ends {
		ids[i] = ends[i].WorkflowID
	}
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		recorded = 0
		locked, err := tx.LockProcessesOfWorkflows(ctx, namespace, ids)
		if err != nil {
			return nil, err
		}
		var events domain.Events
		for _, c := range ends {
			of, ok := locked[c.WorkflowID]
			if !ok || !of.Run.EndedBy(c) {
				continue
			}
			resolved, err := resolveProblem(ctx, tx, of.Run, now)
			if err != nil {
				return nil, err
			}
			before := of.Run.Finding
			ended := endRun(tx, &of.Run, c, now)
			finished, err := s.finishWithWorkflow(ctx, tx, of, before, c, now)
			if err != nil {
				return nil, err
			}
			events = slices.Concat(events, resolved, domain.Events{ended}, finished)
			recorded++
		}
		return events, nil
	})
	if err != nil {
		return 0, err
	}
	return recorded, nil
}

// endRun stores that a run has ended.
func endRun(tx *persistence.Tx, r *domain.EngineRun, c domain.RunEnd, now time.Time) domain.Event {
	before := r.State
	r.Close(c)
	closedAt := c.ClosedAt.UTC().Truncate(time.Microsecond)
	tx.UpdateEngineRun(*r, &closedAt, now)
	return domain.EngineRunEvent(*r, before, domain.SystemPrincipalID(), now)
}
