package access_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/query/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/procession-dev/procession/temporal-server/access"
)

// taskMethods returns the methods that take a task's token, with a response that hands such a token out.
func taskMethods() map[string]proto.Message {
	workflow := &workflowservice.PollWorkflowTaskQueueResponse{TaskToken: []byte{8, 1}}
	activity := &workflowservice.PollActivityTaskQueueResponse{TaskToken: []byte{8, 1}}
	nexus := &workflowservice.PollNexusTaskQueueResponse{TaskToken: []byte{8, 1}}
	return map[string]proto.Message{
		"RespondWorkflowTaskCompleted": workflow,
		"RespondWorkflowTaskFailed":    workflow,
		"RespondQueryTaskCompleted":    &workflowservice.PollWorkflowTaskQueueResponse{TaskToken: []byte{8, 1}, Query: &query.WorkflowQuery{}},
		"RespondActivityTaskCompleted": activity,
		"RespondActivityTaskFailed":    activity,
		"RespondActivityTaskCanceled":  activity,
		"RecordActivityTaskHeartbeat":  activity,
		"RespondNexusTaskCompleted":    nexus,
		"RespondNexusTaskFailed":       nexus,
	}
}

// pollTask returns a poll with token that is given a task.
func pollTask(t *testing.T, g *access.Guard, token string, task proto.Message) []byte {
	t.Helper()
	method := strings.TrimSuffix(string(task.ProtoReflect().Descriptor().Name()), "Response")
	request := workflowRequest(t, method)
	queue := &taskqueue.TaskQueue{Name: "q1"}
	request.Set(request.Descriptor().Fields().ByName("task_queue"), protoreflect.ValueOfMessage(queue.ProtoReflect()))
	got, err := call(t, g, token, api.WorkflowServicePrefix+method, request.Interface(), proto.Clone(task))
	require.NoError(t, err)
	handed, ok := got.(interface{ GetTaskToken() []byte })
	require.True(t, ok)
	return handed.GetTaskToken()
}

func workflowRequest(t *testing.T, method string) protoreflect.Message {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("temporal.api.workflowservice.v1." + method + "Request"))
	require.NoError(t, err)
	request := kind.New()
	request.Set(request.Descriptor().Fields().ByName("namespace"), protoreflect.ValueOfString("alpha"))
	return request
}

func TestATaskIsAnsweredByTheSubjectItWasHandedTo(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	g, token, other := newGuard(t, o), p.signToken(t, nil), p.signToken(t, map[string]any{"sub": "robot-2"})
	again := newGuard(t, o) // another frontend, or the same one after a restart
	elsewhere := p.options()
	elsewhere.Store = access.NewMemoryStore()
	stranger := newGuard(t, elsewhere)
	for method, task := range taskMethods() {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			handed := pollTask(t, g, token, task)
			answer := func(g *access.Guard, token string, task []byte) error {
				request := workflowRequest(t, method)
				request.Set(request.Descriptor().Fields().ByName("task_token"), protoreflect.ValueOfBytes(task))
				_, err := call(t, g, token, api.WorkflowServicePrefix+method, request.Interface(), proto.Message(&workflowservice.RespondWorkflowTaskCompletedResponse{}))
				if err == nil {
					require.Equal(t, []byte{8, 1}, request.Get(request.Descriptor().Fields().ByName("task_token")).Bytes(), "Temporal is given its own token")
				}
				return err
			}
			require.NoError(t, answer(g, token, handed))
			require.NoError(t, answer(g, p.signToken(t, nil), handed), "a renewed token of the same subject")
			require.NoError(t, answer(again, token, handed))
			const reason = "that was handed to the caller"
			require.ErrorContains(t, answer(g, other, handed), reason)
			require.ErrorContains(t, answer(stranger, token, handed), reason)
			require.ErrorContains(t, answer(g, token, []byte{8, 1}), reason, "as Temporal makes it")
			require.ErrorContains(t, answer(g, token, nil), reason)
			require.ErrorContains(t, answer(g, token, append(slices.Clone(handed), 8, 2)), reason, "with another field behind")
			require.ErrorContains(t, answer(g, token, append([]byte{8, 2}, handed...)), reason, "with another field before")
			require.ErrorContains(t, answer(g, token, handed[2:]), reason, "nothing but the seal")
			for otherMethod, otherTask := range taskMethods() {
				if otherTask.ProtoReflect().Descriptor() != task.ProtoReflect().Descriptor() || strings.Contains(otherMethod, "Query") != strings.Contains(method, "Query") {
					require.ErrorContains(t, answer(g, token, pollTask(t, g, token, otherTask)), reason, "a token of %s", otherMethod)
				}
			}
		})
	}
}

// A new method of Temporal with a task's token fails this test.
func TestEveryTokenOfATaskIsKnown(t *testing.T) {
	t.Parallel()
	known := taskMethods()
	methods := workflowservice.File_temporal_api_workflowservice_v1_service_proto.Services().ByName("WorkflowService").Methods()
	var returning []string
	for i := range methods.Len() {
		m := methods.Get(i)
		if m.Input().Fields().ByName("task_token") != nil {
			require.Contains(t, known, string(m.Name()))
		}
		if holdsToken(m.Output(), map[protoreflect.FullName]bool{}) {
			returning = append(returning, string(m.Name()))
		}
	}
	require.ElementsMatch(t, []string{
		"PollWorkflowTaskQueue", "PollActivityTaskQueue", "PollNexusTaskQueue", "RespondWorkflowTaskCompleted",
		"StartWorkflowExecution", "ExecuteMultiOperation",
	}, returning, "handOut has a case for each")
}

func holdsToken(message protoreflect.MessageDescriptor, entered map[protoreflect.FullName]bool) bool {
	if entered[message.FullName()] {
		return false
	}
	entered[message.FullName()] = true
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		if field.Name() == "task_token" {
			return true
		}
		if field.Kind() == protoreflect.MessageKind && !field.IsMap() && holdsToken(field.Message(), entered) {
			return true
		}
	}
	return false
}

func TestTasksInOtherAnswersAreSealed(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.EngineMethods = []string{"StartWorkflowExecution", "ExecuteMultiOperation"}
	g, token := newGuard(t, o), p.signToken(t, nil)
	plain := func() *workflowservice.PollWorkflowTaskQueueResponse {
		return &workflowservice.PollWorkflowTaskQueueResponse{TaskToken: []byte{8, 1}, NextPageToken: []byte{8, 3}}
	}
	sealed := func(token []byte) bool { return bytes.HasPrefix(token, []byte{8}) && len(token) > 32 }

	answer, err := call(t, g, token, workflowservice.WorkflowService_RespondWorkflowTaskCompleted_FullMethodName,
		&workflowservice.RespondWorkflowTaskCompletedRequest{Namespace: "alpha", TaskToken: workflowTask(t, g, token)},
		&workflowservice.RespondWorkflowTaskCompletedResponse{
			WorkflowTask: plain(), ActivityTasks: []*workflowservice.PollActivityTaskQueueResponse{{TaskToken: []byte{8, 1}}},
		})
	require.NoError(t, err)
	require.True(t, sealed(answer.GetWorkflowTask().GetTaskToken()))
	require.True(t, sealed(answer.GetWorkflowTask().GetNextPageToken()))
	require.True(t, sealed(answer.GetActivityTasks()[0].GetTaskToken()))

	started, err := call(t, g, token, workflowservice.WorkflowService_StartWorkflowExecution_FullMethodName,
		&workflowservice.StartWorkflowExecutionRequest{Namespace: "alpha"}, &workflowservice.StartWorkflowExecutionResponse{EagerWorkflowTask: plain()})
	require.NoError(t, err)
	require.True(t, sealed(started.GetEagerWorkflowTask().GetTaskToken()))

	multi, err := call(t, g, token, workflowservice.WorkflowService_ExecuteMultiOperation_FullMethodName,
		&workflowservice.ExecuteMultiOperationRequest{Namespace: "alpha"},
		&workflowservice.ExecuteMultiOperationResponse{Responses: []*workflowservice.ExecuteMultiOperationResponse_Response{{
			Response: &workflowservice.ExecuteMultiOperationResponse_Response_StartWorkflow{
				StartWorkflow: &workflowservice.StartWorkflowExecutionResponse{EagerWorkflowTask: plain()},
			},
		}}})
	require.NoError(t, err)
	require.True(t, sealed(multi.GetResponses()[0].GetStartWorkflow().GetEagerWorkflowTask().GetTaskToken()))

	empty, err := call(t, g, token, workflowservice.WorkflowService_PollActivityTaskQueue_FullMethodName,
		&workflowservice.PollActivityTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: "q1"}}, &workflowservice.PollActivityTaskQueueResponse{})
	require.NoError(t, err)
	require.Empty(t, empty.GetTaskToken(), "a poll that brings nothing")
}

func TestHistoriesAreThoseTheCallerWorksOn(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g := newGuard(t, p.options())
	token, other, idle := p.signToken(t, nil), p.signToken(t, map[string]any{"sub": "robot-2"}), p.signToken(t, map[string]any{"task_queues": []string{}})
	read := func(g *access.Guard, token, queue string, change func(*workflowservice.GetWorkflowExecutionHistoryRequest)) ([]byte, error) {
		request := &workflowservice.GetWorkflowExecutionHistoryRequest{Namespace: "alpha"}
		if change != nil {
			change(request)
		}
		answer := &workflowservice.GetWorkflowExecutionHistoryResponse{NextPageToken: []byte{8, 5}, History: &history.History{}}
		if queue != "" {
			answer.History.Events = []*history.HistoryEvent{{Attributes: &history.HistoryEvent_WorkflowExecutionStartedEventAttributes{
				WorkflowExecutionStartedEventAttributes: &history.WorkflowExecutionStartedEventAttributes{TaskQueue: &taskqueue.TaskQueue{Name: queue}},
			}}}
		}
		got, err := call(t, g, token, workflowservice.WorkflowService_GetWorkflowExecutionHistory_FullMethodName, request, answer)
		return got.GetNextPageToken(), err
	}
	page := func(token []byte) func(*workflowservice.GetWorkflowExecutionHistoryRequest) {
		return func(r *workflowservice.GetWorkflowExecutionHistoryRequest) { r.NextPageToken = token }
	}

	next, err := read(g, token, "q1", nil)
	require.NoError(t, err)
	third, err := read(g, token, "", page(next))
	require.NoError(t, err)
	require.Len(t, third, len(next), "tokens do not grow from page to page")

	_, err = read(g, other, "", page(next))
	require.ErrorContains(t, err, "the page token was not handed to the caller")
	_, err = read(g, token, "", page([]byte{8, 5}))
	require.ErrorContains(t, err, "the page token was not handed to the caller")
	_, err = read(g, token, "", page(workflowTask(t, g, token)))
	require.ErrorContains(t, err, "the page token was not handed to the caller")
	_, err = read(g, token, "q2", nil)
	require.ErrorContains(t, err, "the workflow runs on a task queue the token does not cover")
	_, err = read(g, token, "", nil)
	require.ErrorContains(t, err, "the workflow runs on a task queue the token does not cover")
	_, err = read(g, idle, "q1", nil)
	require.ErrorContains(t, err, "the token covers no task queue")
	_, err = read(g, token, "q1", func(r *workflowservice.GetWorkflowExecutionHistoryRequest) {
		r.HistoryEventFilterType = enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT
	})
	require.ErrorContains(t, err, "from their first event on")

	o := p.options()
	o.EngineMethods = []string{"GetWorkflowExecutionHistory"}
	_, err = read(newGuard(t, o), token, "q2", nil)
	require.NoError(t, err, "opened by name")
}

func TestAStickyQueueBringsTasksOfTheTokensQueuesOnly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g, token := newGuard(t, p.options()), p.signToken(t, nil)
	for _, c := range []struct {
		normal, workflow string
		given            bool
	}{{"", "q1", true}, {"q1", "q1", true}, {"", "q2", false}, {"q1", "q2", false}, {"", "", false}} {
		task, err := call(t, g, token, workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName,
			&workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{
				Name: "host:" + uuid.NewString(), Kind: enums.TASK_QUEUE_KIND_STICKY, NormalName: c.normal,
			}},
			&workflowservice.PollWorkflowTaskQueueResponse{
				TaskToken: []byte{8, 1}, WorkflowExecutionTaskQueue: &taskqueue.TaskQueue{Name: c.workflow}, History: &history.History{},
			})
		require.NoError(t, err)
		require.Equal(t, c.given, len(task.GetTaskToken()) > 0, "%+v", c)
		require.Equal(t, c.given, task.GetHistory() != nil, "%+v", c)
	}
}
