package completions

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// maxInspections bounds the workflows that one scan inspects.
const maxInspections = 50

// inspectWorkflows inspects the due workflows: each some time after its last use, or at once if Temporal reports that its
// workflow tasks fail. The number of inspections depends on the use of workflows, not on their number.
func (s *scan) inspectWorkflows(ctx context.Context) error {
	reported, complete, err := s.observer.o.Engine.ListProblems(ctx, s.Namespace)
	if err != nil {
		return err
	}
	if len(reported) > 0 || s.Problems {
		if err := s.observer.o.DB.RequestInspections(ctx, s.Namespace, s.began, reported, complete); err != nil {
			return err
		}
	}
	runs, err := s.observer.o.DB.Reader().ListDueInspections(ctx, s.Namespace, s.began, maxInspections)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(maxRecorders)
	for _, r := range runs {
		group.Go(func() error {
			began := s.observer.o.Clock()
			inspected, err := s.observer.o.Engine.Inspect(ctx, r)
			if err == nil {
				err = s.observer.o.App.RecordInspection(ctx, r.ID, inspected, began)
			}
			if err != nil {
				return fmt.Errorf("inspecting workflow %s: %w", r.WorkflowID, err)
			}
			return nil
		})
	}
	return group.Wait()
}
