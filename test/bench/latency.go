package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	// walkers is how many processes are under way at once: a light load.
	walkers = 4
	// lateProcesses is how many processes end unexpectedly.
	lateProcesses = 40
	lateSpacing   = 250 * time.Millisecond
	// visiblePoll is how often a walker polls its process, and so the error of
	// the measurement.
	visiblePoll   = 5 * time.Millisecond
	signalTarget  = 250 * time.Millisecond
	visibleTarget = time.Second
	walkTimeout   = 2 * time.Minute
)

// latencies contains the measurements of walkers.
type latencies struct {
	mu                         sync.Mutex
	started, signalled, closed []time.Duration
}

// measureLatency measures, on an otherwise idle service, how long a workflow
// waits for the service and a user for a workflow.
func (b *bench) measureLatency(ctx context.Context) error {
	c, err := b.dialEngine(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	seen := &watch{}
	w, err := startWorker(ctx, c, seen)
	if err != nil {
		return err
	}
	defer w.Stop()

	var l latencies
	if err := b.walkProcesses(ctx, seen, walkers, &latencies{}); err != nil {
		return err
	}
	if err := b.walkProcesses(ctx, seen, b.samples, &l); err != nil {
		return err
	}
	late, err := b.walkLate(ctx, seen)
	if err != nil {
		return err
	}
	b.report.add(row{measure: "create answered → workflow begins", value: formatLatency(l.started)})
	b.report.add(boundedRow("task complete answered → signal in workflow", l.signalled, signalTarget))
	b.report.add(boundedRow("workflow returns → process COMPLETED visible", l.closed, visibleTarget))
	b.report.add(boundedRow(fmt.Sprintf("the same, by a timer of %.0f s, service idle", laterAfter.Seconds()), late, visibleTarget))
	return nil
}

func boundedRow(measure string, took []time.Duration, limit time.Duration) row {
	return row{
		measure: measure, value: formatLatency(took), beside: fmt.Sprintf("%d samples", len(took)),
		limit: "p99 ≤ " + formatMilliseconds(limit), missed: percentileOf(took, 0.99) > limit,
	}
}

// walkProcesses takes n processes from creation to completion.
func (b *bench) walkProcesses(ctx context.Context, seen *watch, n int, l *latencies) error {
	group, ctx := errgroup.WithContext(ctx)
	for walker := range walkers {
		group.Go(func() error {
			c, err := b.dial(ctx, demo.Alice())
			if err != nil {
				return err
			}
			defer c.Close()
			for i := walker; i < n; i += walkers {
				if err := walkOne(ctx, c, seen, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func walkOne(ctx context.Context, c *conn, seen *watch, l *latencies) error {
	ctx, cancel := context.WithTimeout(ctx, walkTimeout)
	defer cancel()
	process, item := uuid.New(), uuid.New()
	workflow := "process-" + process.String()
	life := seen.followWorkflow(workflow)
	defer seen.watched.Delete(workflow)
	if err := createProcess(c, codeWait, process); err != nil {
		return err
	}
	created := time.Now()
	began, err := awaitMoment(ctx, "the workflow to begin", life.began)
	if err != nil {
		return err
	}
	if err := createTask(c, process, item, codeTask); err != nil {
		return err
	}
	if err := c.callExpecting(http.MethodPost, "/process-items/"+item.String()+"/task/~actions/complete", "", http.StatusOK); err != nil {
		return err
	}
	completed := time.Now()
	signalled, err := awaitMoment(ctx, "the signal", life.signalled)
	if err != nil {
		return err
	}
	returned, err := awaitMoment(ctx, "the workflow to return", life.returned)
	if err != nil {
		return err
	}
	visible, err := awaitCompleted(ctx, c, process)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// The worker can be faster than the answer.
	l.started = append(l.started, max(0, began.Sub(created)))
	l.signalled = append(l.signalled, max(0, signalled.Sub(completed)))
	l.closed = append(l.closed, max(0, visible.Sub(returned)))
	return nil
}

// walkLate measures the ends of workflows that come long after the service last
// had to do with them.
func (b *bench) walkLate(ctx context.Context, seen *watch) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	group, ctx := errgroup.WithContext(ctx)
	for range lateProcesses {
		if err := waitFor(ctx, lateSpacing); err != nil {
			break
		}
		group.Go(func() error {
			c, err := b.dial(ctx, demo.Alice())
			if err != nil {
				return err
			}
			defer c.Close()
			ctx, cancel := context.WithTimeout(ctx, walkTimeout)
			defer cancel()
			process := uuid.New()
			workflow := "process-" + process.String()
			life := seen.followWorkflow(workflow)
			defer seen.watched.Delete(workflow)
			if err := createProcess(c, codeLater, process); err != nil {
				return err
			}
			returned, err := awaitMoment(ctx, "the workflow to return", life.returned)
			if err != nil {
				return err
			}
			visible, err := awaitCompleted(ctx, c, process)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, max(0, visible.Sub(returned)))
			return nil
		})
	}
	return took, group.Wait()
}

func awaitMoment(ctx context.Context, what string, at <-chan time.Time) (time.Time, error) {
	select {
	case t := <-at:
		return t, nil
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("waiting for %s: %w", what, ctx.Err())
	}
}

// awaitCompleted asks for a process until it is COMPLETED and returns when that
// was answered.
func awaitCompleted(ctx context.Context, c *conn, process uuid.UUID) (time.Time, error) {
	err := pollUntil(ctx, visiblePoll, func(context.Context) (bool, error) {
		body, err := c.callAPI(http.MethodGet, "/processes/"+process.String(), "", http.StatusOK)
		if err != nil {
			return false, err
		}
		var p struct {
			State string `json:"state"`
		}
		if err := json.Unmarshal(body, &p); err != nil {
			return false, fmt.Errorf("reading a process: %w", err)
		}
		if p.State == "CANCELLED" {
			return false, fmt.Errorf("process %s was cancelled", process)
		}
		return p.State == "COMPLETED", nil
	})
	return time.Now(), err
}
