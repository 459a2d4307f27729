package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	tokenspb "go.temporal.io/server/api/token/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// rawWorker is a worker of namespace alpha that speaks gRPC itself.
type rawWorker struct {
	t       *testing.T
	subject string
	api     workflowservice.WorkflowServiceClient
}

func newRawWorker(t *testing.T, w *testServer, subject string, queues ...string) rawWorker {
	t.Helper()
	cert := w.ca.clientOf(t, subject, "alpha")
	conn := w.dial(t, &cert, w.issuer.sign(t, withClaim(claims("alpha", queues...), "sub", subject)))
	return rawWorker{t, subject, workflowservice.NewWorkflowServiceClient(conn)}
}

func (r rawWorker) pollWorkflow(queue *taskqueue.TaskQueue, wait time.Duration) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), wait)
	defer cancel()
	return r.api.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", Identity: r.subject, TaskQueue: queue})
}

// pollSticky polls as SDKs before mid-2023 do: without the name of the normal queue.
func (r rawWorker) pollSticky(name string, wait time.Duration) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	return r.pollWorkflow(&taskqueue.TaskQueue{Name: name, Kind: enums.TASK_QUEUE_KIND_STICKY}, wait)
}

// ownsSticky asks for a sticky queue without saying how long to wait, which Temporal refuses at once where the guard does not.
func (r rawWorker) ownsSticky(name string) bool {
	_, err := r.api.PollWorkflowTaskQueue(r.t.Context(), &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: name, Kind: enums.TASK_QUEUE_KIND_STICKY},
	})
	require.Contains(r.t, []codes.Code{codes.InvalidArgument, codes.PermissionDenied}, status.Code(err), "%v", err)
	return status.Code(err) == codes.InvalidArgument
}

func (r rawWorker) completeWorkflow(task []byte, sticky string, commands ...*command.Command) error {
	request := &workflowservice.RespondWorkflowTaskCompletedRequest{Namespace: "alpha", TaskToken: task, Commands: commands}
	if sticky != "" {
		request.StickyAttributes = &taskqueue.StickyExecutionAttributes{
			WorkerTaskQueue:        &taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY},
			ScheduleToStartTimeout: durationpb.New(time.Minute),
		}
	}
	_, err := r.api.RespondWorkflowTaskCompleted(r.t.Context(), request)
	return err
}

// answerTask tries every answer to an activity's task, the heartbeat first.
func (r rawWorker) answerTask(task []byte) map[string]error {
	ctx, errs := r.t.Context(), map[string]error{}
	_, errs["heartbeat"] = r.api.RecordActivityTaskHeartbeat(ctx, &workflowservice.RecordActivityTaskHeartbeatRequest{Namespace: "alpha", TaskToken: task})
	_, errs["completed"] = r.api.RespondActivityTaskCompleted(ctx, &workflowservice.RespondActivityTaskCompletedRequest{Namespace: "alpha", TaskToken: task})
	_, errs["failed"] = r.api.RespondActivityTaskFailed(ctx, &workflowservice.RespondActivityTaskFailedRequest{Namespace: "alpha", TaskToken: task})
	_, errs["canceled"] = r.api.RespondActivityTaskCanceled(ctx, &workflowservice.RespondActivityTaskCanceledRequest{Namespace: "alpha", TaskToken: task})
	return errs
}

func (r rawWorker) pollActivity(queue string) *workflowservice.PollActivityTaskQueueResponse {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	task, err := r.api.PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: queue}})
	require.NoError(r.t, err)
	return task
}

func requireDenied(t *testing.T, errs map[string]error) {
	t.Helper()
	for answer, err := range errs {
		require.Equal(t, codes.PermissionDenied, status.Code(err), "%s: %v", answer, err)
	}
}

func (r rawWorker) history(execution *common.WorkflowExecution, page []byte) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	return r.api.GetWorkflowExecutionHistory(r.t.Context(), &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: "alpha", Execution: execution, MaximumPageSize: 1, NextPageToken: page,
	})
}

func scheduleActivity(queue string) *command.Command {
	return &command.Command{
		CommandType: enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
		Attributes: &command.Command_ScheduleActivityTaskCommandAttributes{ScheduleActivityTaskCommandAttributes: &command.ScheduleActivityTaskCommandAttributes{
			ActivityId: "a1", ActivityType: &common.ActivityType{Name: "a"}, TaskQueue: &taskqueue.TaskQueue{Name: queue},
			StartToCloseTimeout: durationpb.New(5 * time.Minute), ScheduleToStartTimeout: durationpb.New(5 * time.Minute),
		}},
	}
}

// An attacker within the tenant knows the name of the sticky queue, the ids, and the format of tokens.
func TestNoSubjectWorksOnTheTasksOfAnother(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, func(o *options.Options) {
		o.Store, o.Visibility, o.DatabaseURL = options.StorePostgres, options.StorePostgres, newPostgres(t)
	})
	w.addNamespace(t, "alpha")
	service := workflowservice.NewWorkflowServiceClient(w.system(t))
	start := startRequest("alpha", "q1")
	start.WorkflowTaskTimeout = durationpb.New(2 * time.Minute)
	run, err := service.StartWorkflowExecution(t.Context(), start)
	require.NoError(t, err)
	execution := &common.WorkflowExecution{WorkflowId: start.GetWorkflowId(), RunId: run.GetRunId()}
	described, err := service.DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "alpha"})
	require.NoError(t, err)

	own, other, customer := newRawWorker(t, w, "own", "q1"), newRawWorker(t, w, "other", "q1"), newRawWorker(t, w, "customer", "customer-q")
	sticky := "host:" + uuid.NewString()
	require.True(t, own.ownsSticky(sticky))
	require.False(t, other.ownsSticky(sticky))
	task, err := own.pollWorkflow(&taskqueue.TaskQueue{Name: "q1"}, time.Minute)
	require.NoError(t, err)
	denied := map[string]error{
		"another's task": other.completeWorkflow(task.GetTaskToken(), ""),
		"a forged task": other.completeWorkflow(forgeToken(t, &tokenspb.Task{
			NamespaceId: described.GetNamespaceInfo().GetId(), WorkflowId: execution.GetWorkflowId(), RunId: execution.GetRunId(),
			ScheduledEventId: 2, StartedEventId: task.GetStartedEventId(), Attempt: 1,
		}), ""),
		"another's sticky queue":    customer.completeWorkflow(task.GetTaskToken(), sticky),
		"a queue outside the token": own.completeWorkflow(task.GetTaskToken(), sticky, scheduleActivity("q9")),
	}
	requireDenied(t, denied)

	// All of this survives a restart.
	require.NoError(t, w.server.Stop())
	w.start(t)
	service = workflowservice.NewWorkflowServiceClient(w.system(t))
	own, other, customer = newRawWorker(t, w, "own", "q1"), newRawWorker(t, w, "other", "q1"), newRawWorker(t, w, "customer", "customer-q")
	require.False(t, other.ownsSticky(sticky))
	require.False(t, customer.ownsSticky(sticky))
	require.NoError(t, own.completeWorkflow(task.GetTaskToken(), sticky, scheduleActivity("q1")))

	ids := forgeToken(t, &tokenspb.Task{NamespaceId: described.GetNamespaceInfo().GetId(), WorkflowId: execution.GetWorkflowId(), ActivityId: "a1"})
	requireDenied(t, customer.answerTask(ids))
	requireDenied(t, own.answerTask(ids))
	activity := own.pollActivity("q1")
	requireDenied(t, other.answerTask(activity.GetTaskToken()))
	polled := make(chan *workflowservice.PollWorkflowTaskQueueResponse, 1)
	go func() {
		task, _ := own.pollSticky(sticky, time.Minute)
		polled <- task
	}()
	require.Eventually(t, func() bool { return isPolled(t, service, sticky) }, 30*time.Second, 20*time.Millisecond, "Temporal uses it while it is polled")
	answered := own.answerTask(activity.GetTaskToken())
	require.NoError(t, answered["heartbeat"])
	require.NoError(t, answered["completed"])

	next := <-polled
	require.NotEmpty(t, next.GetTaskToken(), "a sticky poll without the normal queue's name is served")
	requireHistoriesKeptApart(t, execution, own, other, customer)
	require.NoError(t, own.completeWorkflow(next.GetTaskToken(), sticky))
}

func isPolled(t *testing.T, service workflowservice.WorkflowServiceClient, sticky string) bool {
	t.Helper()
	described, err := service.DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
		Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY},
		TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err == nil && len(described.GetPollers()) > 0
}

func requireHistoriesKeptApart(t *testing.T, execution *common.WorkflowExecution, own, other, customer rawWorker) {
	t.Helper()
	first, err := own.history(execution, nil)
	require.NoError(t, err)
	second, err := own.history(execution, first.GetNextPageToken())
	require.NoError(t, err)
	require.NotEmpty(t, second.GetHistory().GetEvents())
	_, err = other.history(execution, nil)
	require.NoError(t, err, "it may be given tasks of the same queue")
	_, foreignPage := other.history(execution, first.GetNextPageToken())
	_, foreignQueue := customer.history(execution, nil)
	_, foreignBoth := customer.history(execution, first.GetNextPageToken())
	requireDenied(t, map[string]error{"a page": foreignPage, "a queue": foreignQueue, "both": foreignBoth})
}

func forgeToken(t *testing.T, token *tokenspb.Task) []byte {
	t.Helper()
	content, err := token.Marshal()
	require.NoError(t, err)
	return content
}

// The service completes activities with tokens that their workers passed to it.
func TestTheServiceAnswersTasksOfOthers(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	service := workflowservice.NewWorkflowServiceClient(w.system(t))
	_, err := service.StartWorkflowExecution(t.Context(), startRequest("alpha", "q1"))
	require.NoError(t, err)
	own := newRawWorker(t, w, "own", "q1")
	task, err := own.pollWorkflow(&taskqueue.TaskQueue{Name: "q1"}, time.Minute)
	require.NoError(t, err)
	require.NoError(t, own.completeWorkflow(task.GetTaskToken(), "", scheduleActivity("q1")))
	activity := own.pollActivity("q1")
	_, err = service.RespondActivityTaskCompleted(t.Context(), &workflowservice.RespondActivityTaskCompletedRequest{
		Namespace: "alpha", TaskToken: activity.GetTaskToken(),
	})
	require.NoError(t, err)
}
