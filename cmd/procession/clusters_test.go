package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/command/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// A tenant of an additional cluster, here the official development server, has its workflows there. While that cluster is down, its
// processes wait, and other tenants notice no outage.
func TestTenantsOfSeveralClusters(t *testing.T) {
	t.Parallel()
	address := nettest.FreeAddress(t)
	s := newStack(t, false, withConfig(func(c *config.Config) {
		c.TemporalClusters = []config.TemporalCluster{{Name: "second", Address: address, Plaintext: true}}
	}))
	official := s.startOfficialTemporal(address)
	runner := branchRunner()
	s.applyBranch(runner, "second")
	status, certificate := s.call(runner, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(t, http.StatusOK, status, certificate)
	require.Equal(t, "branch.a1b2c", field[string](t, certificate, "engineCertificate", "namespace"))
	require.Empty(t, field[string](t, certificate, "engineCertificate", "tls", "clientCertificate"))

	first := s.createSurvey(runner)
	s.await("the process to start", func() bool { return s.runState(first) == "RUNNING" })
	s.completeSurvey(client.Options{HostPort: address})
	s.await("the process to end with its workflow", func() bool { return s.stateOf(runner, first) == "COMPLETED" })

	require.NoError(t, official.Stop(t.Context()))
	waiting := s.createSurvey(runner)
	loan := s.createLoan(uuid.New())
	s.await("the loan to start", func() bool { return s.runState(loan) == "RUNNING" })
	require.Equal(t, "PENDING", s.runState(waiting))

	s.startOfficialTemporal(address)
	s.await("the waiting process to start", func() bool { return s.runState(waiting) == "RUNNING" })
	s.completeSurvey(client.Options{HostPort: address})
	s.await("the process to end", func() bool { return s.stateOf(runner, waiting) == "COMPLETED" })
}

// branchRunner is the worker of applyBranch.
func branchRunner() demo.Account {
	return demo.Account{
		Name: "runner", ID: uuid.MustParse("01980000-0000-7000-8000-00000000b0b1"), Secret: "demo-branch-secret",
		Tenant: uuid.MustParse("01980000-0000-7000-8000-0000000000b2"),
	}
}

// applyBranch has an operator create a tenant in a cluster with a definition that the runner runs.
func (s *testStack) applyBranch(runner demo.Account, cluster string) {
	s.t.Helper()
	s.applyTextAs(s.operator(), fmt.Sprintf(`
apiVersion: procession/v1
kind: Tenant
metadata: {code: branch, id: %s}
spec: {name: Branch, namespace: branch.a1b2c, cluster: %s}
---`, runner.Tenant, cluster)+surveyManifest(runner, "branch", "QUEUE_SURVEY"))
}

func (s *testStack) createSurvey(as demo.Account) uuid.UUID {
	s.t.Helper()
	status, created := s.call(as, http.MethodPost, "/processes", map[string]any{"processDefinitionCode": "SURVEY"})
	require.Equal(s.t, http.StatusCreated, status, created)
	return uuid.MustParse(field[string](s.t, created, "id"))
}

func (s *testStack) stateOf(as demo.Account, process uuid.UUID) string {
	s.t.Helper()
	status, found := s.call(as, http.MethodGet, "/processes/"+process.String(), nil)
	require.Equal(s.t, http.StatusOK, status, found)
	return field[string](s.t, found, "state")
}

// completeSurvey completes the workflow that waits for a worker.
func (s *testStack) completeSurvey(o client.Options) {
	s.t.Helper()
	o.Namespace = "branch.a1b2c"
	c, err := client.Dial(o)
	require.NoError(s.t, err)
	defer c.Close()
	s.completeWorkflow(c, "branch.a1b2c", "QUEUE_SURVEY")
}

// completeWorkflow completes the workflow that waits for a worker of the queue.
func (s *testStack) completeWorkflow(c client.Client, namespace, queue string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), testTimeout)
	defer cancel()
	task, err := c.WorkflowService().PollWorkflowTaskQueue(ctx, pollOf(namespace, queue))
	require.NoError(s.t, err)
	_, err = c.WorkflowService().RespondWorkflowTaskCompleted(ctx, &workflowservice.RespondWorkflowTaskCompletedRequest{
		Namespace: namespace, Identity: "test", TaskToken: task.GetTaskToken(), Commands: []*command.Command{{
			CommandType: enums.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION,
			Attributes: &command.Command_CompleteWorkflowExecutionCommandAttributes{
				CompleteWorkflowExecutionCommandAttributes: &command.CompleteWorkflowExecutionCommandAttributes{},
			},
		}},
	})
	require.NoError(s.t, err)
}

func pollOf(namespace, queue string) *workflowservice.PollWorkflowTaskQueueRequest {
	return &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: namespace, Identity: "test", TaskQueue: &taskqueue.TaskQueue{Name: queue, Kind: enums.TASK_QUEUE_KIND_NORMAL},
	}
}
