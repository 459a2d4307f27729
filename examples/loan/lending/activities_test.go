package lending

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// activityEnvironment runs the activities against a server that always answers status and body.
func activityEnvironment(t *testing.T, status int, body string) (*testsuite.TestActivityEnvironment, *atomic.Int32) {
	t.Helper()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	api, err := restapi.New(restapi.Config{Endpoint: server.URL, FirstWait: time.Millisecond})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities := &Activities{API: api}
	env.RegisterActivity(activities.retrieveProcess)
	env.RegisterActivity(activities.retrieveProcessItem)
	return env, &calls
}

func TestRefusedCallFailsTheActivityForGood(t *testing.T) {
	t.Parallel()
	env, calls := activityEnvironment(t, http.StatusForbidden,
		`{"status":403,"message":"The process is finished","errors":[{"code":"PROCESS_FINISHED","message":"finished"}]}`)
	_, err := env.ExecuteActivity((&Activities{}).retrieveProcess, retrieveProcessRequest{uuid.Nil})
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.NonRetryable())
	require.Equal(t, "KuFlowActivities.RestFailure", failed.Type())
	var body restapi.DefaultError
	require.NoError(t, failed.Details(&body))
	require.Equal(t, "PROCESS_FINISHED", body.Errors[0].Code)
	require.EqualValues(t, 1, calls.Load())
}

func TestServiceInTroubleLeavesTheActivityToBeRetried(t *testing.T) {
	t.Parallel()
	env, calls := activityEnvironment(t, http.StatusServiceUnavailable, ``)
	_, err := env.ExecuteActivity((&Activities{}).retrieveProcess, retrieveProcessRequest{uuid.Nil})
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.False(t, failed.NonRetryable())
	require.EqualValues(t, 4, calls.Load())
}

func TestDataKeepsItsDigitsThroughAnActivity(t *testing.T) {
	t.Parallel()
	env, _ := activityEnvironment(t, http.StatusOK, `{"task":{"state":"COMPLETED","data":{"valid":true,"value":{"AMOUNT":1234567890.12345678901234567890}}}}`)
	result, err := env.ExecuteActivity((&Activities{}).retrieveProcessItem, retrieveProcessItemRequest{uuid.Nil})
	require.NoError(t, err)
	var answer processItemResponse
	require.NoError(t, result.Get(&answer))
	require.Equal(t, "1234567890.12345678901234567890", string(answer.ProcessItem.TaskData()["AMOUNT"]))
}

// names is a registry that only remembers under which names things are registered.
type names struct {
	worker.Registry

	workflows, activities []string
}

func (n *names) RegisterWorkflowWithOptions(_ any, options workflow.RegisterOptions) {
	n.workflows = append(n.workflows, options.Name)
}

func (n *names) RegisterActivityWithOptions(_ any, options activity.RegisterOptions) {
	n.activities = append(n.activities, options.Name)
}

func TestRegisteredTypesAreTheReportedOnes(t *testing.T) {
	t.Parallel()
	var registered names
	(&Activities{}).Register(&registered)
	require.ElementsMatch(t, registered.workflows, WorkflowTypes())
	require.ElementsMatch(t, registered.activities, ActivityTypes())
	require.Equal(t, []string{"SampleEngineWorkerLoanWorkflow"}, WorkflowTypes())
}
