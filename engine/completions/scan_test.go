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

// What ended before the oldest run that is open concerns none.
func TestFirstLookEndsAtTheOldestRun(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	p := w.start(t)
	for n := range 40 {
		w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
			WorkflowID: "other-" + strconv.Itoa(n), RunID: "run", Completed: true, ClosedAt: time.Now().Add(-time.Hour),
		})
	}
	w.end(engine.EndCompleted, p, time.Now())
	w.observe(t, 0)
	w.await(t, p, domain.ProcessCompleted)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.LessOrEqual(t, slices.Max(w.depths), 2)
}

// Many workflows end in a busy namespace: most looks read only the latest ends again, and full looks those of two seconds.
func TestLooksAtBusyNamespacesReadLittleAgain(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.running[workflowOf(w.start(t))] = true
	latest := time.Now()
	for n := range 40 {
		w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
			WorkflowID: "other-" + strconv.Itoa(n), RunID: "run", Completed: true, ClosedAt: latest.Add(-time.Duration(n) * 100 * time.Millisecond),
		})
	}
	o, _ := w.observe(t, 0)
	o.Touch(w.Namespace)
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
	}, patience, 5*time.Millisecond)
	require.Greater(t, short, full)
	require.GreaterOrEqual(t, full, 2)
}

// Looks at a busy namespace wait for sweeps, which are short there.
func TestSweepsOfBusyNamespacesAreShort(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	for range 51 {
		w.running[workflowOf(w.start(t))] = true
	}
	o, _ := w.observe(t, 2*time.Minute)
	o.Touch(w.Namespace)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.asked == 50
	}, patience, 5*time.Millisecond)
}

// The sweep records ends that are never listed, also while lists fail.
func TestSweepRecordsUnlistedEnds(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	ended, goesOn := w.start(t), w.start(t)
	w.running[workflowOf(goesOn)] = true
	w.outcome[workflowOf(ended)] = &domain.Closing{
		Namespace: w.Namespace, WorkflowID: workflowOf(ended), RunID: "run", Status: domain.RunCancelled, ClosedAt: time.Now(),
	}
	w.faults = slices.Repeat([]error{errors.New("no answer")}, 1000)
	// Runs are swept after a minute without news.
	w.observe(t, 2*time.Minute)
	w.await(t, ended, domain.ProcessCancelled)
	w.await(t, goesOn, domain.ProcessRunning)
}
