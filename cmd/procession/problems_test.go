package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// inspectNow makes an inspection of the workflow of a process due, as time does.
func (s *testStack) inspectNow(process uuid.UUID) {
	s.t.Helper()
	var n int
	s.query(`WITH due AS (UPDATE engine_runs SET inspect_at = now(), last_active_at = now() - interval '1 minute'
	                       WHERE owner_id = $1 AND state = 'RUNNING' RETURNING 1)
	         SELECT count(*)::int FROM due`, &n, process)
}

// awaitFinding inspects the workflow of a process until it has a finding.
func (s *testStack) awaitFinding(process uuid.UUID, want string) {
	s.t.Helper()
	s.await("the finding "+want, func() bool {
		var finding string
		s.inspectNow(process)
		s.query("SELECT coalesce(finding, '') FROM engine_runs WHERE owner_id = $1", &finding, process)
		return finding == want
	})
}

// requireProblem requires an open incident of a process.
func (s *testStack) requireProblem(process uuid.UUID, kind string, texts ...string) {
	s.t.Helper()
	s.await("an incident "+kind, func() bool {
		var open string
		s.inspectNow(process)
		s.query("SELECT coalesce((SELECT kind FROM incidents WHERE process_id = $1 AND state = 'OPEN'), '')", &open, process)
		return open == kind
	})
	var all string
	s.query("SELECT message || failure FROM incidents WHERE process_id = $1 AND state = 'OPEN'", &all, process)
	for _, text := range texts {
		require.Contains(s.t, all, text)
	}
}

// Faults of the author of a worker are incidents until they are mended.
func TestProblemsOfRunningWorkflows(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	start := func(loan func(workflow.Context) error) worker.Worker {
		w := worker.New(s.temporalClient(), "QUEUE_SAMPLE_LOAN", worker.Options{})
		w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ map[string]any) error { return loan(ctx) },
			workflow.RegisterOptions{Name: "SampleEngineWorkerLoanWorkflow"})
		w.RegisterActivityWithOptions(func(context.Context) error { return errors.New("no route to the mail server") },
			activity.RegisterOptions{Name: "send"})
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
		return w
	}
	loan := s.createLoan(uuid.New())
	s.await("the start", func() bool { return s.runState(loan) == "RUNNING" })
	s.awaitFinding(loan, "UNSERVED")

	faulty := start(func(workflow.Context) error {
		var missing map[string]*domain.Process
		missing["nil pointer"].State = ""
		return nil
	})
	s.requireProblem(loan, "WORKFLOW_TASK", "nil pointer", "problems_test.go")
	faulty.Stop()

	start(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute,
			RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond, BackoffCoefficient: 1},
		})
		if err := workflow.ExecuteActivity(ctx, "send").Get(ctx, nil); err != nil {
			return err
		}
		workflow.GetSignalChannel(ctx, processSignal).Receive(ctx, nil)
		return workflow.ExecuteActivity(workflow.WithTaskQueue(ctx, "QUEUE_INSPECTION"), "send").Get(ctx, nil)
	})
	s.requireProblem(loan, "ACTIVITY", "no route to the mail server")
	asAlice := s.asking(demo.Alice())
	require.Contains(t, printed(t, append([]string{"incidents", "list", "--all"}, asAlice...)...), "RESOLVED")

	// A step that is skipped by hand ends the problem. Then only a message continues the process.
	step := strings.TrimSpace(printed(t, append([]string{
		"processes", "history", loan.String(), "--engine", "-o", `jq=.workflow.waits[] | select(.kind == "ACTIVITY") | .activityId`,
	}, asAlice...)...))
	printed(t, append([]string{"processes", "repair", "complete-step", loan.String(), "--activity", step, "--reason", "sent by hand", "--yes"}, asAlice...)...)
	s.awaitFinding(loan, "WAITING_FOR_SIGNAL")
	require.Contains(t, printed(t, append([]string{"processes", "repair", "list", loan.String()}, asAlice...)...), "sent by hand")

	// Then an activity is for a queue without a worker.
	s.signalProcess(loan, "json/plain")
	s.awaitFinding(loan, "UNSERVED")
	alice := s.browse(demo.Alice().Secret)
	alice.open("processes/" + loan.String())
	alice.AwaitText("Waiting for the engine")
	alice.AwaitText("no worker takes tasks of the queue QUEUE_INSPECTION")
}
