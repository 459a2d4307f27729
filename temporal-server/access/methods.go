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
	anyNamespace bool // the method is about no namespace
	tokenless    bool // some SDKs send their first calls before they have fetched a token
	needsQueue   bool // the method is nothing without a task queue
	tenant       bool // it may name each queue the tenant knows, not only the caller's own
	sticky       bool // its task queue may be a sticky one
	claims       bool // the personal queues it names become the caller's
	answers      kind // what the task token of the request stands for; empty: it has none
	reads        bool // it changes no workflow, so it may name any
	histories    bool // it returns the history of the execution it names, or the page its page token names
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

// readerMethods returns the methods that the token of an operator permits: those with which Temporal's CLI and UI read one namespace. Methods
// that make a worker work (QueryWorkflow, FetchWorkerConfig) or wait for one, and those that name other namespaces, are not among them.
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
