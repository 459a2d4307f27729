package completions_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
)

// awaitCondition waits until a process has a condition.
func (w *fixture) awaitCondition(t *testing.T, p *domain.Process, want domain.ConditionCode) {
	t.Helper()
	require.Eventually(t, func() bool {
		view, err := w.RetrieveProcessView(t.Context(), w.Call, p.ID)
		require.NoError(t, err)
		return view.Condition.Code == want
	}, timeout, 5*time.Millisecond, want)
}

func (w *fixture) setInspection(p *domain.Process, i domain.Inspection, reported ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i.EngineRun = "run"
	w.inspected[workflowID(p)], w.problems = &i, reported
}

func TestReportedProblemsAreIncidentsUntilTheyEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p, healthy := w.startProcess(t), w.startProcess(t)
	w.setInspection(healthy, domain.Inspection{Busy: true})
	w.setInspection(p, domain.Inspection{
		Busy: true, Problem: &domain.Problem{Kind: domain.IncidentWorkflowTask, Attempts: 2, Message: "nil pointer"},
	}, workflowID(p))
	// Only the report of Temporal makes an inspection due so early.
	w.startObserver(t, time.Second)
	w.awaitCondition(t, p, domain.ConditionStuck)
	w.awaitCondition(t, healthy, domain.ConditionRunning)
	w.setInspection(p, domain.Inspection{Busy: true})
	w.awaitCondition(t, p, domain.ConditionRunning)
	incidents, err := administration.New(administration.Options{Store: storage.New(storage.Options{DB: w.db, Clock: time.Now})}).
		ListIncidents(t.Context(), w.Call, administration.IncidentFilter{}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Len(t, incidents.Items, 1)
	require.Equal(t, domain.IncidentResolved, incidents.Items[0].State)
}

// A workflow that waits for a person is inspected once.
func TestIdleWorkflowsAreInspectedOnce(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const n = 60
	for range n {
		p := w.startProcess(t)
		w.Task(t, w.Service, p, false)
		w.setInspection(p, domain.Inspection{})
	}
	w.startObserver(t, time.Minute)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.inspections >= n
	}, timeout, 5*time.Millisecond)
	w.awaitScans(t, 8)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Equal(t, n, w.inspections)
}

func TestProcessesAreUnknownWhileTemporalDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p := w.startProcess(t)
	w.setInspection(p, domain.Inspection{Busy: true})
	w.mu.Lock()
	for range 3 {
		w.faults = append(w.faults, errors.New("connection refused"))
	}
	w.mu.Unlock()
	w.startObserver(t, 0)
	w.awaitCondition(t, p, domain.ConditionUnknown)
	w.awaitCondition(t, p, domain.ConditionRunning)
}
