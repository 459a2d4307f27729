package completions

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

const (
	// recordersAtOnce bounds the ends of a look that are read and recorded singly at
	// the same time.
	recordersAtOnce = 8
	// recordAtOnce bounds the ends that are recorded in one transaction.
	recordAtOnce = 200
)

// record records the listed ends that are new.
func (l *look) record(ctx context.Context, page []engine.Closed) error {
	ended := make(map[string]engine.Closed, len(page))
	ids := make([]string, 0, len(page))
	for _, c := range page {
		// Of several runs of one workflow the last counts, which comes first.
		if _, ok := ended[c.WorkflowID]; !ok {
			ended[c.WorkflowID] = c
			ids = append(ids, c.WorkflowID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	runs, err := l.observer.o.DB.Reader().ListOpenRunsOfWorkflows(ctx, l.Namespace, ids)
	if err != nil {
		return err
	}
	var singly []domain.EngineRun
	var returned []domain.Closing
	for _, r := range runs {
		c := ended[r.WorkflowID]
		if r.Kind == domain.RunKindProcess && c.Completed && r.State == domain.RunRunning && c.RunID == r.RunID {
			returned = append(returned, domain.Closing{
				Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: c.RunID,
				Status: domain.RunCompleted, ClosedAt: c.ClosedAt,
			})
			continue
		}
		singly = append(singly, r)
	}
	rest, err := l.recordReturned(ctx, returned)
	if err != nil {
		// One of them may be what is wrong.
		l.observer.o.Logger.WarnContext(ctx, "recording the ends of workflows together failed", slog.Any("error", err))
		for _, r := range runs {
			if rest[r.WorkflowID] {
				singly = append(singly, r)
			}
		}
	}
	return l.recordAll(ctx, singly)
}

// recordReturned records the ends of workflows of processes that returned. After an
// error, rest has those that were not recorded.
func (l *look) recordReturned(ctx context.Context, returned []domain.Closing) (rest map[string]bool, err error) {
	for first := 0; first < len(returned); first += recordAtOnce {
		part := returned[first:min(first+recordAtOnce, len(returned))]
		n, err := l.observer.o.App.RecordCompletions(ctx, l.Namespace, part)
		if err != nil {
			rest = map[string]bool{}
			for _, c := range returned[first:] {
				rest[c.WorkflowID] = true
			}
			return rest, err
		}
		l.Active = l.Active || n > 0
	}
	return nil, nil
}

// recordAll records the ends of the runs that have ended, as Temporal describes
// them. A failure for one run does not hold up the others.
func (l *look) recordAll(ctx context.Context, runs []domain.EngineRun) error {
	var recorded atomic.Bool
	var group errgroup.Group
	group.SetLimit(recordersAtOnce)
	for _, r := range runs {
		group.Go(func() error {
			closing, err := l.observer.o.Engine.Outcome(ctx, r, l.began)
			if err == nil && closing != nil {
				var news bool
				news, err = l.observer.o.App.RecordClosing(ctx, *closing)
				if news {
					recorded.Store(true)
				}
			}
			if err != nil {
				return fmt.Errorf("recording the end of workflow %s: %w", r.WorkflowID, err)
			}
			return nil
		})
	}
	err := group.Wait()
	l.Active = l.Active || recorded.Load()
	return err
}
