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

// interceptCall implements [grpc.UnaryServerInterceptor].
func (i *interceptor) interceptCall(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	who := engineOf(ctx)
	if who == nil || isHealthCheck(info.FullMethod) {
		return handler(ctx, request)
	}
	for _, s := range i.sources {
		if !s.isTrusted() {
			return nil, serviceerror.NewUnavailable(fmt.Sprintf("The %s were not read for too long.", s.title))
		}
	}
	namespace := who.certificate.units[0] // the authorizer has seen to it that there is one
	m, _ := i.authorizer.engines.methodRules(who, info.FullMethod)
	target := &authorization.CallTarget{APIName: info.FullMethod, Namespace: namespace, Request: request}
	denied, err := i.owners.checkOwners(ctx, namespace, who, m.claims)
	if denied.class != "" {
		return nil, i.denyCall(ctx, who, target, denied, err)
	}
	if err != nil {
		return nil, err
	}
	denied, err = i.targets.checkTargets(ctx, info, namespace, who)
	if denied.class != "" {
		return nil, i.denyCall(ctx, who, target, denied, nil)
	}
	if err != nil {
		return nil, err
	}
	first := unsealRequest(request)
	response, err := handler(ctx, request)
	if err != nil {
		return nil, err
	}
	if history, ok := response.(*workflowservice.GetWorkflowExecutionHistoryResponse); ok && m.histories && first {
		if !who.queues[workflowQueue(history)] {
			denied := denial{class: classHistory, reason: "the workflow runs on a task queue the token does not cover"}
			return nil, i.denyCall(ctx, who, target, denied, nil)
		}
	}
	if poll, ok := request.(*workflowservice.PollWorkflowTaskQueueRequest); ok {
		if withheld := i.withholdTask(ctx, who, target, poll, response); withheld != nil {
			return withheld, nil
		}
	}
	switch answer := response.(type) {
	case *workflowservice.PollWorkflowTaskQueueResponse:
		i.targets.cacheChildren(namespace, answer)
	case *workflowservice.RespondWorkflowTaskCompletedResponse:
		i.targets.cacheChildren(namespace, answer.GetWorkflowTask())
	}
	answerSealer{seals: i.authorizer.engines.seals, namespace: namespace, subject: who.subject}.sealResponse(response)
	return response, nil
}

// denyCall logs a denial and returns the error for the caller: instead, or else one with the reason.
func (i *interceptor) denyCall(ctx context.Context, who *caller, target *authorization.CallTarget, why denial, instead error) error {
	result := i.authorizer.denyCall(ctx, who, target, why)
	if instead != nil {
		return instead
	}
	return serviceerror.NewPermissionDenied(authorization.RequestUnauthorized, result.Reason)
}

// withholdTask returns an empty answer if the task of an answer belongs to a workflow of another queue than the caller's, and nil otherwise.
// Temporal moves a task that is not completed to the workflow's own queue.
func (i *interceptor) withholdTask(
	ctx context.Context, who *caller, target *authorization.CallTarget, request *workflowservice.PollWorkflowTaskQueueRequest, response any,
) any {
	task, ok := response.(*workflowservice.PollWorkflowTaskQueueResponse)
	if !ok || len(task.GetTaskToken()) == 0 || who.queues[request.GetTaskQueue().GetName()] ||
		who.queues[task.GetWorkflowExecutionTaskQueue().GetName()] {
		return nil
	}
	i.authorizer.denyCall(ctx, who, target, denial{
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

// unsealRequest removes the seals of a request's tokens. It reports whether the request has no page token.
func unsealRequest(request any) (first bool) {
	switch r := request.(type) {
	case *workflowservice.RespondWorkflowTaskCompletedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondWorkflowTaskFailedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondQueryTaskCompletedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskCompletedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskFailedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondActivityTaskCanceledRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RecordActivityTaskHeartbeatRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondNexusTaskCompletedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.RespondNexusTaskFailedRequest:
		r.TaskToken = removeSeal(r.GetTaskToken())
	case *workflowservice.GetWorkflowExecutionHistoryRequest:
		r.NextPageToken = removeSeal(r.GetNextPageToken())
		return len(r.GetNextPageToken()) == 0
	}
	return true
}

// workflowQueue returns the workflow's task queue from the first page of its history, or "" for a later page.
func workflowQueue(history *workflowservice.GetWorkflowExecutionHistoryResponse) string {
	events := history.GetHistory().GetEvents()
	if len(events) == 0 {
		return ""
	}
	return events[0].GetWorkflowExecutionStartedEventAttributes().GetTaskQueue().GetName()
}

// answerSealer seals the tokens in answers for one subject.
type answerSealer struct {
	seals              sealer
	namespace, subject string
}

// sealResponse seals every token of a task and of a page of a history in an answer.
func (h answerSealer) sealResponse(sealResponse any) {
	switch r := sealResponse.(type) {
	case *workflowservice.PollWorkflowTaskQueueResponse:
		h.sealWorkflowTask(r)
	case *workflowservice.PollActivityTaskQueueResponse:
		h.sealActivityTask(r)
	case *workflowservice.PollNexusTaskQueueResponse:
		r.TaskToken = h.sealToken(kindNexusTask, r.GetTaskToken())
	case *workflowservice.RespondWorkflowTaskCompletedResponse:
		h.sealWorkflowTask(r.GetWorkflowTask())
		for _, task := range r.GetActivityTasks() {
			h.sealActivityTask(task)
		}
	case *workflowservice.GetWorkflowExecutionHistoryResponse:
		r.NextPageToken = h.sealToken(kindHistoryPage, r.GetNextPageToken())
	case *workflowservice.StartWorkflowExecutionResponse:
		h.sealWorkflowTask(r.GetEagerWorkflowTask())
	case *workflowservice.ExecuteMultiOperationResponse:
		for _, operation := range r.GetResponses() {
			h.sealWorkflowTask(operation.GetStartWorkflow().GetEagerWorkflowTask())
		}
	}
}

func (h answerSealer) sealWorkflowTask(task *workflowservice.PollWorkflowTaskQueueResponse) {
	if task == nil {
		return
	}
	of := kindWorkflowTask
	if task.GetQuery() != nil { // a query-only task has a token of its own kind
		of = kindQueryTask
	}
	task.TaskToken = h.sealToken(of, task.GetTaskToken())
	task.NextPageToken = h.sealToken(kindHistoryPage, task.GetNextPageToken())
}

func (h answerSealer) sealActivityTask(task *workflowservice.PollActivityTaskQueueResponse) {
	if task != nil {
		task.TaskToken = h.sealToken(kindActivityTask, task.GetTaskToken())
	}
}

func (h answerSealer) sealToken(k kind, token []byte) []byte {
	return h.seals.seal(k, h.namespace, h.subject, token)
}
