package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// surveyor runs a definition of its own in the tenant Demo.
func surveyor() demo.Account {
	return demo.Account{
		Name: "surveyor", ID: uuid.MustParse("01980000-0000-7000-8000-00000000a0a1"), Secret: "demo-surveyor-secret",
		Tenant: demo.TenantDemo(),
	}
}

// applySurvey makes the surveyor and its definition.
func (s *testStack) applySurvey() demo.Account {
	s.t.Helper()
	account := surveyor()
	s.applyText(surveyManifest(account, "demo", "QUEUE_SURVEY"))
	return account
}

// surveyManifest describes an application of the tenant and the process definition SURVEY that it runs.
func surveyManifest(runner demo.Account, tenant, queue string) string {
	hash := authn.HashSecret(runner.Secret)
	return fmt.Sprintf(`
apiVersion: procession/v1
kind: Application
metadata: {code: %[1]s, tenant: %[2]s, id: %[3]s}
spec: {name: %[1]s, secrets: [{name: test, sha256: %[4]s}]}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: SURVEY, tenant: %[2]s}
spec:
  name: Survey
  engine: {workflowType: SurveyWorkflow, taskQueue: %[5]s, runner: %[1]s}
  permissions: {initiators: [{application: %[1]s}]}
`, runner.Name, tenant, runner.ID, hex.EncodeToString(hash[:]), queue)
}

// requireNoAccess requires that the engine is closed to an account.
func (s *testStack) requireNoAccess(account demo.Account) {
	s.t.Helper()
	for path, bodies := range map[string][]map[string]any{
		"/authentications": {{"type": "ENGINE_TOKEN"}, {"type": "ENGINE_CERTIFICATE"}},
		"/workers": {
			{"identity": account.Name, "taskQueue": account.Name + "-q", "hostname": "h", "ip": "127.0.0.1"},
			{"identity": account.Name, "taskQueue": "QUEUE_SAMPLE_LOAN", "hostname": "h", "ip": "127.0.0.1"},
		},
	} {
		for _, body := range bodies {
			status, got := s.call(account, http.MethodPost, path, body)
			require.Equal(s.t, http.StatusForbidden, status, "%s %s: %v", account.Name, path, got)
		}
	}
	status, got := s.call(account, http.MethodGet, "/kms/keys/demo-key", nil)
	require.Equal(s.t, http.StatusForbidden, status, "%s: %v", account.Name, got)
}

// queuesOf returns the task queues in the token of an account: servable ones it may poll, reachable ones its
// workflows may use.
func (s *testStack) queuesOf(account demo.Account) (size int, servable, reachable []string) {
	s.t.Helper()
	token := s.engineToken(account)
	content, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	require.NoError(s.t, err)
	var claims struct {
		TaskQueues       []string `json:"task_queues"`
		TenantTaskQueues []string `json:"tenant_task_queues"`
	}
	require.NoError(s.t, json.Unmarshal(content, &claims))
	return len(token), claims.TaskQueues, claims.TenantTaskQueues
}

func TestOnlyWorkersReachTheEngine(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	runner := s.applySurvey()
	for _, account := range []demo.Account{demo.Carol(), demo.Alice(), demo.Stranger(), demo.Reader()} {
		s.requireNoAccess(account)
	}
	// The token of a worker contains the registered queues only.
	before, _, _ := s.queuesOf(demo.LoanWorker())
	for n := range 600 {
		account := runner
		if n%2 == 0 {
			account = demo.Carol()
		}
		status, got := s.call(account, http.MethodPost, "/workers", map[string]any{
			"identity": fmt.Sprint("worker-", n), "taskQueue": fmt.Sprintf("%0255d", n), "hostname": "h", "ip": "127.0.0.1",
		})
		require.Equal(t, http.StatusForbidden, status, got)
	}
	after, servable, reachable := s.queuesOf(demo.LoanWorker())
	require.Equal(t, before, after)
	require.Less(t, after, 2000)
	require.NotContains(t, servable, "QUEUE_SURVEY")
	require.NotContains(t, reachable, "QUEUE_SURVEY")
	_, servable, reachable = s.queuesOf(runner)
	require.Equal(t, []string{"QUEUE_SURVEY"}, servable)
	require.Equal(t, []string{"QUEUE_SURVEY"}, reachable)
	var registered int
	s.query(`SELECT count(*) FROM workers`, &registered)
	require.Zero(t, registered)
}

func TestARunnerKeepsToItsQueues(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	runner := s.applySurvey()
	temporal := s.clientOf(runner).WorkflowService()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	poll := func(queue string) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
		return temporal.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
			Namespace: "demo", Identity: "test",
			TaskQueue: &taskqueue.TaskQueue{Name: queue, Kind: enums.TASK_QUEUE_KIND_NORMAL},
		})
	}
	s.createLoan(uuid.New())
	var denied *serviceerror.PermissionDenied
	_, err := poll("QUEUE_SAMPLE_LOAN")
	require.ErrorAs(t, err, &denied)

	// A workflow of the runner's hands no work to the loan worker.
	status, got := s.call(runner, http.MethodPost, "/processes", map[string]any{"processDefinitionCode": "SURVEY"})
	require.Equal(t, http.StatusCreated, status, got)
	task, err := poll("QUEUE_SURVEY")
	require.NoError(t, err)
	schedule := func(queue string) error {
		_, err := temporal.RespondWorkflowTaskCompleted(ctx, &workflowservice.RespondWorkflowTaskCompletedRequest{
			Namespace: "demo", Identity: "test", TaskToken: task.GetTaskToken(), Commands: []*command.Command{{
				CommandType: enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
				Attributes: &command.Command_ScheduleActivityTaskCommandAttributes{
					ScheduleActivityTaskCommandAttributes: &command.ScheduleActivityTaskCommandAttributes{
						ActivityId: "1", ActivityType: &common.ActivityType{Name: "KuFlow_Engine_retrieveProcessItem"},
						TaskQueue:           &taskqueue.TaskQueue{Name: queue},
						StartToCloseTimeout: durationpb.New(testTimeout),
					},
				},
			}},
		})
		return err
	}
	require.ErrorAs(t, schedule("QUEUE_SAMPLE_LOAN"), &denied)
	require.NoError(t, schedule("QUEUE_SURVEY"))
}

// Another runner of the tenant can neither read the histories of the loan worker nor poll or answer its tasks.
func TestARunnerStaysOutOfAnothersWorkflows(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	runner := s.applySurvey()
	s.startWorker()
	process := s.createLoan(uuid.New())
	s.awaitItem(process, "LOAN_APPLICATION")
	temporal := s.clientOf(runner).WorkflowService()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	execution := &common.WorkflowExecution{WorkflowId: "process-" + process.String()}

	var denied *serviceerror.PermissionDenied
	_, err := temporal.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: "demo", Execution: execution,
	})
	require.ErrorAs(t, err, &denied)

	history := s.temporalClient().GetWorkflowHistory(ctx, execution.GetWorkflowId(), "", false,
		enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	sticky := ""
	for sticky == "" && history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		queue := event.GetWorkflowTaskScheduledEventAttributes().GetTaskQueue()
		if queue.GetKind() == enums.TASK_QUEUE_KIND_STICKY {
			sticky = queue.GetName()
		}
	}
	require.NotEmpty(t, sticky)
	_, err = temporal.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: "demo", Identity: "test",
		TaskQueue: &taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: "QUEUE_SURVEY"},
	})
	require.ErrorAs(t, err, &denied)

	for _, scheduled := range []uint64{0, 5} {
		_, err = temporal.RespondActivityTaskCompleted(ctx, &workflowservice.RespondActivityTaskCompletedRequest{
			Namespace: "demo", TaskToken: enginetest.TokenOf(execution.GetWorkflowId(), "5", scheduled),
		})
		require.ErrorAs(t, err, &denied, scheduled)
	}
}
