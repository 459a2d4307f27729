package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// long has a history of several pages when it waits for its signal, and as many again when it ends.
func long(ctx workflow.Context) (int, error) {
	const half = 600
	sum := 0
	count := func() error {
		for range half {
			var one int
			if err := workflow.SideEffect(ctx, func(workflow.Context) any { return 1 }).Get(&one); err != nil {
				return err
			}
			sum += one
		}
		return nil
	}
	if err := count(); err != nil {
		return 0, err
	}
	if err := workflow.SetQueryHandler(ctx, "sum", func() (int, error) { return sum, nil }); err != nil {
		return 0, err
	}
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	return sum, count()
}

// A worker of another subject takes over a workflow, and reads all pages of its history for a query and for the next task.
func TestLongHistoriesAreReplayedByAnotherWorker(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	start := func(subject string) worker.Worker {
		robot := worker.New(w.sdk(t, "alpha", w.ca.clientOf(t, subject, "alpha"), withClaim(claims("alpha", "q1"), "sub", subject)), "q1", worker.Options{})
		robot.RegisterWorkflowWithOptions(long, workflow.RegisterOptions{Name: "long"})
		require.NoError(t, robot.Start())
		return robot
	}
	sum := func(id string) {
		answer, err := service.QueryWorkflow(ctx, id, "", "sum")
		require.NoError(t, err)
		var got int
		require.NoError(t, answer.Get(&got))
		require.Equal(t, 600, got)
	}
	first := start("robot-1")
	run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1", WorkflowTaskTimeout: time.Minute}, "long")
	require.NoError(t, err)
	sum(run.GetID())
	first.Stop()

	second := start("robot-2")
	defer second.Stop()
	sum(run.GetID())
	require.NoError(t, service.SignalWorkflow(ctx, run.GetID(), "", "go on", nil))
	var result int
	require.NoError(t, run.Get(ctx, &result))
	require.Empty(t, w.log.lines("call refused"))
}
