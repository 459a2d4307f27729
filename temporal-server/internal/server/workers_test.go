package server_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// Schedules run in the namespaces of --system-workers, and calls that need one of Temporal's own workers are refused in others.
func TestSystemWorkers(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, func(o *options.Options) { o.SystemWorkers = []string{"alpha"} })
	system := w.ca.client(t, "temporal-system")
	api := workflowservice.NewWorkflowServiceClient(w.system(t))
	for _, namespace := range []string{"alpha", "beta"} {
		w.addNamespace(t, namespace)
	}
	create := func(namespace string) error {
		_, err := w.sdk(t, namespace, system, systemClaims()).ScheduleClient().Create(t.Context(), client.ScheduleOptions{
			ID: "s1", Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Second}}},
			Action: &client.ScheduleWorkflowAction{ID: "w1", Workflow: "any", TaskQueue: "q1"},
		})
		return err
	}
	require.Eventually(t, func() bool { return create("alpha") == nil }, 30*time.Second, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		found, err := api.CountWorkflowExecutions(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: "alpha", Query: "WorkflowType = 'any'",
		})
		return err == nil && found.GetCount() > 0
	}, 30*time.Second, 100*time.Millisecond, "a schedule starts workflows")

	versioned := &deployment.WorkerDeploymentOptions{
		DeploymentName: "d", BuildId: "1", WorkerVersioningMode: enums.WORKER_VERSIONING_MODE_VERSIONED,
	}
	for name, call := range map[string]func() error{
		"schedule": func() error { return create("beta") },
		"batch": func() error {
			_, err := api.StartBatchOperation(t.Context(), &workflowservice.StartBatchOperationRequest{Namespace: "beta", JobId: "b", Reason: "test"})
			return err
		},
		"poll of a deployment": func() error {
			_, err := api.PollWorkflowTaskQueue(t.Context(), &workflowservice.PollWorkflowTaskQueueRequest{
				Namespace: "beta", TaskQueue: &taskqueue.TaskQueue{Name: "q1"}, DeploymentOptions: versioned,
			})
			return err
		},
		"deployment": func() error {
			_, err := api.SetWorkerDeploymentCurrentVersion(t.Context(), &workflowservice.SetWorkerDeploymentCurrentVersionRequest{
				Namespace: "beta", DeploymentName: "d", BuildId: "1",
			})
			return err
		},
	} {
		require.ErrorContains(t, call(), "name it in --system-workers", name)
	}
	_, err := api.ListSchedules(t.Context(), &workflowservice.ListSchedulesRequest{Namespace: "beta"})
	require.NoError(t, err)
	_, err = api.DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{Namespace: "beta", TaskQueue: &taskqueue.TaskQueue{Name: "q1"}})
	require.NoError(t, err)
}
