package access

import (
	"fmt"
	"slices"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"google.golang.org/grpc"
)

// method is what an engine may do with one method of Temporal's workflow service.
type method struct {
	anyNamespace bool // the method is about no namespace
	tokenless    bool // some SDKs send their first calls before they have fetched a token
	needsQueue   bool // the method is nothing without a task queue
	tenant       bool // it may name each queue the tenant knows, not only the caller's own
}

// workerMethods are all that the public SDKs call to run workers: at start, while polling, working and caching, and at shutdown. What
// starts, signals, cancels, lists or changes executions is not among them: workflows are started and signalled by the service.
func workerMethods() map[string]method {
	return map[string]method{
		workflowservice.WorkflowService_GetSystemInfo_FullMethodName:     {anyNamespace: true, tokenless: true},
		workflowservice.WorkflowService_DescribeNamespace_FullMethodName: {tokenless: true},

		workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName: {needsQueue: true},
		workflowservice.WorkflowService_PollActivityTaskQueue_FullMethodName: {needsQueue: true},
		workflowservice.WorkflowService_PollNexusTaskQueue_FullMethodName:    {needsQueue: true},

		workflowservice.WorkflowService_RespondWorkflowTaskCompleted_FullMethodName: {},
		workflowservice.WorkflowService_RespondWorkflowTaskFailed_FullMethodName:    {},
		workflowservice.WorkflowService_RespondQueryTaskCompleted_FullMethodName:    {},
		workflowservice.WorkflowService_RespondActivityTaskCompleted_FullMethodName: {},
		workflowservice.WorkflowService_RespondActivityTaskFailed_FullMethodName:    {},
		workflowservice.WorkflowService_RespondActivityTaskCanceled_FullMethodName:  {},
		workflowservice.WorkflowService_RecordActivityTaskHeartbeat_FullMethodName:  {},
		workflowservice.WorkflowService_RespondNexusTaskCompleted_FullMethodName:    {},
		workflowservice.WorkflowService_RespondNexusTaskFailed_FullMethodName:       {},

		// Long histories come in pages, and a query is answered by replaying from the first one.
		workflowservice.WorkflowService_GetWorkflowExecutionHistory_FullMethodName: {},
		workflowservice.WorkflowService_ResetStickyTaskQueue_FullMethodName:        {},
		workflowservice.WorkflowService_DescribeTaskQueue_FullMethodName:           {needsQueue: true},
		workflowservice.WorkflowService_RecordWorkerHeartbeat_FullMethodName:       {},
		workflowservice.WorkflowService_ShutdownWorker_FullMethodName:              {},
	}
}

// engineMethods returns workerMethods and the additional ones. It returns an error for a name that is no method of the workflow service
// or one no tenant can have, as those of the whole cluster and those that change a namespace.
func engineMethods(additional []string) (map[string]method, error) {
	methods := workerMethods()
	for _, name := range additional {
		known := slices.ContainsFunc(workflowservice.WorkflowService_ServiceDesc.Methods, func(m grpc.MethodDesc) bool { return m.MethodName == name })
		if !known {
			return nil, fmt.Errorf("%q is no method of Temporal's workflow service", name)
		}
		full := api.WorkflowServicePrefix + name
		if _, already := methods[full]; already {
			continue
		}
		if about := api.GetMethodMetadata(full); about.Scope != api.ScopeNamespace || about.Access == api.AccessAdmin {
			return nil, fmt.Errorf("method %q cannot be opened to engines: it is not about one namespace, or changes it", name)
		}
		methods[full] = method{tenant: true}
	}
	return methods, nil
}
