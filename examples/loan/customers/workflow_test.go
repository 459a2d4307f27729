package customers

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// stage is a test environment with one customer in memory.
type stage struct {
	env      *testsuite.TestWorkflowEnvironment
	artifact uuid.UUID
	action   uuid.UUID
	data     restapi.Object
	patches  []patchArtifactRequest
	uploads  []uploadStatementRequest
}

func newStage(t *testing.T, data string) *stage {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	s := &stage{env: suite.NewTestWorkflowEnvironment(), artifact: uuid.New(), action: uuid.New()}
	require.NoError(t, json.Unmarshal([]byte(data), &s.data))
	(&Activities{}).Register(s.env)
	s.env.OnActivity(activityRetrieveArtifact, mock.Anything, retrieveArtifactRequest{s.artifact}).Return(
		artifactResponse{restapi.BusinessArtifact{ID: s.artifact, Data: &restapi.JSONValue{Value: s.data}}}, nil)
	s.env.OnActivity(activityRetrieveAction, mock.Anything, retrieveActionRequest{s.artifact, s.action}).Return(
		actionResponse{restapi.BusinessArtifactAction{Downloadable: &restapi.Downloadable{
			Input: &restapi.JSONValue{Value: restapi.Object{"month": json.RawMessage(`"2026-03"`)}},
		}}}, nil)
	s.env.OnActivity(activityPatchArtifact, mock.Anything, mock.Anything).Return(
		func(_ context.Context, request patchArtifactRequest) (artifactResponse, error) {
			s.patches = append(s.patches, request)
			return artifactResponse{}, nil
		})
	s.env.OnActivity(activityUploadStatement, mock.Anything, mock.Anything).Return(
		func(_ context.Context, request uploadStatementRequest) (Downloadable, error) {
			s.uploads = append(s.uploads, request)
			return Downloadable{DocumentURI: "kuflow-file:uri=u;"}, nil
		})
	return s
}

// run gives the workflow everything that the service sends.
func (s *stage) run(workflowType string) (ActionResponse, error) {
	s.env.ExecuteWorkflow(workflowType, map[string]any{
		"businessArtifactId": s.artifact, "businessArtifactActionDefinitionType": "DOWNLOADABLE",
		"businessArtifactActionDefinitionCode": "STATEMENT", "businessArtifactActionValueId": s.action,
		"requestorPrincipalId": uuid.New(), "requestTime": "2026-01-02T03:04:05Z", "requestTimeZone": "Europe/Madrid",
	})
	var response ActionResponse
	if err := s.env.GetWorkflowError(); err != nil {
		return response, err
	}
	err := s.env.GetWorkflowResult(&response)
	return response, err
}

func TestStatementDeliversWhatItUploaded(t *testing.T) {
	t.Parallel()
	s := newStage(t, `{"name":"A, B","balance":1}`)
	response, err := s.run(StatementWorkflow)
	require.NoError(t, err)
	require.Equal(t, ActionResponse{
		Message: "The statement for 2026-03 is ready", Downloadable: &Downloadable{DocumentURI: "kuflow-file:uri=u;"},
	}, response)
	require.Equal(t, []uploadStatementRequest{{s.artifact, "2026-03", s.data}}, s.uploads)
}

func TestRecalculateSetsTheTier(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"balance":9999.9999999999}`: "SILVER", `{"balance":1e4}`: "GOLD", `{"balance":"-20000"}`: "SILVER", `{}`: "SILVER",
	} {
		s := newStage(t, data)
		response, err := s.run(RecalculateWorkflow)
		require.NoError(t, err, data)
		require.Equal(t, ActionResponse{Message: "The customer is " + want}, response, data)
		require.Equal(t, []patchArtifactRequest{{
			s.artifact, []restapi.PatchOperation{{Op: "add", Path: "/tier", Value: json.RawMessage(`"` + want + `"`)}},
		}}, s.patches, data)
	}
}

func TestRecalculateFailsOnABalanceThatIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"balance":"a lot"}`, `{"balance":null}`, `{"balance":1e999999999}`} {
		s := newStage(t, data)
		_, err := s.run(RecalculateWorkflow)
		var failed *temporal.ApplicationError
		require.ErrorAs(t, err, &failed, data)
		require.Equal(t, failureCustomer, failed.Type(), data)
		require.Contains(t, failed.Error(), "is not a decimal number", data)
		require.Empty(t, s.patches, data)
	}
}

func TestUploadedStatementKeepsTheDigits(t *testing.T) {
	t.Parallel()
	var query, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		query, body = r.Header.Get("Content-Type")+" "+r.RequestURI, string(content)
		_, _ = io.WriteString(w, `{"documentUri":"kuflow-file:uri=u;"}`)
	}))
	t.Cleanup(server.Close)
	api, err := restapi.New(restapi.Config{Endpoint: server.URL})
	require.NoError(t, err)
	a := &Activities{API: api}
	id := uuid.New()
	uploaded, err := a.uploadStatement(t.Context(), uploadStatementRequest{id, "2026-03", restapi.Object{
		"name": json.RawMessage(`"A, \"B\""`), "balance": json.RawMessage(`1234567890.12345678901234567890`),
	}})
	require.NoError(t, err)
	require.Equal(t, "kuflow-file:uri=u;", uploaded.DocumentURI)
	require.Equal(t, "application/octet-stream /v2024-06-14/business-artifacts/"+id.String()+
		"/~actions/upload-document?fileContentType=text%2Fcsv&fileName=statement.csv", query)
	require.Equal(t, "month,name,tier,balance\n2026-03,\"A, \"\"B\"\"\",,1234567890.12345678901234567890\n", body)
}
