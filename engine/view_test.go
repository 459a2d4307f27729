package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// busy takes a signal, starts a timer and a child, and waits for an activity that fails again and again.
func busy(ctx workflow.Context, in request) error {
	var s itemSignal
	workflow.GetSignalChannel(ctx, "KuFlow_Engine_Signal_Process_Item").Receive(ctx, &s)
	workflow.NewTimer(ctx, time.Hour)
	workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: in.ProcessID + "-child"}), "sleeper", in)
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: 50 * time.Millisecond},
	}), "refuse").Get(ctx, nil)
}

// refuse fails with a message longer than the shown one.
func refuse(context.Context) error {
	return errors.New("<b>no answer\x00</b>" + strings.Repeat("…", 1000))
}

func questionOf(c domain.DueCommand) domain.WorkflowQuestion {
	return domain.WorkflowQuestion{
		Namespace: c.Run.Namespace, WorkflowID: c.Run.WorkflowID, Among: []string{c.Run.WorkflowID},
	}
}

// requireViews requires the views of waiting, failed and unknown workflows.
func requireViews(t *testing.T, b fixture) {
	t.Helper()
	c := newCommand("busy")
	run := b.executeCommand(t, c)
	signal := nextCommand(c, domain.CommandSignal, run)
	signal.ItemID, signal.ItemType, signal.ItemCode, signal.Shape = new(uuid.New()), domain.ItemTask, "APPROVE", domain.SignalShapeB
	b.executeCommand(t, signal)
	var view *domain.WorkflowView
	waits := map[domain.WaitKind]domain.WorkflowWait{}
	require.Eventually(t, func() bool {
		var err error
		view, err = b.View(t.Context(), questionOf(c))
		if err != nil {
			return false
		}
		for _, w := range view.Waits {
			waits[w.Kind] = w
		}
		return waits[domain.WaitActivity].Attempt > 2 && waits[domain.WaitActivity].Message != "" && waits[domain.WaitChild].WorkflowID != ""
	}, time.Minute, 50*time.Millisecond)
	require.Equal(t, "busy", view.Type)
	require.Equal(t, "Running", view.Status)
	require.Equal(t, "refuse", waits[domain.WaitActivity].Name)
	require.True(t, strings.HasPrefix(waits[domain.WaitActivity].Message, "<b>no answer\uFFFD</b>"), waits[domain.WaitActivity].Message)
	require.LessOrEqual(t, len(waits[domain.WaitActivity].Message), 1000)
	require.Equal(t, "sleeper", waits[domain.WaitChild].Name)
	require.WithinDuration(t, waits[domain.WaitTimer].Since.Add(time.Hour), *waits[domain.WaitTimer].Until, time.Second)
	kinds := map[string]domain.WorkflowEvent{}
	for _, e := range view.Events {
		kinds[e.Kind] = e
	}
	require.Equal(t, "busy", kinds["WorkflowExecutionStarted"].Name)
	require.Equal(t, "KuFlow_Engine_Signal_Process_Item", kinds["WorkflowExecutionSignaled"].Name)
	require.Equal(t, "APPROVE", kinds["WorkflowExecutionSignaled"].About)
	require.Equal(t, "refuse", kinds["ActivityTaskScheduled"].Name)
	require.Contains(t, kinds, "TimerStarted")
	require.Nil(t, view.Older)

	child := questionOf(c)
	child.WorkflowID = waits[domain.WaitChild].WorkflowID
	seen, err := b.View(t.Context(), child)
	require.NoError(t, err)
	require.Equal(t, c.Run.WorkflowID, seen.Parent)
	child.Among = []string{"another"}
	seen, err = b.View(t.Context(), child)
	require.NoError(t, err)
	require.Nil(t, seen, "a child of another workflow is not shown")

	ended := newCommand("failer")
	b.executeCommand(t, ended)
	b.awaitOutcome(t, ended)
	view, err = b.View(t.Context(), questionOf(ended))
	require.NoError(t, err)
	require.Equal(t, "Failed", view.Status)
	require.Empty(t, view.Waits)
	require.Equal(t, "WorkflowExecutionFailed", view.Events[0].Kind)
	require.Contains(t, view.Events[0].Message, "no funds\uFFFD")

	unknown, err := b.View(t.Context(), questionOf(newCommand("busy")))
	require.NoError(t, err)
	require.Nil(t, unknown)
}
