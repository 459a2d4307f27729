package server_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	// loanStepLimit bounds one call of a client, and the time from a decision to the end of its workflow. It leaves room for a busy machine.
	loanStepLimit = 30 * time.Second
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
	slowest map[string]time.Duration // by step
	errs    []error
}

// startLoad starts lanes of loans; a lane has one loan at a time.
func (w *testServer) startLoad(t *testing.T, lanes int) *loanLoad {
	t.Helper()
	l := &loanLoad{
		client: w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims()),
		ending: make(chan struct{}), slowest: map[string]time.Duration{},
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
		if err := l.runLoan(ctx, fmt.Sprintf("loan-%d-%d", lane, i), 100*lane+i); err != nil {
			l.record(func() { l.errs = append(l.errs, err) })
		}
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
	err := errors.Join(
		l.timeStep(ctx, id, "start", func(ctx context.Context) (err error) {
			run, err = l.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "q1"}, "loan", amount)
			return err
		}),
		l.timeStep(ctx, id, "decide", func(ctx context.Context) error { return l.client.SignalWorkflow(ctx, id, "", "decide", "granted") }),
	)
	if err != nil {
		return err
	}
	var letter string
	if err := l.timeStep(ctx, id, "end", func(ctx context.Context) error { return run.Get(ctx, &letter) }); err != nil {
		return err
	}
	if want := fmt.Sprint("Dear client: granted ", amount/10); letter != want {
		return fmt.Errorf("%s: the result is %q instead of %q", id, letter, want)
	}
	l.record(func() { l.ended++ })
	return nil
}

// timeStep runs a step of a loan within the limit and records its duration.
func (l *loanLoad) timeStep(ctx context.Context, id, step string, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, loanStepLimit)
	defer cancel()
	begin := time.Now()
	if err := run(ctx); err != nil {
		return fmt.Errorf("%s: %s after %s: %w", id, step, time.Since(begin).Round(time.Millisecond), err)
	}
	took := time.Since(begin)
	l.record(func() { l.slowest[step] = max(l.slowest[step], took) })
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
	require.Empty(t, l.errs)
	require.Positive(t, l.ended)
}
