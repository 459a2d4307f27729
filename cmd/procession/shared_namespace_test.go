package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/devstack/demo"
)

// Two tenants share a namespace. Their processes run and end, and with the access rules a worker reaches the queues and
// workflows of its own tenant only.
func TestTenantsShareANamespace(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	east, west := s.applySharing("east", 1), s.applySharing("west", 2)
	inEast, inWest := s.createSurvey(east), s.createSurvey(west)
	s.await("the processes to start", func() bool { return s.runState(inEast) == "RUNNING" && s.runState(inWest) == "RUNNING" })
	var workflow string
	s.query(`SELECT workflow_id FROM engine_runs WHERE owner_id = '`+inWest.String()+`'`, &workflow)
	require.Equal(t, "west.process-"+inWest.String(), workflow)

	worker := s.clientOf(east, func(o *client.Options) { o.Namespace = "common" })
	require.True(t, s.denies(func(ctx context.Context) error {
		_, err := worker.WorkflowService().PollWorkflowTaskQueue(ctx, pollOf("common", "west.QUEUE_SURVEY"))
		return err
	}))
	require.True(t, s.denies(func(ctx context.Context) error {
		_, err := worker.WorkflowService().GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: "common", Execution: &common.WorkflowExecution{WorkflowId: workflow},
		})
		return err
	}))
	s.completeWorkflow(worker, "common", "east.QUEUE_SURVEY")
	s.await("the process to end", func() bool { return s.stateOf(east, inEast) == "COMPLETED" })
	require.Equal(t, "RUNNING", s.stateOf(west, inWest))
	s.completeWorkflow(s.clientOf(west, func(o *client.Options) { o.Namespace = "common" }), "common", "west.QUEUE_SURVEY")
	s.await("the other process to end", func() bool { return s.stateOf(west, inWest) == "COMPLETED" })
	status, answer := s.call(west, http.MethodGet, "/processes/"+inEast.String(), nil)
	require.Equal(t, http.StatusNotFound, status, answer)
}

// applySharing has an operator create a tenant in the namespace common with a definition that the returned application runs.
func (s *testStack) applySharing(tenant string, number byte) demo.Account {
	s.t.Helper()
	runner := demo.Account{
		Name: "runner", ID: uuid.UUID{0: 1, 1: 0x98, 6: 0x70, 8: 0x80, 14: 0xb3, 15: number}, Secret: "demo-" + tenant + "-secret",
		Tenant: uuid.UUID{0: 1, 1: 0x98, 6: 0x70, 8: 0x80, 14: 0xb4, 15: number},
	}
	s.applyTextAs(s.operator(), fmt.Sprintf(`
apiVersion: procession/v1
kind: Tenant
metadata: {code: %s, id: %s}
spec: {name: %[1]s, namespace: common, sharedNamespace: true}
---`, tenant, runner.Tenant)+surveyManifest(runner, tenant, tenant+".QUEUE_SURVEY"))
	return runner
}
