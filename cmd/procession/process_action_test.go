package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
)

func TestReportIsDeliveredEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	loan := s.createLoan(uuid.New())
	application := s.awaitItem(loan, "LOAN_APPLICATION")
	for _, step := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/task/~actions/claim", nil},
		{http.MethodPut, "/task/data", map[string]any{"data": map[string]any{"value": map[string]any{
			"FIRST_NAME": "Carol, of", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": 1200.5,
		}}}},
	} {
		status, body := s.call(demo.Carol(), step.method, "/process-items/"+application+step.path, step.body)
		require.Equal(t, http.StatusOK, status, body)
	}
	require.Equal(t, []string{"REPORT", "NUDGE", "TOP_UP"}, s.availableActions(demo.Alice(), loan))
	require.Equal(t, []string{"NUDGE"}, s.availableActions(demo.Carol(), loan))

	id := uuid.New()
	action := s.invokeUserAction(demo.Alice(), loan, map[string]any{"id": id, "processActionDefinitionCode": "REPORT"})
	require.Equal(t, "REQUESTED", field[string](t, action, "status"))
	action = s.awaitUserAction(loan, id, "COMPLETED")
	require.False(t, field[bool](t, action, "downloadable", "documentExpired"))
	header, content := s.downloadOf("/processes/"+loan.String(), demo.Carol(), field[string](t, action, "downloadable", "documentUri"))
	require.Equal(t, "item,state,name,value\nLOAN,RUNNING,id,"+loan.String()+"\nLOAN,RUNNING,,\n"+
		"LOAN_APPLICATION,CLAIMED,AMOUNT,1200.5\nLOAN_APPLICATION,CLAIMED,CURRENCY,EUR\n"+
		"LOAN_APPLICATION,CLAIMED,FIRST_NAME,\"Carol, of\"\nLOAN_APPLICATION,CLAIMED,LAST_NAME,Demo\n", content)
	require.Equal(t, "text/csv", header.Get("Content-Type"))
	require.Contains(t, header.Get("Content-Disposition"), `filename="loan.csv"`)

	// The document that was recorded first stays, however a later one arrives.
	for _, path := range s.uploadPaths(loan, id) {
		require.Equal(t, http.StatusNotModified, s.uploadTo(path, "another"), path)
	}
	_, again := s.downloadOf("/processes/"+loan.String(), demo.Alice(), field[string](t, action, "downloadable", "documentUri"))
	require.Equal(t, content, again)
	require.Equal(t, action, s.awaitUserAction(loan, id, "COMPLETED"))
	s.await("the workflow to be recorded", func() bool { return s.runState(id) == "COMPLETED" })
	require.Equal(t, "RUNNING", s.processState(loan))
}

func TestNudgeEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	loan := s.createLoan(uuid.New())
	s.awaitItem(loan, "LOAN_APPLICATION")
	action := s.invokeUserAction(demo.Carol(), loan, map[string]any{"processActionDefinitionCode": "NUDGE"})
	s.awaitUserAction(loan, uuid.MustParse(field[string](t, action, "id")), "COMPLETED")
	_, note := s.call(demo.Alice(), http.MethodGet, "/process-items/"+s.awaitItem(loan, "NOTE"), nil)
	require.Equal(t, "Waiting for LOAN_APPLICATION", field[string](t, note, "message", "text"))
}

func TestUserActionWithoutAWorker(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	loan, id := s.createLoan(uuid.New()), uuid.New()
	s.invokeUserAction(demo.Alice(), loan, map[string]any{"id": id, "processActionDefinitionCode": "REPORT"})
	s.await("the workflow to be started", func() bool { return s.runState(id) == "RUNNING" })
	require.Equal(t, "REQUESTED", field[string](t, s.userAction(loan, id), "status"), "no worker can carry it out")
	require.Contains(t, printed(t, append([]string{"workers"}, s.asking(demo.Alice())...)...),
		"action REPORT of definition LOAN needs workflow LoanReportWorkflow on task queue QUEUE_SAMPLE_LOAN: no live worker")

	status, canceled := s.call(demo.Alice(), http.MethodPost, userActionPath(loan, id)+"/~actions/cancel", nil)
	require.Equal(t, http.StatusOK, status, canceled)
	require.Equal(t, "CANCELED", field[string](t, canceled, "status"))
	for _, path := range s.uploadPaths(loan, id) {
		require.Equal(t, http.StatusNotModified, s.uploadTo(path, "too late"), path)
	}
	// No worker answers the request to cancel: the workflow is terminated.
	s.await("the workflow to be terminated", func() bool { return s.runState(id) == "CANCELLED" })
	require.Equal(t, canceled, s.userAction(loan, id))
	var documents int
	s.query("SELECT count(*)::int FROM documents", &documents)
	require.Zero(t, documents)

	s.startWorker()
	s.awaitItem(loan, "LOAN_APPLICATION")
	other := uuid.New()
	s.invokeUserAction(demo.Alice(), loan, map[string]any{"id": other, "processActionDefinitionCode": "REPORT"})
	s.awaitUserAction(loan, other, "COMPLETED")
	require.Equal(t, canceled, s.userAction(loan, id))
}

func TestFailedUserActionLeavesAnIncident(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	w := worker.New(s.temporalClient(), "QUEUE_SAMPLE_LOAN", worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context, map[string]any) error {
		return temporal.NewNonRetryableApplicationError("out of paper", "PaperError", nil)
	}, workflow.RegisterOptions{Name: "LoanReportWorkflow"})
	w.RegisterWorkflowWithOptions(func(workflow.Context, map[string]any) (map[string]any, error) {
		return map[string]any{"message": "done"}, nil
	}, workflow.RegisterOptions{Name: "LoanNudgeWorkflow"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	loan, id, nudge := s.createLoan(uuid.New()), uuid.New(), uuid.New()
	s.invokeUserAction(demo.Alice(), loan, map[string]any{"id": id, "processActionDefinitionCode": "REPORT"})
	s.invokeUserAction(demo.Carol(), loan, map[string]any{"id": nudge, "processActionDefinitionCode": "NUDGE"})
	action := s.awaitUserAction(loan, id, "ERROR")
	require.NotContains(t, fmt.Sprint(action), "out of paper", "the reason is for administrators")
	s.awaitUserAction(loan, nudge, "COMPLETED")
	for _, path := range s.uploadPaths(loan, id) {
		require.Equal(t, http.StatusNotModified, s.uploadTo(path, "too late"), path)
	}

	asAlice := s.asking(demo.Alice())
	list := printed(t, append([]string{"incidents", "list", "--process", loan.String(), "-o", "json"}, asAlice...)...)
	require.Contains(t, list, id.String())
	require.Contains(t, list, "out of paper")
	incident := strings.TrimSpace(printed(t, append([]string{"incidents", "list", "-o", "jq=.[] | select(.processActionId) | .id"}, asAlice...)...))
	require.Error(t, run(t.Context(), append([]string{"incidents", "retry", incident}, asAlice...), io.Discard, io.Discard))
	require.Equal(t, incident+" DISMISSED\n", printed(t, append([]string{"incidents", "dismiss", incident}, asAlice...)...))
	require.Equal(t, "RUNNING", s.processState(loan))

	explained := printed(t, append([]string{"actions", "explain", loan.String(), demo.Carol().ID.String()}, asAlice...)...)
	require.Contains(t, explained, "the Manager permission on the process is required")
	require.Equal(t, "true\n", printed(t, append([]string{
		"actions", "evaluate", `${ .process.state == "RUNNING" }`, "--process", loan.String(),
	}, asAlice...)...))
}

func TestServiceKilledAfterAUserActionWasInvoked(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	loan := s.createLoan(uuid.New())
	for range 3 {
		id := uuid.New()
		s.invokeUserAction(demo.Alice(), loan, map[string]any{"id": id, "processActionDefinitionCode": "REPORT"})
		s.killService()
		s.startService()
		s.awaitUserAction(loan, id, "COMPLETED")
		ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
		require.Equal(t, 1, s.countExecutions(ctx, fmt.Sprintf("WorkflowId = 'process-action-%s'", id)))
		cancel()
	}
}

func userActionPath(process, action uuid.UUID) string {
	return "/processes/" + process.String() + "/actions/" + action.String()
}

// availableActions returns the codes of the user actions that are offered.
func (s *testStack) availableActions(as demo.Account, process uuid.UUID) []string {
	s.t.Helper()
	status, body := s.call(as, http.MethodGet, "/processes/"+process.String()+"/actions/~available", nil)
	require.Equal(s.t, http.StatusOK, status, body)
	var codes []string
	for _, a := range field[[]any](s.t, body, "content") {
		codes = append(codes, field[string](s.t, a, "code"))
	}
	return codes
}

func (s *testStack) invokeUserAction(as demo.Account, process uuid.UUID, body map[string]any) map[string]any {
	s.t.Helper()
	status, action := s.call(as, http.MethodPost, "/processes/"+process.String()+"/actions", body)
	require.Equal(s.t, http.StatusCreated, status, action)
	return action
}

func (s *testStack) userAction(process, id uuid.UUID) map[string]any {
	_, got := s.call(demo.Alice(), http.MethodGet, userActionPath(process, id), nil)
	return got
}

// awaitUserAction waits until an action has the status and returns it.
func (s *testStack) awaitUserAction(process, id uuid.UUID, want string) map[string]any {
	s.t.Helper()
	var got map[string]any
	s.await("user action "+want, func() bool {
		got = s.userAction(process, id)
		return got["status"] == want
	})
	return got
}

// uploadPaths returns the three ways to deliver the document of an action.
func (s *testStack) uploadPaths(process, id uuid.UUID) []string {
	file := url.Values{"fileContentType": {"text/plain"}, "fileName": {"late.txt"}}
	value := url.Values{"fileContentType": {"text/plain"}, "fileName": {"late.txt"}, "userActionValueId": {id.String()}}
	return []string{
		"/v2024-06-14" + userActionPath(process, id) + "/~actions/upload-document?" + file.Encode(),
		"/v2024-06-14/processes/" + process.String() + "/~actions/upload-user-action-document?" + value.Encode(),
		"/v2022-10-08/processes/" + process.String() + "/~actions/save-user-action-value-document?" + value.Encode(),
	}
}

// uploadTo uploads a text as the worker and returns the status.
func (s *testStack) uploadTo(path, text string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url()+path, strings.NewReader(text))
	require.NoError(s.t, err)
	request.SetBasicAuth(demo.LoanWorker().ID.String(), demo.LoanWorker().Secret)
	request.Header.Set("Content-Type", "application/octet-stream")
	answer, err := s.http.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	return answer.StatusCode
}
