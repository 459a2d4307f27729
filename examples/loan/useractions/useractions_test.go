package useractions

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// stage is a service with one loan, and what it was asked to store.
type stage struct {
	process, action, task uuid.UUID
	state                 string
	// upload is the status that the document is answered with.
	upload int

	mu      sync.Mutex
	stored  []string
	queries []string
}

func newStage() *stage {
	return &stage{process: uuid.New(), action: uuid.New(), task: uuid.New(), state: "RUNNING", upload: http.StatusOK}
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v2024-06-14")
	task := `{"id":"` + s.task.String() + `","type":"TASK","processItemDefinitionRef":{"code":"LOAN_APPLICATION"},"task":{"state":"READY"`
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stored, s.queries = append(s.stored, string(body)), append(s.queries, r.URL.RequestURI())
		if strings.HasSuffix(path, "/~actions/upload-user-action-document") {
			w.WriteHeader(s.upload)
			if s.upload == http.StatusNotModified {
				return
			}
		}
		_, _ = io.WriteString(w, `{}`)
	case path == "/processes/"+s.process.String():
		_, _ = io.WriteString(w, `{"id":"`+s.process.String()+`","state":"`+s.state+`","metadata":{"value":{"LAST_NAME":"=Demo"}}}`)
	case path == "/process-items":
		_, _ = io.WriteString(w, `{"content":[`+task+`}},{"id":"`+uuid.NewString()+`","type":"MESSAGE"}]}`)
	case path == "/process-items/"+s.task.String():
		_, _ = io.WriteString(w, task+`,"data":{"value":{"AMOUNT":1E22,"FIRST_NAME":"A, B","OPEN":{"a":1}}}}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// run gives the workflow everything that the service sends.
func (s *stage) run(t *testing.T, workflowType string) (ActionResponse, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	api, err := restapi.New(restapi.Config{Endpoint: server.URL, Attempts: 1})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	(&Activities{API: api}).Register(env)
	env.ExecuteWorkflow(workflowType, map[string]any{
		"processId": s.process, "userActionDefinitionType": "DOWNLOADABLE", "userActionDefinitionCode": "REPORT",
		"userActionId": s.action, "requestorPrincipalId": uuid.New(),
		"requestTime": "2026-01-02T03:04:05Z", "requestTimeZone": "Europe/Madrid",
	})
	var response ActionResponse
	if err := env.GetWorkflowError(); err != nil {
		return response, err
	}
	return response, env.GetWorkflowResult(&response)
}

func TestReportHoldsWhatTheLoanHolds(t *testing.T) {
	t.Parallel()
	s := newStage()
	response, err := s.run(t, ReportWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The report is ready", response.Message)
	require.Equal(t, []string{"item,state,name,value\nLOAN,RUNNING,id," + s.process.String() + "\nLOAN,RUNNING,LAST_NAME,'=Demo\n" +
		"LOAN_APPLICATION,READY,AMOUNT,1E22\nLOAN_APPLICATION,READY,FIRST_NAME,\"A, B\"\n" +
		"LOAN_APPLICATION,READY,OPEN,\"{\"\"a\"\":1}\"\n"}, s.stored)
	require.Equal(t, []string{"/v2024-06-14/processes/" + s.process.String() + "/~actions/upload-user-action-document?" +
		"fileContentType=text%2Fcsv&fileName=loan.csv&userActionValueId=" + s.action.String()}, s.queries)
}

func TestReportThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	s := newStage()
	s.upload = http.StatusNotModified
	response, err := s.run(t, ReportWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The report is not waited for any longer", response.Message)
}

func TestReportOfALoanThatThereIsNot(t *testing.T) {
	t.Parallel()
	s := newStage()
	s.upload = http.StatusForbidden
	_, err := s.run(t, ReportWorkflow)
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.NonRetryable())
}

func TestNudgeNamesTheOpenTasksOnce(t *testing.T) {
	t.Parallel()
	s := newStage()
	for range 2 {
		response, err := s.run(t, NudgeWorkflow)
		require.NoError(t, err)
		require.Equal(t, "Waiting for LOAN_APPLICATION", response.Message)
	}
	require.Len(t, s.stored, 2)
	require.Equal(t, s.stored[0], s.stored[1])
	var created restapi.ProcessItemCreateParams
	require.NoError(t, json.Unmarshal([]byte(s.stored[0]), &created))
	require.Equal(t, "NOTE", created.ProcessItemDefinitionCode)
	require.Equal(t, "Waiting for LOAN_APPLICATION", created.Message.Text)
}

func TestNudgeOfAFinishedLoan(t *testing.T) {
	t.Parallel()
	s := newStage()
	s.state = "COMPLETED"
	response, err := s.run(t, NudgeWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The loan is decided", response.Message)
	require.Empty(t, s.stored)
}
