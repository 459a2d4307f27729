package access

import (
	"fmt"
	"slices"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/api"
	"google.golang.org/grpc"
)

// method contains the rules of one method of Temporal's workflow service.
type method struct {
	anyNamespace bool // the method does not concern a namespace
	tokenless    bool // some SDKs call it before they have a token
	needsQueue   bool // the request must name a task queue
	tenant       bool // it may name every queue known to the tenant
	sticky       bool // its task queue may be a sticky one
	claims       bool // the caller becomes the owner of the personal queues in it
	answers      kind // kind of the request's task token; empty: none
	reads        bool // it changes no workflow, so it may name any workflow
	histories    bool // it returns the history of an execution, or a page by a page token
}

// workerMethods returns the methods that the public SDKs call to run workers: at start, while polling, working and caching, and at shutdown.
// They do not start, signal, cancel, list or change executions: the service does.
func workerMethods() map[string]method {
	return map[string]method{
		workflowservice.WorkflowService_GetSystemInfo_FullMethodName:     {anyNamespace: true, tokenless: true},
		workflowservice.WorkflowService_DescribeNamespace_FullMethodName: {tokenless: true},

		workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName: {needsQueue: true, sticky: true, claims: true},
		workflowservice.WorkflowService_PollActivityTaskQueue_FullMethodName: {needsQueue: true, claims: true},
		workflowservice.WorkflowService_PollNexusTaskQueue_FullMethodName:    {needsQueue: true, claims: true},

		workflowservice.WorkflowService_RespondWorkflowTaskCompleted_FullMethodName: {answers: kindWorkflowTask, sticky: true, claims: true},
		workflowservice.WorkflowService_RespondWorkflowTaskFailed_FullMethodName:    {answers: kindWorkflowTask},
		workflowservice.WorkflowService_RespondQueryTaskCompleted_FullMethodName:    {answers: kindQueryTask},
		workflowservice.WorkflowService_RespondActivityTaskCompleted_FullMethodName: {answers: kindActivityTask},
		workflowservice.WorkflowService_RespondActivityTaskFailed_FullMethodName:    {answers: kindActivityTask},
		workflowservice.WorkflowService_RespondActivityTaskCanceled_FullMethodName:  {answers: kindActivityTask},
		workflowservice.WorkflowService_RecordActivityTaskHeartbeat_FullMethodName:  {answers: kindActivityTask},
		workflowservice.WorkflowService_RespondNexusTaskCompleted_FullMethodName:    {answers: kindNexusTask},
		workflowservice.WorkflowService_RespondNexusTaskFailed_FullMethodName:       {answers: kindNexusTask},

		// Long histories have several pages, and a query replays from the first one.
		workflowservice.WorkflowService_GetWorkflowExecutionHistory_FullMethodName: {reads: true, histories: true},
		workflowservice.WorkflowService_ResetStickyTaskQueue_FullMethodName:        {},
		workflowservice.WorkflowService_DescribeTaskQueue_FullMethodName:           {needsQueue: true, sticky: true},
		workflowservice.WorkflowService_RecordWorkerHeartbeat_FullMethodName:       {},
		workflowservice.WorkflowService_ShutdownWorker_FullMethodName:              {},
	}
}

// readerMethods returns the methods of operators, with which Temporal's CLI and UI read
// one namespace. They exclude methods that give work
// to a worker (QueryWorkflow, FetchWorkerConfig) or wait for one, and methods about
// other namespaces.
func readerMethods() map[string]method {
	methods := map[string]method{
		workflowservice.WorkflowService_GetSystemInfo_FullMethodName:        {anyNamespace: true},
		workflowservice.WorkflowService_GetClusterInfo_FullMethodName:       {anyNamespace: true},
		operatorservice.OperatorService_ListSearchAttributes_FullMethodName: {},
	}
	for _, name := range []string{
		"DescribeNamespace",
		"DescribeWorkflowExecution", "GetWorkflowExecutionHistory", "GetWorkflowExecutionHistoryReverse",
		"ListWorkflowExecutions", "ListOpenWorkflowExecutions", "ListClosedWorkflowExecutions", "ListArchivedWorkflowExecutions",
		"CountWorkflowExecutions",
		"DescribeActivityExecution", "ListActivityExecutions", "CountActivityExecutions",
		"DescribeNexusOperationExecution", "ListNexusOperationExecutions", "CountNexusOperationExecutions",
		"DescribeTaskQueue", "ListTaskQueuePartitions", "DescribeWorker", "ListWorkers", "CountWorkers",
		"DescribeSchedule", "ListSchedules", "CountSchedules", "ListScheduleMatchingTimes",
		"DescribeBatchOperation", "ListBatchOperations", "DescribeWorkflowRule", "ListWorkflowRules",
		"DescribeWorkerDeployment", "DescribeWorkerDeploymentVersion", "ListWorkerDeployments",
		"DescribeDeployment", "ListDeployments", "GetCurrentDeployment", "GetDeploymentReachability",
		"GetWorkerBuildIdCompatibility", "GetWorkerVersioningRules", "GetWorkerTaskReachability",
	} {
		methods[api.WorkflowServicePrefix+name] = method{}
	}
	return methods
}

// engineMethods returns workerMethods and the additional ones. It returns an error for a name that is not a method of the workflow
// service, and for a method of the cluster or one that changes a namespace.
func engineMethods(additional []string) (map[string]method, error) {
	methods := workerMethods()
	for _, name := range additional {
		known := slices.ContainsFunc(workflowservice.WorkflowService_ServiceDesc.Methods, func(m grpc.MethodDesc) bool { return m.MethodName == name })
		if !known {
			return nil, fmt.Errorf("%q is not a method of Temporal's workflow service", name)
		}
		full := api.WorkflowServicePrefix + name
		if already, found := methods[full]; found {
			// Named explicitly, this method may read the histories of all executions in the namespace.
			already.histories = false
			methods[full] = already
			continue
		}
		about := api.GetMethodMetadata(full)
		if about.Scope != api.ScopeNamespace || about.Access == api.AccessAdmin {
			return nil, fmt.Errorf("method %q cannot be opened to engines: it is not about one namespace, or changes it", name)
		}
		methods[full] = method{tenant: true, sticky: true, reads: about.Access == api.AccessReadOnly}
	}
	return methods, nil
}
