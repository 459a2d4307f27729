package completions_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

func TestFirstScanStopsAtOldestRun(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p := w.startProcess(t)
	for n := range 40 {
		w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
			WorkflowID: "other-" + strconv.Itoa(n), RunID: "run", Completed: true, ClosedAt: time.Now().Add(-time.Hour),
		})
	}
	w.endWorkflow(engine.EndCompleted, p, time.Now())
	w.startObserver(t, 0)
	w.awaitState(t, p, domain.ProcessCompleted)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.LessOrEqual(t, slices.Max(w.depths), 2)
}

// Most scans of an active namespace reread the latest ends only, and full scans the
// ends of two seconds.
func TestScansOfActiveNamespaceRereadFewEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.running[workflowID(w.startProcess(t))] = true
	latest := time.Now()
	for n := range 40 {
		w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
			WorkflowID: "other-" + strconv.Itoa(n), RunID: "run", Completed: true, ClosedAt: latest.Add(-time.Duration(n) * 100 * time.Millisecond),
		})
	}
	o, _ := w.startObserver(t, 0)
	o.MarkActive(w.Namespace)
	var short, full int
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		short, full = 0, 0
		for _, depth := range w.depths[:max(0, len(w.depths)-1)] {
			if depth < 15 {
				short++
			} else {
				full++
			}
		}
		return short+full >= 12
	}, timeout, 5*time.Millisecond)
	require.Greater(t, short, full)
	require.GreaterOrEqual(t, full, 2)
}

// Scans of an active namespace wait for sweeps, which are short there.
func TestSweepsOfActiveNamespaceAreShort(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for range 51 {
		w.running[workflowID(w.startProcess(t))] = true
	}
	o, _ := w.startObserver(t, 2*time.Minute)
	o.MarkActive(w.Namespace)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.sweepSize == 50
	}, timeout, 5*time.Millisecond)
}

// The sweep records ends that are never listed, also while lists fail.
func TestSweepRecordsUnlistedEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	ended, goesOn := w.startProcess(t), w.startProcess(t)
	w.running[workflowID(goesOn)] = true
	w.outcome[workflowID(ended)] = &domain.RunEnd{
		Namespace: w.Namespace, WorkflowID: workflowID(ended), RunID: "run", Status: domain.RunCancelled, ClosedAt: time.Now(),
	}
	w.faults = slices.Repeat([]error{errors.New("no answer")}, 1000)
	// Runs are swept after a minute without news.
	w.startObserver(t, 2*time.Minute)
	w.awaitState(t, ended, domain.ProcessCancelled)
	w.awaitState(t, goesOn, domain.ProcessRunning)
}
