package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	procession "github.com/procession-dev/procession/sdk"
)

func signalOf(workflow string, item uuid.UUID) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION,
		Attributes: &command.Command_SignalExternalWorkflowExecutionCommandAttributes{
			SignalExternalWorkflowExecutionCommandAttributes: &command.SignalExternalWorkflowExecutionCommandAttributes{
				Execution: &common.WorkflowExecution{WorkflowId: workflow}, SignalName: "KuFlow_Engine_Signal_Process_Item",
				Input: &common.Payloads{Payloads: []*common.Payload{{
					Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`{"id":"` + item.String() + `","type":"TASK"}`),
				}}},
			},
		},
	}
}

func cancellationOf(workflow string) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION,
		Attributes: &command.Command_RequestCancelExternalWorkflowExecutionCommandAttributes{
			RequestCancelExternalWorkflowExecutionCommandAttributes: &command.RequestCancelExternalWorkflowExecutionCommandAttributes{
				WorkflowId: workflow,
			},
		},
	}
}

func childNamed(workflow string, reuse enums.WorkflowIdReusePolicy) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION,
		Attributes: &command.Command_StartChildWorkflowExecutionCommandAttributes{
			StartChildWorkflowExecutionCommandAttributes: &command.StartChildWorkflowExecutionCommandAttributes{
				WorkflowId: workflow, WorkflowIdReusePolicy: reuse, WorkflowType: &common.WorkflowType{Name: "SurveyWorkflow"},
				TaskQueue: &taskqueue.TaskQueue{Name: "QUEUE_SURVEY"},
			},
		},
	}
}

// A runner's workflow neither signals, cancels nor replaces the process of another runner of the tenant.
func TestRunnersCommandsSpareAnothersProcess(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	runner := s.applySurvey()
	s.startWorker()
	process := s.createLoan(uuid.New())
	item := s.awaitItem(process, "LOAN_APPLICATION")
	status, got := s.call(demo.Carol(), http.MethodPost, "/process-items/"+item+"/task/~actions/claim", nil)
	require.Equal(t, http.StatusOK, status, got)
	status, got = s.call(runner, http.MethodPost, "/processes", map[string]any{"processDefinitionCode": "SURVEY"})
	require.Equal(t, http.StatusCreated, status, got)

	temporal := s.clientOf(runner).WorkflowService()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	task, err := temporal.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: "demo", Identity: "test", TaskQueue: &taskqueue.TaskQueue{Name: "QUEUE_SURVEY", Kind: enums.TASK_QUEUE_KIND_NORMAL},
	})
	require.NoError(t, err)
	respond := func(c *command.Command) error {
		_, err := temporal.RespondWorkflowTaskCompleted(ctx, &workflowservice.RespondWorkflowTaskCompletedRequest{
			Namespace: "demo", Identity: "test", TaskToken: task.GetTaskToken(), Commands: []*command.Command{c},
		})
		return err
	}
	loan := "process-" + process.String()
	attacks := []*command.Command{
		signalOf(loan, procession.ItemID(process, "LOAN_APPLICATION")), cancellationOf(loan),
		childNamed(loan, enums.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING), childNamed(loan, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE), //nolint:staticcheck // deprecated, and still obeyed
		childNamed("survey-1", enums.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING), //nolint:staticcheck // deprecated, and still obeyed
	}
	for _, prefix := range domain.WorkflowIDPrefixes() {
		attacks = append(attacks, childNamed(prefix+uuid.NewString(), enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE))
	}
	var denied *serviceerror.PermissionDenied
	for _, c := range attacks {
		require.ErrorAs(t, respond(c), &denied, c)
		require.Contains(t, denied.Reason, "command "+c.GetCommandType().String()+" names workflow")
	}
	_, err = temporal.ResetStickyTaskQueue(ctx, &workflowservice.ResetStickyTaskQueueRequest{
		Namespace: "demo", Execution: &common.WorkflowExecution{WorkflowId: loan},
	})
	require.ErrorAs(t, err, &denied)

	require.NoError(t, respond(childNamed("survey-1", enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)))
	require.Equal(t, 1, s.countRuns(process))
	require.Equal(t, "CLAIMED", s.taskState(item))
	s.fill(item, map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "9000"})
	s.awaitItem(process, "APPROVE_LOAN")
	require.Equal(t, "RUNNING", s.processState(process))
}

// The token of one application is of no use with the certificate of another one.
func TestEngineTokenOverAnothersCertificateIsRefused(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	runner := s.applySurvey()
	status, token := s.call(runner, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	require.Equal(t, http.StatusOK, status, token)
	own := client.NewAPIKeyStaticCredentials(field[string](t, token, "engineToken", "token"))
	describe := func(c client.Client, queue string) error {
		_, err := c.WorkflowService().DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
			Namespace: "demo", TaskQueue: &taskqueue.TaskQueue{Name: queue},
		})
		return err
	}
	require.NoError(t, describe(s.clientOf(runner), "QUEUE_SURVEY"))
	var denied *serviceerror.PermissionDenied
	require.ErrorAs(t, describe(s.clientOf(demo.LoanWorker(), func(o *client.Options) { o.Credentials = own }), "QUEUE_SURVEY"), &denied)
	require.Equal(t, "token and client certificate belong to different subjects", denied.Reason)
}

// Another workflow with the id of a process does not end the process, and a retry replaces that workflow.
func TestTakenWorkflowIDBecomesAnIncidentThatCanBeRetried(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	process := s.createLoan(uuid.New())
	s.await("the workflow to start", func() bool { return s.runState(process) == "RUNNING" })
	_, err := s.systemClient().WorkflowService().StartWorkflowExecution(t.Context(), &workflowservice.StartWorkflowExecutionRequest{
		Namespace: "demo", WorkflowId: "process-" + process.String(), WorkflowType: &common.WorkflowType{Name: "Other"},
		TaskQueue: &taskqueue.TaskQueue{Name: "QUEUE_SURVEY"}, WorkflowRunTimeout: durationpb.New(time.Hour), RequestId: uuid.NewString(),
		WorkflowIdReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_TERMINATE_IF_RUNNING, Identity: "test", //nolint:staticcheck // deprecated, and still obeyed
	})
	require.NoError(t, err)
	incident := s.awaitIncident(process)
	require.Equal(t, "RUNNING", s.processState(process))
	printed(t, append([]string{"incidents", "retry", incident}, s.asking(demo.Alice())...)...)
	s.await("the workflow to start again", func() bool { return s.runState(process) == "RUNNING" })
	s.startWorker()
	s.awaitItem(process, "LOAN_APPLICATION")
}
