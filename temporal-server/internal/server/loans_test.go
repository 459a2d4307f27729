package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	// loanStepLimit bounds a step. It leaves room for a busy machine.
	loanStepLimit = 30 * time.Second
	// loanCallLimit bounds one call, which is then repeated, as the service does. Temporal's SDK takes half of it for a start or a signal.
	loanCallLimit = 5 * time.Second
	loanPause     = 250 * time.Millisecond
)

// decideLoan is a workflow with the steps of a loan: an action, a decision of a person, another action.
func decideLoan(ctx workflow.Context, amount int) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	var score int
	if err := workflow.ExecuteActivity(ctx, "score", amount).Get(ctx, &score); err != nil {
		return "", err
	}
	var decision string
	workflow.GetSignalChannel(ctx, "decide").Receive(ctx, &decision)
	var letter string
	err := workflow.ExecuteActivity(ctx, "write", fmt.Sprint(decision, " ", score)).Get(ctx, &letter)
	return letter, err
}

// startLoanWorker starts a worker that executes loans in the namespace alpha.
func (w *testServer) startLoanWorker(t *testing.T) {
	t.Helper()
	robot := worker.New(w.sdk(t, "alpha", w.ca.client(t, "alpha"), claims("alpha", "q1")), "q1", worker.Options{})
	robot.RegisterWorkflowWithOptions(decideLoan, workflow.RegisterOptions{Name: "loan"})
	robot.RegisterActivityWithOptions(func(_ context.Context, amount int) (int, error) { return amount / 10, nil },
		activity.RegisterOptions{Name: "score"})
	robot.RegisterActivityWithOptions(func(_ context.Context, text string) (string, error) { return "Dear client: " + text, nil },
		activity.RegisterOptions{Name: "write"})
	require.NoError(t, robot.Start())
	t.Cleanup(robot.Stop)
}

// loanLoad starts and decides loans until its end, and records the results.
type loanLoad struct {
	client client.Client
	ending chan struct{}
	lanes  sync.WaitGroup

	mu      sync.Mutex
	ended   int
	byLane  []int                    // ended loans of each lane, also failed ones
	slowest map[string]time.Duration // by step
	slow    []slowStep
	errs    []error
}

// slowStep is a step that took more than half of the promised time.
type slowStep struct {
	loan, step string
	began      time.Time
	took       time.Duration
}

// startLoad starts lanes of loans; a lane has one loan at a time.
func (w *testServer) startLoad(t *testing.T, lanes int) *loanLoad {
	t.Helper()
	l := &loanLoad{
		client: w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims()),
		ending: make(chan struct{}), slowest: map[string]time.Duration{}, byLane: make([]int, lanes),
	}
	for lane := range lanes {
		l.lanes.Go(func() { l.runLane(t.Context(), lane) })
	}
	return l
}

func (l *loanLoad) runLane(ctx context.Context, lane int) {
	pause := time.NewTicker(loanPause)
	defer pause.Stop()
	for i := 0; ; i++ {
		err := l.runLoan(ctx, fmt.Sprintf("loan-%d-%d", lane, i), 100*lane+i)
		l.record(func() {
			l.byLane[lane]++
			if err != nil {
				l.errs = append(l.errs, err)
			}
		})
		select {
		case <-l.ending:
			return
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

func (l *loanLoad) runLoan(ctx context.Context, id string, amount int) error {
	var run client.WorkflowRun
	err := l.timeStep(ctx, id, "start", func(ctx context.Context, _ bool) (err error) {
		run, err = l.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "q1"}, "loan", amount)
		return err
	})
	if err != nil {
		return err
	}
	err = l.timeStep(ctx, id, "decide", func(ctx context.Context, again bool) error {
		err := l.client.SignalWorkflow(ctx, id, run.GetRunID(), "decide", "granted")
		if _, ended := errors.AsType[*serviceerror.NotFound](err); ended && again {
			return nil // the call without an answer was executed
		}
		return err
	})
	if err != nil {
		return err
	}
	var letter string
	if err := l.timeStep(ctx, id, "end", func(ctx context.Context, _ bool) error { return run.Get(ctx, &letter) }); err != nil {
		return err
	}
	if want := fmt.Sprint("Dear client: granted ", amount/10); letter != want {
		return fmt.Errorf("%s: the result is %q instead of %q", id, letter, want)
	}
	l.record(func() { l.ended++ })
	return nil
}

// timeStep runs a step of a loan within the limit, again after a call without an answer, and records its duration.
func (l *loanLoad) timeStep(ctx context.Context, id, step string, run func(ctx context.Context, again bool) error) error {
	begin := time.Now()
	for again := false; ; again = true {
		call, cancel := context.WithTimeout(ctx, loanCallLimit)
		err := run(call, again)
		cancel()
		if err == nil {
			break
		}
		_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
		if unanswered := late || errors.Is(err, context.DeadlineExceeded); !unanswered || time.Since(begin) > loanStepLimit {
			return fmt.Errorf("%s: %s after %s: %w", id, step, time.Since(begin).Round(time.Millisecond), err)
		}
	}
	took := time.Since(begin)
	l.record(func() {
		l.slowest[step] = max(l.slowest[step], took)
		if took > clusterStepLimit/2 {
			l.slow = append(l.slow, slowStep{id, step, begin, took})
		}
	})
	return nil
}

func (l *loanLoad) record(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// awaitLoans returns when n more loans have ended.
func (l *loanLoad) awaitLoans(t *testing.T, n int) {
	t.Helper()
	var before int
	l.record(func() { before = l.ended + len(l.errs) })
	require.Eventually(t, func() bool {
		var now int
		l.record(func() { now = l.ended + len(l.errs) })
		return now >= before+n
	}, 2*time.Minute, 50*time.Millisecond)
}

// awaitRound returns when each lane has begun and ended a loan.
func (l *loanLoad) awaitRound(t *testing.T) {
	t.Helper()
	var before []int
	l.record(func() { before = slices.Clone(l.byLane) })
	require.Eventually(t, func() bool {
		slow := false
		l.record(func() {
			for lane, ended := range l.byLane {
				slow = slow || ended < before[lane]+2
			}
		})
		return !slow
	}, 2*time.Minute, 50*time.Millisecond)
}

// slowestStep returns the longest duration of a step.
func (l *loanLoad) slowestStep() (slowest time.Duration) {
	l.record(func() {
		for _, took := range l.slowest {
			slowest = max(slowest, took)
		}
	})
	return slowest
}

// requireNoFailure ends the load and requires that every call succeeded.
func (l *loanLoad) requireNoFailure(t *testing.T) {
	t.Helper()
	close(l.ending)
	l.lanes.Wait()
	t.Logf("%d loans; slowest steps: %v", l.ended, l.slowest)
	for _, slow := range l.slow {
		t.Logf("%s: %s took %s from %s: %s", slow.loan, slow.step, slow.took.Round(time.Millisecond), slow.began.Format("15:04:05.000"), l.pausesOf(t, slow))
	}
	require.Empty(t, l.errs)
	require.Positive(t, l.ended)
}

// pausesOf returns the events during a step that came a second or more after the preceding one.
func (l *loanLoad) pausesOf(t *testing.T, slow slowStep) (pauses string) {
	t.Helper()
	last := slow.began
	for events := l.client.GetWorkflowHistory(t.Context(), slow.loan, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		event, err := events.Next()
		if err != nil {
			return err.Error()
		}
		at := event.GetEventTime().AsTime()
		if pause := at.Sub(last); pause >= time.Second {
			pauses += fmt.Sprintf("%s after %s; ", event.GetEventType(), pause.Round(time.Millisecond))
		}
		if at.After(last) {
			last = at
		}
	}
	return pauses
}
