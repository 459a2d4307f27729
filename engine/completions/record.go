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
	// maxRecorders bounds the ends of a scan that are described and recorded
	// concurrently.
	maxRecorders = 8
	// recordBatch bounds the ends that one transaction records.
	recordBatch = 200
)

// recordEnds records the new ends of a page.
func (s *scan) recordEnds(ctx context.Context, page []engine.Closed) error {
	ended := make(map[string]engine.Closed, len(page))
	ids := make([]string, 0, len(page))
	for _, c := range page {
		// The first listed run of a workflow is its last.
		if _, ok := ended[c.WorkflowID]; !ok {
			ended[c.WorkflowID] = c
			ids = append(ids, c.WorkflowID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	runs, err := s.observer.o.DB.Reader().ListOpenRunsOfWorkflows(ctx, s.Namespace, ids)
	if err != nil {
		return err
	}
	var single []domain.EngineRun
	var completed []domain.RunEnd
	for _, r := range runs {
		c := ended[r.WorkflowID]
		if r.Kind == domain.RunKindProcess && c.Completed && r.State == domain.RunRunning && c.RunID == r.RunID {
			completed = append(completed, domain.RunEnd{
				Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: c.RunID,
				Status: domain.RunCompleted, ClosedAt: c.ClosedAt,
			})
			continue
		}
		single = append(single, r)
	}
	rest, err := s.recordCompleted(ctx, completed)
	if err != nil {
		// One of them may have caused the failure.
		s.observer.o.Logger.WarnContext(ctx, "recording a batch of ends of workflows failed", slog.Any("error", err))
		for _, r := range runs {
			if rest[r.WorkflowID] {
				single = append(single, r)
			}
		}
	}
	return s.recordRuns(ctx, single)
}

// recordCompleted records ends of processes' workflows that completed. After an error,
// rest contains the workflows without a record.
func (s *scan) recordCompleted(ctx context.Context, completed []domain.RunEnd) (rest map[string]bool, err error) {
	for first := 0; first < len(completed); first += recordBatch {
		part := completed[first:min(first+recordBatch, len(completed))]
		n, err := s.observer.o.App.RecordCompletions(ctx, s.Namespace, part)
		if err != nil {
			rest = map[string]bool{}
			for _, c := range completed[first:] {
				rest[c.WorkflowID] = true
			}
			return rest, err
		}
		s.observer.recorded.Add(int64(n))
		s.FoundEnds = s.FoundEnds || n > 0
	}
	return nil, nil
}

// recordRuns describes runs and records their ends. A failure for one run does not
// block the others.
func (s *scan) recordRuns(ctx context.Context, runs []domain.EngineRun) error {
	var recorded atomic.Int64
	var group errgroup.Group
	group.SetLimit(maxRecorders)
	for _, r := range runs {
		group.Go(func() error {
			end, err := s.observer.o.Engine.Outcome(ctx, r, s.began)
			if err == nil && end != nil {
				var news bool
				news, err = s.observer.o.App.RecordEnd(ctx, *end)
				if news {
					recorded.Add(1)
				}
			}
			if err != nil {
				return fmt.Errorf("recording the end of workflow %s: %w", r.WorkflowID, err)
			}
			return nil
		})
	}
	err := group.Wait()
	s.observer.recorded.Add(recorded.Load())
	s.FoundEnds = s.FoundEnds || recorded.Load() > 0
	return err
}
