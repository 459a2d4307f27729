package access

import (
	"context"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"google.golang.org/grpc"
)

// interceptor applies the rules for engines that the [authorizer] cannot: it looks up the owners of personal queues, after Temporal has
// limited the rate of calls, and the task queues of workflows in a request, and it checks answers. It seals the tokens in answers for the caller, and removes the seals from requests.
type interceptor struct {
	authorizer *authorizer
	owners     *owners
	targets    *targets
	sources    []*source
}

// intercept implements [grpc.UnaryServerInterceptor].
func (i *interceptor) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	who := engineOf(ctx)
	if who == nil || isHealthCheck(info.FullMethod) {
		return handler(ctx, request)
	}
	for _, s := range i.sources {
		if !s.trusted() {
			return nil, serviceerror.NewUnavailable(fmt.Sprintf("The %s were not read for too long.", s.title))
		}
	}
	namespace := who.certificate.units[0] // the authorizer has seen to it that there is one
	m, _ := i.authorizer.engines.method(who, info.FullMethod)
	target := &authorization.CallTarget{APIName: info.FullMethod, Namespace: namespace, Request: request}
	denied, err := i.owners.check(ctx, namespace, who, m.claims)
	if denied.class != "" {
		return nil, i.deny(ctx, who, target, denied, err)
	}
	if err != nil {
		return nil, err
	}
	denied, err = i.targets.check(ctx, info, namespace, who)
	if denied.class != "" {
		return nil, i.deny(ctx, who, target, denied, nil)
	}
	if err != nil {
		return nil, err
	}
	first := unseal(request)
	response, err := handler(ctx, request)
	if err != nil {
		return nil, err
	}
	if history, ok := response.(*workflowservice.GetWorkflowExecutionHistoryResponse); ok && m.histories && first {
		if !who.queues[workflowQueue(history)] {
			denied := denial{class: classHistory, reason: "the workflow runs on a task queue the token does not cover"}
			return nil, i.deny(ctx, who, target, denied, nil)
		}
	}
	if poll, ok := request.(*workflowservice.PollWorkflowTaskQueueRequest); ok {
		if withheld := i.withheld(ctx, who, target, poll, response); withheld != nil {
			return withheld, nil
		}
	}
	switch answer := response.(type) {
	case *workflowservice.PollWorkflowTaskQueueResponse:
		i.targets.learn(namespace, answer)
	case *workflowservice.RespondWorkflowTaskCompletedResponse:
		i.targets.learn(namespace, answer.GetWorkflowTask())
	}
	handOut{seals: i.authorizer.engines.seals, namespace: namespace, subject: who.subject}.response(response)
	return response, nil
}

// deny logs a denial and returns the error for the caller: instead, or else one with the reason.
func (i *interceptor) deny(ctx context.Context, who *caller, target *authorization.CallTarget, why denial, instead error) error {
	result := i.authorizer.deny(ctx, who, target, why)
	if instead != nil {
		return instead
	}
	return serviceerror.NewPermissionDenied(authorization.RequestUnauthorized, result.Reason)
}

// withheld returns an empty answer if the task of an answer belongs to a workflow of another queue than the caller's, and nil otherwise.
// Temporal moves a task that is not completed to the workflow's own queue.
func (i *interceptor) withheld(
	ctx context.Context, who *caller, target *authorization.CallTarget, request *workflowservice.PollWorkflowTaskQueueRequest, response any,
) any {
	task, ok := response.(*workflowservice.PollWorkflowTaskQueueResponse)
	if !ok || len(task.GetTaskToken()) == 0 || who.queues[request.GetTaskQueue().GetName()] ||
		who.queues[task.GetWorkflowExecutionTaskQueue().GetName()] {
		return nil
	}
	i.authorizer.deny(ctx, who, target, denial{
		class: classQueue, reason: fmt.Sprintf("a sticky task queue holds a task of %q, which the token does not cover", task.GetWorkflowExecutionTaskQueue().GetName()),
	})
	return &workflowservice.PollWorkflowTaskQueueResponse{}
}

// engineOf returns the engine that makes a call, or nil for calls of the system and calls without credentials.
func engineOf(ctx context.Context) *caller {
	claims, ok := ctx.Value(authorization.MappedClaims).(*authorization.Claims)
	if !ok || claims == nil {
		return nil
	}
	who, ok := claims.Extensions.(*caller)
	if !ok || who.isSystem() || len(who.certificate.units) != 1 {
		return nil
	}
	return who
}

// unseal removes the seals of a request's tokens. It reports whether the request has no page token.
func unseal(request any) (first bool) {
	switch r := request.(type) {
	case *workflowservice.RespondWorkflowTaskCompletedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondWorkflowTaskFailedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondQueryTaskCompletedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskCompletedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskFailedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskCanceledRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RecordActivityTaskHeartbeatRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondNexusTaskCompletedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.RespondNexusTaskFailedRequest:
		r.TaskToken = unsealed(r.GetTaskToken())
	case *workflowservice.GetWorkflowExecutionHistoryRequest:
		r.NextPageToken = unsealed(r.GetNextPageToken())
		return len(r.GetNextPageToken()) == 0
	}
	return true
}

// workflowQueue returns the task queue of the workflow whose history an answer begins, or "" for a later page.
func workflowQueue(history *workflowservice.GetWorkflowExecutionHistoryResponse) string {
	events := history.GetHistory().GetEvents()
	if len(events) == 0 {
		return ""
	}
	return events[0].GetWorkflowExecutionStartedEventAttributes().GetTaskQueue().GetName()
}

// handOut seals the tokens in answers for one subject.
type handOut struct {
	seals              sealer
	namespace, subject string
}

// response seals every token of a task and of a page of a history in an answer.
func (h handOut) response(response any) {
	switch r := response.(type) {
	case *workflowservice.PollWorkflowTaskQueueResponse:
		h.workflowTask(r)
	case *workflowservice.PollActivityTaskQueueResponse:
		h.activityTask(r)
	case *workflowservice.PollNexusTaskQueueResponse:
		r.TaskToken = h.seal(kindNexusTask, r.GetTaskToken())
	case *workflowservice.RespondWorkflowTaskCompletedResponse:
		h.workflowTask(r.GetWorkflowTask())
		for _, task := range r.GetActivityTasks() {
			h.activityTask(task)
		}
	case *workflowservice.GetWorkflowExecutionHistoryResponse:
		r.NextPageToken = h.seal(kindHistoryPage, r.GetNextPageToken())
	case *workflowservice.StartWorkflowExecutionResponse:
		h.workflowTask(r.GetEagerWorkflowTask())
	case *workflowservice.ExecuteMultiOperationResponse:
		for _, operation := range r.GetResponses() {
			h.workflowTask(operation.GetStartWorkflow().GetEagerWorkflowTask())
		}
	}
}

func (h handOut) workflowTask(task *workflowservice.PollWorkflowTaskQueueResponse) {
	if task == nil {
		return
	}
	of := kindWorkflowTask
	if task.GetQuery() != nil { // a task that is nothing but a query has a token of its own kind
		of = kindQueryTask
	}
	task.TaskToken = h.seal(of, task.GetTaskToken())
	task.NextPageToken = h.seal(kindHistoryPage, task.GetNextPageToken())
}

func (h handOut) activityTask(task *workflowservice.PollActivityTaskQueueResponse) {
	if task != nil {
		task.TaskToken = h.seal(kindActivityTask, task.GetTaskToken())
	}
}

func (h handOut) seal(k kind, token []byte) []byte {
	return h.seals.seal(k, h.namespace, h.subject, token)
}
