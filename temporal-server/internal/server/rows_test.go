package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/api"
)

// access lists the callers of a method.
type access int

const (
	everyone    access = iota + 1 // who shows a certificate of the CA
	tokenless                     // engines in their namespace, also without a token
	workers                       // engines with a token
	taskHolders                   // engines, about a task that they hold; see tasks_test.go
	openable                      // the service; engines too when --engine-methods names it
	service                       // the service only
)

// readerAccess returns the same of callers with an operator's token.
func readerAccess() map[string]access {
	all := methodAccess()
	for method, who := range all {
		if who > tokenless {
			all[method] = service
		}
	}
	for method := range strings.FieldsSeq(`
		GetClusterInfo DescribeWorkflowExecution GetWorkflowExecutionHistory GetWorkflowExecutionHistoryReverse
		ListWorkflowExecutions ListOpenWorkflowExecutions ListClosedWorkflowExecutions ListArchivedWorkflowExecutions
		CountWorkflowExecutions
		DescribeActivityExecution ListActivityExecutions CountActivityExecutions
		DescribeNexusOperationExecution ListNexusOperationExecutions CountNexusOperationExecutions
		DescribeTaskQueue ListTaskQueuePartitions DescribeWorker ListWorkers CountWorkers
		DescribeSchedule ListSchedules CountSchedules ListScheduleMatchingTimes
		DescribeBatchOperation ListBatchOperations DescribeWorkflowRule ListWorkflowRules
		DescribeWorkerDeployment DescribeWorkerDeploymentVersion ListWorkerDeployments
		DescribeDeployment ListDeployments GetCurrentDeployment GetDeploymentReachability
		GetWorkerBuildIdCompatibility GetWorkerVersioningRules GetWorkerTaskReachability`) {
		all[api.WorkflowServicePrefix+method] = workers
	}
	all[api.OperatorServicePrefix+"ListSearchAttributes"] = workers
	return all
}

// Operators may call the methods that only read by Temporal's own table, except methods that wake workers, wait or are deprecated.
func TestOperatorsReadWhatTemporalSaysIsRead(t *testing.T) {
	t.Parallel()
	var left []string
	for method, who := range readerAccess() {
		about := api.GetMethodMetadata(method)
		if who == workers {
			require.Equal(t, api.AccessReadOnly, about.Access, method)
		}
		if who == service && about.Access == api.AccessReadOnly && about.Scope == api.ScopeNamespace {
			left = append(left, api.MethodName(method))
		}
	}
	require.ElementsMatch(t, []string{
		"QueryWorkflow", "FetchWorkerConfig", "ValidateWorkerDeploymentVersionComputeConfig", "ScanWorkflowExecutions",
		"PollActivityExecution", "PollNexusOperationExecution", "PollWorkflowExecutionUpdate", "PollWorkflowExecutionTimeSkipping",
	}, left)
}

// methodAccess returns the callers of each method of the frontend. A method without a row fails the tests.
func methodAccess() map[string]access { //nolint:funlen // most of it is a table
	all := map[string]access{}
	for _, row := range []struct {
		service string
		access  access
		methods string
	}{
		{"grpc.health.v1.Health", everyone, "Check"},
		{"grpc.health.v1.Health", service, "List Watch"},
		{"grpc.reflection.v1.ServerReflection", service, "ServerReflectionInfo"},
		{"grpc.reflection.v1alpha.ServerReflection", service, "ServerReflectionInfo"},
		{"temporal.api.workflowservice.v1.WorkflowService", tokenless, "GetSystemInfo DescribeNamespace"},
		{"temporal.api.workflowservice.v1.WorkflowService", workers, `
			PollWorkflowTaskQueue PollActivityTaskQueue PollNexusTaskQueue
			GetWorkflowExecutionHistory ResetStickyTaskQueue DescribeTaskQueue RecordWorkerHeartbeat ShutdownWorker`},
		{"temporal.api.workflowservice.v1.WorkflowService", taskHolders, `
			RespondWorkflowTaskCompleted RespondWorkflowTaskFailed RespondQueryTaskCompleted
			RespondActivityTaskCompleted RespondActivityTaskFailed RespondActivityTaskCanceled RecordActivityTaskHeartbeat
			RespondNexusTaskCompleted RespondNexusTaskFailed`},
		{"temporal.api.workflowservice.v1.WorkflowService", service, `
			RegisterNamespace UpdateNamespace DeprecateNamespace ListNamespaces GetSearchAttributes GetClusterInfo`},
		{"temporal.api.workflowservice.v1.WorkflowService", openable, `
			StartWorkflowExecution ExecuteMultiOperation SignalWorkflowExecution SignalWithStartWorkflowExecution
			RequestCancelWorkflowExecution TerminateWorkflowExecution ResetWorkflowExecution DeleteWorkflowExecution
			PauseWorkflowExecution UnpauseWorkflowExecution UpdateWorkflowExecution UpdateWorkflowExecutionOptions
			PollWorkflowExecutionUpdate PollWorkflowExecutionTimeSkipping QueryWorkflow DescribeWorkflowExecution
			GetWorkflowExecutionHistoryReverse
			ListOpenWorkflowExecutions ListClosedWorkflowExecutions ListWorkflowExecutions ListArchivedWorkflowExecutions
			ScanWorkflowExecutions CountWorkflowExecutions
			RecordActivityTaskHeartbeatById RespondActivityTaskCompletedById RespondActivityTaskFailedById RespondActivityTaskCanceledById
			UpdateActivityOptions PauseActivity UnpauseActivity ResetActivity
			StartActivityExecution DescribeActivityExecution PollActivityExecution ListActivityExecutions CountActivityExecutions
			RequestCancelActivityExecution TerminateActivityExecution DeleteActivityExecution PauseActivityExecution
			UnpauseActivityExecution ResetActivityExecution UpdateActivityExecutionOptions
			StartNexusOperationExecution DescribeNexusOperationExecution PollNexusOperationExecution ListNexusOperationExecutions
			CountNexusOperationExecutions RequestCancelNexusOperationExecution TerminateNexusOperationExecution
			DeleteNexusOperationExecution
			CreateSchedule DescribeSchedule UpdateSchedule PatchSchedule ListScheduleMatchingTimes DeleteSchedule ListSchedules CountSchedules
			StartBatchOperation StopBatchOperation DescribeBatchOperation ListBatchOperations
			CreateWorkflowRule DescribeWorkflowRule DeleteWorkflowRule ListWorkflowRules TriggerWorkflowRule
			ListTaskQueuePartitions UpdateTaskQueueConfig ListWorkers CountWorkers DescribeWorker FetchWorkerConfig UpdateWorkerConfig
			UpdateWorkerBuildIdCompatibility GetWorkerBuildIdCompatibility UpdateWorkerVersioningRules GetWorkerVersioningRules
			GetWorkerTaskReachability
			DescribeDeployment ListDeployments GetDeploymentReachability GetCurrentDeployment SetCurrentDeployment
			CreateWorkerDeployment DescribeWorkerDeployment DeleteWorkerDeployment ListWorkerDeployments SetWorkerDeploymentManager
			SetWorkerDeploymentCurrentVersion SetWorkerDeploymentRampingVersion
			CreateWorkerDeploymentVersion DescribeWorkerDeploymentVersion DeleteWorkerDeploymentVersion
			UpdateWorkerDeploymentVersionMetadata UpdateWorkerDeploymentVersionComputeConfig
			ValidateWorkerDeploymentVersionComputeConfig`},
		{"temporal.api.operatorservice.v1.OperatorService", service, `
			AddSearchAttributes RemoveSearchAttributes ListSearchAttributes DeleteNamespace
			AddOrUpdateRemoteCluster RemoveRemoteCluster ListClusters
			GetNexusEndpoint CreateNexusEndpoint UpdateNexusEndpoint DeleteNexusEndpoint ListNexusEndpoints`},
		{"temporal.server.api.adminservice.v1.AdminService", service, `
			RebuildMutableState ImportWorkflowExecution DescribeMutableState DescribeHistoryHost GetShard CloseShard ListHistoryTasks RemoveTask
			GetWorkflowExecutionRawHistoryV2 GetWorkflowExecutionRawHistory GetReplicationMessages GetNamespaceReplicationMessages
			GetDLQReplicationMessages ReapplyEvents AddSearchAttributes RemoveSearchAttributes GetSearchAttributes DescribeCluster ListClusters
			ListClusterMembers AddOrUpdateRemoteCluster RemoveRemoteCluster GetDLQMessages PurgeDLQMessages MergeDLQMessages
			RefreshWorkflowTasks StartAdminBatchOperation ResendReplicationTasks GetTaskQueueTasks DeleteWorkflowExecution
			StreamWorkflowReplicationMessages GetNamespace GetDLQTasks PurgeDLQTasks MergeDLQTasks DescribeDLQJob CancelDLQJob AddTasks
			ListQueues DeepHealthCheck SyncWorkflowState GenerateLastHistoryReplicationTasks DescribeTaskQueuePartition
			ForceUnloadTaskQueuePartition GetTaskQueueUserData MigrateSchedule`},
	} {
		for method := range strings.FieldsSeq(row.methods) {
			all["/"+row.service+"/"+method] = row.access
		}
	}
	return all
}
