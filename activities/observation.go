package activities

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

const (
	// Temporal lists a workflow some time after it has ended, and not in order.
	// Every look goes back by nearOverlap, some looks by farOverlap, and the sweep
	// finds what is listed even later.
	nearOverlap = 2 * time.Second
	farOverlap  = 30 * time.Second
	farEvery    = 10 * time.Second

	// The sweep describes runs without news for a while, a limited number at a time.
	sweepEvery = time.Minute
	sweepAge   = time.Minute
	sweepSize  = 500

	recorders = 8
)

// observation is the state of one ObserveClosings. Times are the service's except
// for the watermark, which is Temporal's: the latest recorded end.
type observation struct {
	a         *Activities
	namespace string
	heartbeat func()

	watermark, saved time.Time
	polled           time.Time
	active           time.Time
	open             bool

	nextFar, nextSweep, nextActivity time.Time
	sweepAfter                       uuid.UUID
}

// look records the workflows that ended since the watermark, and raises the
// watermark if all were recorded.
func (o *observation) look(ctx context.Context) error {
	var since time.Time
	if !o.watermark.IsZero() {
		overlap := nearOverlap
		if !o.polled.Before(o.nextFar) {
			overlap, o.nextFar = farOverlap, o.polled.Add(farEvery)
		}
		since = o.watermark.Add(-overlap)
	}
	latest := o.watermark
	var token []byte
	var fault error
	for {
		page, next, err := o.a.o.Engine.ListClosed(ctx, o.namespace, since, token)
		if err != nil {
			return err
		}
		// A failure to record one page must not hold up later pages.
		if err := o.recordPage(ctx, page); err != nil && fault == nil {
			fault = err
		}
		for _, c := range page {
			if c.ClosedAt.After(latest) {
				latest = c.ClosedAt
			}
		}
		if len(next) == 0 {
			break
		}
		token = next
	}
	if fault != nil {
		return fault
	}
	o.watermark = latest
	return o.saveWatermark(ctx)
}

// saveWatermark stores the watermark once it is so far ahead of the stored one
// that a new observer would have to look back further than it does anyway.
func (o *observation) saveWatermark(ctx context.Context) error {
	if o.watermark.Sub(o.saved) < farOverlap/2 {
		return nil
	}
	err := o.a.o.App.RaiseEngineWatermark(ctx, o.namespace, o.watermark)
	if err == nil {
		o.saved = o.watermark
	}
	return err
}

// recordPage records the listed ends that are new.
func (o *observation) recordPage(ctx context.Context, page []engine.Closed) error {
	ended := make(map[string]engine.Closed, len(page))
	ids := make([]string, 0, len(page))
	for _, c := range page {
		// Of several runs of one workflow the last counts.
		if known, ok := ended[c.WorkflowID]; !c.Continued && (!ok || c.ClosedAt.After(known.ClosedAt)) {
			ended[c.WorkflowID] = c
		}
	}
	for id := range ended {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	runs, err := o.a.o.App.ListOpenRuns(ctx, o.namespace, ids)
	if err != nil {
		return err
	}
	return o.recordAll(ctx, runs, func(ctx context.Context, r domain.EngineRun) (*domain.Closing, error) {
		c := ended[r.WorkflowID]
		if c.Completed && !r.HasResult() && r.State == domain.RunRunning && c.RunID == r.RunID {
			return &domain.Closing{
				Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: c.RunID,
				Status: domain.RunCompleted, ClosedAt: c.ClosedAt,
			}, nil
		}
		return o.a.o.Engine.Outcome(ctx, r, o.polled)
	})
}

// sweep describes the next runs without news for long, so that no process stays
// open because an end was not listed in time.
func (o *observation) sweep(ctx context.Context) error {
	runs, err := o.a.o.App.ListQuietRuns(ctx, o.namespace, o.polled.Add(-sweepAge), o.sweepAfter, sweepSize)
	if err != nil {
		return err
	}
	o.sweepAfter = uuid.Nil
	if len(runs) == sweepSize {
		o.sweepAfter = runs[sweepSize-1].ID
	}
	return o.recordAll(ctx, runs, func(ctx context.Context, r domain.EngineRun) (*domain.Closing, error) {
		return o.a.o.Engine.Outcome(ctx, r, o.polled)
	})
}

// recordAll records the ends of the runs that have ended. A failure for one run
// does not hold up the others.
func (o *observation) recordAll(
	ctx context.Context, runs []domain.EngineRun,
	outcome func(context.Context, domain.EngineRun) (*domain.Closing, error),
) error {
	var recorded atomic.Bool
	var group errgroup.Group
	group.SetLimit(recorders)
	for _, r := range runs {
		group.Go(func() error {
			o.heartbeat()
			closing, err := outcome(ctx, r)
			if err == nil && closing != nil {
				var news bool
				news, err = o.a.o.App.RecordClosing(ctx, *closing)
				if news {
					recorded.Store(true)
					o.a.o.Logger.DebugContext(ctx, "workflow has ended",
						slog.String("workflow", r.WorkflowID), slog.String("status", string(closing.Status)))
				}
			}
			if err != nil {
				return fmt.Errorf("recording the end of workflow %s: %w", r.WorkflowID, err)
			}
			return nil
		})
	}
	err := group.Wait()
	if recorded.Load() {
		o.active = o.a.o.Clock()
	}
	return err
}
