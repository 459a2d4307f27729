package access_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/procession-dev/procession/temporal-server/access"
)

// frontend looks up workflows and counts the look-ups.
type frontend struct {
	queues  map[string]string // by workflow id
	parents map[string]string
	fails   error
	lookups int
}

// newFrontend returns a frontend with a workflow of the caller of token, one of its tenant and some of others.
func newFrontend() *frontend {
	return &frontend{
		queues: map[string]string{
			"own": "q1", "process-own": "q1", "tenant": "q2", "child": "q2", "foreign": "q3", "process-foreign": "q3", "data-source-1": "temporal",
			"foreign-child": "q3",
		},
		parents: map[string]string{"child": "own", "foreign-child": "foreign"},
	}
}

func (f *frontend) DescribeWorkflowExecution(
	_ context.Context, request *workflowservice.DescribeWorkflowExecutionRequest,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.lookups++
	if f.fails != nil {
		return nil, f.fails
	}
	id := request.GetExecution().GetWorkflowId()
	queue, known := f.queues[id]
	if !known || request.GetNamespace() != "alpha" {
		return nil, serviceerror.NewNotFound("workflow not found")
	}
	about := &workflow.WorkflowExecutionInfo{}
	if parent, ok := f.parents[id]; ok {
		about.ParentExecution = &common.WorkflowExecution{WorkflowId: parent, RunId: uuid.NewString()}
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{
		ExecutionConfig:       &workflow.WorkflowExecutionConfig{TaskQueue: &taskqueue.TaskQueue{Name: queue}},
		WorkflowExecutionInfo: about,
	}, nil
}

func signalTo(id, run string, childOnly bool) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION,
		Attributes: &command.Command_SignalExternalWorkflowExecutionCommandAttributes{
			SignalExternalWorkflowExecutionCommandAttributes: &command.SignalExternalWorkflowExecutionCommandAttributes{
				Execution: &common.WorkflowExecution{WorkflowId: id, RunId: run}, SignalName: "s", ChildWorkflowOnly: childOnly,
			},
		},
	}
}

func cancelOf(id, run string, childOnly bool) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION,
		Attributes: &command.Command_RequestCancelExternalWorkflowExecutionCommandAttributes{
			RequestCancelExternalWorkflowExecutionCommandAttributes: &command.RequestCancelExternalWorkflowExecutionCommandAttributes{
				WorkflowId: id, RunId: run, ChildWorkflowOnly: childOnly,
			},
		},
	}
}

func childWith(id string, reuse enums.WorkflowIdReusePolicy) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION,
		Attributes: &command.Command_StartChildWorkflowExecutionCommandAttributes{
			StartChildWorkflowExecutionCommandAttributes: &command.StartChildWorkflowExecutionCommandAttributes{
				WorkflowId: id, WorkflowIdReusePolicy: reuse, TaskQueue: &taskqueue.TaskQueue{Name: "q1"},
			},
		},
	}
}

// completeTask completes a workflow task with commands.
func completeTask(t *testing.T, g *access.Guard, at *frontend, token string, commands ...*command.Command) error {
	t.Helper()
	return completeOn(t, g, at, token, "q1", commands...)
}

func completeOn(t *testing.T, g *access.Guard, at *frontend, token, queue string, commands ...*command.Command) error {
	t.Helper()
	_, err := callAt(t, g, at, token, completed, &workflowservice.RespondWorkflowTaskCompletedRequest{
		Namespace: "alpha", TaskToken: workflowTaskOn(t, g, token, queue), Commands: commands,
	}, &workflowservice.RespondWorkflowTaskCompletedResponse{})
	return err
}

func TestCommandsReachWorkflowsOfTheCallerOnly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token, at := newGuard(t, p.options()), p.signToken(t, nil), newFrontend()
	for id, allowed := range map[string]bool{
		"own": true, "process-own": true, "child": true,
		"tenant": false, "foreign": false, "process-foreign": false, "data-source-1": false, "foreign-child": false,
		// Temporal reports an unknown workflow to the sender, but the service may be about to start one of its own.
		"unknown": true, "process-unknown": false, "task-robot-unknown": false,
	} {
		for _, c := range []*command.Command{signalTo(id, "", false), cancelOf(id, uuid.NewString(), false)} {
			err := completeTask(t, g, at, token, c)
			if allowed {
				require.NoError(t, err, "%s %s", c.GetCommandType(), id)
				continue
			}
			require.ErrorContains(t, err, "command "+c.GetCommandType().String()+` names workflow "`+id+`", which is on no task queue that the token covers`)
		}
	}
	for _, c := range []*command.Command{signalTo("process-foreign", "", true), cancelOf("process-foreign", "", true)} {
		require.NoError(t, completeTask(t, g, at, token, c), "Temporal restricts it to children")
	}
	require.Error(t, completeTask(t, g, at, token, signalTo("own", "", false), signalTo("foreign", "", false)))
	stranger := p.signToken(t, map[string]any{"sub": "robot-2", "task_queues": []string{"q2"}})
	require.ErrorContains(t, completeOn(t, g, at, stranger, "q2", signalTo("own", "", false)), "which is on no task queue", "the cache has it")

	many := make([]*command.Command, 2_001)
	for i := range many {
		many[i] = signalTo("own", "", false)
	}
	require.ErrorContains(t, completeTask(t, g, at, token, many...), "the request names more than 2000 workflows")
	at.fails = serviceerror.NewUnavailable("no history")
	require.ErrorContains(t, completeTask(t, g, at, token, signalTo("other", "", false)), "no history")
}

func TestChildrenTakeNoIDOfTheService(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.UncheckedCommandQueues = true
	for _, g := range []*access.Guard{newGuard(t, p.options()), newGuard(t, o)} {
		token := p.signToken(t, nil)
		for _, prefix := range []string{"process-", "process-action-", "business-artifact-action-", "task-robot-", "data-source-", "temporal-sys-scheduler:"} {
			id := prefix + uuid.NewString()
			err := completeTask(t, g, newFrontend(), token, childWith(id, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE))
			require.ErrorContains(t, err, `command StartChildWorkflowExecution names workflow "`+id+`", and only the service starts workflows with such an id`)
			err = completeTask(t, g, newFrontend(), token, childWith("north."+id, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE))
			require.ErrorContains(t, err, "only the service starts workflows with such an id")
		}
		for number, name := range enums.WorkflowIdReusePolicy_name {
			err := completeTask(t, g, newFrontend(), token, childWith("order-1", enums.WorkflowIdReusePolicy(number)))
			if strings.Contains(name, "TERMINATE") {
				require.ErrorContains(t, err, `command StartChildWorkflowExecution names workflow "order-1", and a start must not terminate`)
				continue
			}
			require.NoError(t, err, name)
		}
	}
}

func TestUncheckedCommandsReachWorkflowsThatTheServiceDidNotStart(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.UncheckedCommandQueues = true
	g, token, at := newGuard(t, o), p.signToken(t, nil), newFrontend()
	require.NoError(t, completeTask(t, g, at, token, signalTo("foreign", "", false), cancelOf("foreign", "", false)))
	require.Zero(t, at.lookups)
	require.NoError(t, completeTask(t, g, at, token, signalTo("process-own", "", false)))
	require.Error(t, completeTask(t, g, at, token, signalTo("process-foreign", "", false)))
}

func TestTargetsAreLookedUpOnceAMinute(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token, at := newGuard(t, p.options()), p.signToken(t, nil), newFrontend()
	for range 3 {
		require.NoError(t, completeTask(t, g, at, token, signalTo("own", "", false), cancelOf("own", "", false), signalTo("child", "", false)))
	}
	require.Equal(t, 3, at.lookups, "one for the workflow, and two for the child and its parent")
	for range 3 {
		require.Error(t, completeTask(t, g, at, token, signalTo("foreign", "", false)))
	}
	require.Equal(t, 6, at.lookups, "a refused workflow may have continued on another queue")
}

// The child runs on a queue of its tenant that the caller does not serve.
func TestChildrenOfADeliveredTaskAreNotLookedUp(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token, at := newGuard(t, p.options()), p.signToken(t, nil), newFrontend()
	fresh, old := &common.WorkflowExecution{WorkflowId: "tenant", RunId: uuid.NewString()}, &common.WorkflowExecution{WorkflowId: "foreign", RunId: uuid.NewString()}
	started := func(child *common.WorkflowExecution, at time.Time) *history.HistoryEvent {
		return &history.HistoryEvent{
			EventTime: timestamppb.New(at), Attributes: &history.HistoryEvent_ChildWorkflowExecutionStartedEventAttributes{
				ChildWorkflowExecutionStartedEventAttributes: &history.ChildWorkflowExecutionStartedEventAttributes{WorkflowExecution: child},
			},
		}
	}
	task := &workflowservice.PollWorkflowTaskQueueResponse{
		TaskToken: []byte{8, 1}, WorkflowExecutionTaskQueue: &taskqueue.TaskQueue{Name: "q1"},
		History: &history.History{Events: []*history.HistoryEvent{started(fresh, time.Now()), started(old, time.Now().Add(-time.Hour))}},
	}
	_, err := call(t, g, token, workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName,
		&workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: "q1"}}, proto.CloneOf(task))
	require.NoError(t, err)
	require.NoError(t, completeTask(t, g, at, token,
		signalTo("tenant", fresh.GetRunId(), false), cancelOf("tenant", "", false), signalTo("foreign", old.GetRunId(), false)))
	require.Zero(t, at.lookups)
	require.Error(t, completeTask(t, g, at, token, signalTo("foreign", "", false)), "another workflow may have the id of an old child")
	stranger := p.signToken(t, map[string]any{"sub": "robot-2", "task_queues": []string{"q4"}})
	require.Error(t, completeOn(t, g, at, stranger, "q4", signalTo("tenant", fresh.GetRunId(), false)))
}

func TestTokenOverAnotherSubjectsCertificateIsRefused(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token := newGuard(t, p.options()), p.signToken(t, nil)
	describe := func(token, subject string) string {
		claims := credentialsOver(t, g, token, 1, subject)
		return authorize(t, g, claims, workflowservice.WorkflowService_DescribeNamespace_FullMethodName,
			&workflowservice.DescribeNamespaceRequest{Namespace: "alpha"}).Reason
	}
	require.Empty(t, describe(token, "robot-1"))
	require.Equal(t, "token and client certificate belong to different subjects", describe(token, "robot-2"))
	require.Empty(t, describe("", "robot-2"), "some SDKs send their first calls before they have a token")
}
