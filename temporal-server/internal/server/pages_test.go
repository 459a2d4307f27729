package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	tokenspb "go.temporal.io/server/api/token/v1"
)

// Pages of another namespace are refused by Temporal itself, which goes by settings that the access rules pin.
func TestAPageTokenLeadsToNoOtherHistory(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	service := workflowservice.NewWorkflowServiceClient(w.system(t))
	executions := map[string]*common.WorkflowExecution{}
	for _, namespace := range []string{"alpha", "beta"} {
		w.addNamespace(t, namespace)
		start := startRequest(namespace, "q1")
		run, err := service.StartWorkflowExecution(t.Context(), start)
		require.NoError(t, err)
		executions[namespace] = &common.WorkflowExecution{WorkflowId: start.GetWorkflowId(), RunId: run.GetRunId()}
	}
	page := func(
		service workflowservice.WorkflowServiceClient, namespace string, token []byte,
	) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
		return service.GetWorkflowExecutionHistory(t.Context(), &workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: namespace, Execution: executions[namespace], MaximumPageSize: 1, NextPageToken: token,
		})
	}
	first, err := page(service, "beta", nil)
	require.NoError(t, err)
	_, err = page(service, "beta", first.GetNextPageToken())
	require.NoError(t, err)
	stolen := &tokenspb.HistoryContinuation{}
	require.NoError(t, stolen.Unmarshal(first.GetNextPageToken()))
	stolen.RunId = executions["alpha"].GetRunId()
	token, err := stolen.Marshal()
	require.NoError(t, err)
	_, err = page(service, "alpha", token)
	require.Error(t, err)

	alpha := w.ca.clientOf(t, "operator-1", "alpha")
	operator := workflowservice.NewWorkflowServiceClient(w.dial(t, &alpha, w.issuer.sign(t, operatorClaims("alpha"))))
	own, err := page(operator, "alpha", nil)
	require.NoError(t, err)
	_, err = page(operator, "alpha", own.GetNextPageToken())
	require.NoError(t, err)
	_, err = page(operator, "alpha", token)
	require.Error(t, err)
	_, err = operator.GetWorkflowExecutionHistoryReverse(t.Context(), &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: "alpha", Execution: executions["alpha"], MaximumPageSize: 1, NextPageToken: token,
	})
	require.Error(t, err)
}
