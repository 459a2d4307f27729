package engine_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// renewer continues as new once and then waits for a signal.
func renewer(ctx workflow.Context, in request) error {
	if workflow.GetInfo(ctx).ContinuedExecutionRunID == "" {
		return workflow.NewContinueAsNewError(ctx, "renewer", in)
	}
	workflow.GetSignalChannel(ctx, "KuFlow_Engine_Signal_Process_Item").Receive(ctx, nil)
	return nil
}

// thief starts a child with the id of another workflow, which it replaces.
func thief(ctx workflow.Context, id, kind string) error {
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: id, WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING, //nolint:staticcheck // deprecated, and still obeyed
		ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
	})
	return workflow.ExecuteChildWorkflow(ctx, kind, request{}).GetChildWorkflowExecution().Get(ctx, nil)
}

// replaceWorkflow replaces the workflow of a command by another one.
func (b fixture) replaceWorkflow(t *testing.T, c domain.DueCommand, kind string) {
	t.Helper()
	run, err := b.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: queue}, "thief", c.Run.WorkflowID, kind)
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
}

func signalAbout(c domain.DueCommand, run string) domain.DueCommand {
	s := nextCommand(c, domain.CommandSignal, run)
	item := uuid.New()
	s.ItemID, s.ItemType, s.Shape = &item, domain.ItemTask, domain.SignalShapeB
	return s
}

// awaitSignal waits until the history of a workflow has a signal. Temporal keeps a signal apart while a worker has a workflow task.
func (b fixture) awaitSignal(t *testing.T, workflowID string) {
	t.Helper()
	history := b.client.GetWorkflowHistory(t.Context(), workflowID, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
			return
		}
	}
	require.Fail(t, "the workflow ended without a signal")
}

func (b fixture) signals(t *testing.T, workflowID string) int {
	t.Helper()
	found := 0
	history := b.client.GetWorkflowHistory(t.Context(), workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
			found++
		}
	}
	return found
}

func TestTakenWorkflowIDs(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	t.Run("are failures of the run, which commands do not mistake", func(t *testing.T) {
		t.Parallel()
		c := newCommand("sleeper")
		run := b.executeCommand(t, c)
		b.replaceWorkflow(t, c, "sleeper")
		s := signalAbout(c, run)
		end, err := b.Outcome(t.Context(), s.Run, time.Now())
		require.NoError(t, err)
		require.Equal(t, domain.RunFailed, end.Status)
		require.Equal(t, run, end.RunID)
		require.Contains(t, end.Message, "which the service did not start, has the id of the workflow")
		for _, next := range []domain.DueCommand{s, nextCommand(c, domain.CommandCancel, run), nextCommand(c, domain.CommandTerminate, run)} {
			b.executeCommand(t, next)
		}
		require.Zero(t, b.signals(t, c.Run.WorkflowID))
		foreign, err := b.client.DescribeWorkflow(t.Context(), c.Run.WorkflowID, "")
		require.NoError(t, err)
		require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, foreign.Status)

		again := nextCommand(c, domain.CommandRestart, run)
		again.Run.State = domain.RunPending
		none, err := b.Outcome(t.Context(), again.Run, time.Now())
		require.NoError(t, err)
		require.Nil(t, none)
		second := b.executeCommand(t, again)
		require.NotContains(t, []string{run, foreign.WorkflowExecution.RunID}, second)
		require.Equal(t, second, b.executeCommand(t, again), "the same command")
		b.executeCommand(t, signalAbout(c, second))
		b.awaitSignal(t, c.Run.WorkflowID)
		require.Equal(t, 1, b.signals(t, c.Run.WorkflowID))
	})
	t.Run("are given back by a restart after the other workflow returned", func(t *testing.T) {
		t.Parallel()
		c := newCommand("sleeper")
		run := b.executeCommand(t, c)
		b.replaceWorkflow(t, c, "returner")
		require.NoError(t, b.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), nil))
		again := nextCommand(c, domain.CommandRestart, run)
		again.Run.State = domain.RunPending
		none, err := b.Outcome(t.Context(), again.Run, time.Now())
		require.NoError(t, err)
		require.Nil(t, none, "the child's return is not that of the process")
		require.NotEqual(t, run, b.executeCommand(t, again))
	})
}

// In each case the first run has ended and the chain continues.
func TestSignalsFollowTheChainOfRuns(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	for name, goOn := range map[string]func(domain.DueCommand, string){
		"continue-as-new": func(c domain.DueCommand, run string) {
			end := b.client.GetWorkflowHistory(t.Context(), c.Run.WorkflowID, run, true, enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
			event, err := end.Next()
			require.NoError(t, err)
			require.Equal(t, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW, event.GetEventType())
		},
		"reset": func(c domain.DueCommand, run string) { b.reset(t, c.Run.WorkflowID, run) },
	} {
		c := newCommand(map[string]string{"continue-as-new": "renewer", "reset": "sleeper"}[name])
		run := b.executeCommand(t, c)
		goOn(c, run)
		s := signalAbout(c, run)
		b.executeCommand(t, s)
		b.awaitSignal(t, c.Run.WorkflowID)
		require.Equal(t, 1, b.signals(t, c.Run.WorkflowID), name)
		end, err := b.Outcome(t.Context(), s.Run, time.Now())
		require.NoError(t, err)
		require.True(t, end == nil || end.Status == domain.RunCompleted, "%s: %v", name, end)
	}
}

// reset resets a run to its first workflow task.
func (b fixture) reset(t *testing.T, workflowID, run string) {
	t.Helper()
	history := b.client.GetWorkflowHistory(t.Context(), workflowID, run, true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		if event.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			continue
		}
		_, err = b.client.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
			Namespace: namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: run},
			Reason: "test", WorkflowTaskFinishEventId: event.GetEventId(), RequestId: uuid.NewString(),
		})
		require.NoError(t, err)
		return
	}
	require.Fail(t, "the workflow did nothing")
}
