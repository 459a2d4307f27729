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
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
)

func TestStatementIsDeliveredEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	customer := s.createCustomer(map[string]any{"name": "A, \"B\"", "tier": "GOLD", "balance": 12.5})
	action := s.invoke(customer, "STATEMENT", "downloadable", map[string]any{"month": "2026-03"})
	require.Equal(t, "REQUESTED", field[string](t, action, "status"))
	action = s.awaitAction(customer, action, "COMPLETED")
	require.False(t, field[bool](t, action, "downloadable", "documentExpired"))
	require.Equal(t, "2026-03", field[string](t, action, "downloadable", "input", "value", "month"))

	header, content := s.download(demo.Alice(), customer, field[string](t, action, "downloadable", "documentUri"))
	require.Equal(t, "month,name,tier,balance\n2026-03,\"A, \"\"B\"\"\",GOLD,12.5\n", content)
	require.Equal(t, "text/csv", header.Get("Content-Type"))
	require.Contains(t, header.Get("Content-Disposition"), "statement.csv")
}

func TestRecalculateEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	customer := s.createCustomer(map[string]any{"name": "Acme", "balance": 10000})
	action := s.awaitAction(customer, s.invoke(customer, "RECALCULATE", "startWorkflow", nil), "COMPLETED")
	require.NotContains(t, action, "downloadable")
	_, artifact := s.call(demo.Alice(), http.MethodGet, "/business-artifacts/"+customer, nil)
	require.Equal(t, "GOLD", field[string](t, artifact, "data", "value", "tier"))
}

func TestFailedActionLeavesAnIncident(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	customer := s.createCustomer(map[string]any{"name": "Acme", "balance": "a lot"})
	action := s.awaitAction(customer, s.invoke(customer, "RECALCULATE", "startWorkflow", nil), "ERROR")
	id := field[string](t, action, "id")
	require.NotContains(t, fmt.Sprint(action), "a lot", "the reason is for administrators")

	asAlice := s.asking(demo.Alice())
	list := printed(t, append([]string{"incidents", "list", "-o", "json"}, asAlice...)...)
	require.Contains(t, list, id)
	require.Contains(t, list, customer)
	require.Contains(t, list, `balance \"a lot\" is not a decimal number`)
	incident := strings.TrimSpace(printed(t, append([]string{"incidents", "list", "-o", "jq=.[].id"}, asAlice...)...))
	require.Error(t, run(t.Context(), append([]string{"incidents", "retry", incident}, asAlice...), io.Discard, io.Discard))
	require.Equal(t, incident+" DISMISSED\n", printed(t, append([]string{"incidents", "dismiss", incident}, asAlice...)...))
}

func TestActionCanceledBeforeAWorkerExists(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	customer := s.createCustomer(map[string]any{"name": "Acme"})
	action := s.invoke(customer, "STATEMENT", "downloadable", map[string]any{"month": "2026-03"})
	id := uuid.MustParse(field[string](t, action, "id"))
	s.await("the workflow to be started", func() bool { return s.runState(id) == "RUNNING" })
	s.cancelAction(customer, id)
	// No worker answers the request to cancel: the workflow is terminated.
	s.await("the workflow to be terminated", func() bool { return s.runState(id) == "CANCELLED" })
	s.startWorker()
	other := s.invoke(customer, "STATEMENT", "downloadable", map[string]any{"month": "2026-04"})
	s.awaitAction(customer, other, "COMPLETED")
	require.Equal(t, "CANCELED", s.actionStatus(customer, id))
	var documents int
	s.query("SELECT count(*)::int FROM documents", &documents)
	require.Equal(t, 1, documents, "the canceled action made none")
}

func TestResultOfACanceledActionIsDropped(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	w := worker.New(s.temporalClient(), "QUEUE_SAMPLE_LOAN", worker.Options{})
	// A workflow that is asked to cancel and returns a result all the same.
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ map[string]any) (map[string]any, error) {
		ctx.Done().Receive(ctx, nil)
		return map[string]any{"message": "late"}, nil
	}, workflow.RegisterOptions{Name: "CustomerRecalculateWorkflow"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	customer := s.createCustomer(map[string]any{"name": "Acme"})
	id := uuid.MustParse(field[string](t, s.invoke(customer, "RECALCULATE", "startWorkflow", nil), "id"))
	s.await("the workflow to be started", func() bool { return s.runState(id) == "RUNNING" })
	s.cancelAction(customer, id)
	s.await("the workflow to complete", func() bool { return s.runState(id) == "COMPLETED" })
	require.Equal(t, "CANCELED", s.actionStatus(customer, id))
}

func TestServiceKilledAfterAnActionWasInvoked(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	customer := s.createCustomer(map[string]any{"name": "Acme"})
	for range 3 {
		action := s.invoke(customer, "STATEMENT", "downloadable", map[string]any{"month": "2026-03"})
		s.killService()
		s.startService()
		action = s.awaitAction(customer, action, "COMPLETED")
		_, content := s.download(demo.LoanWorker(), customer, field[string](t, action, "downloadable", "documentUri"))
		require.Equal(t, "month,name,tier,balance\n2026-03,Acme,,\n", content)
		ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
		require.Equal(t, 1, s.countExecutions(ctx,
			fmt.Sprintf("WorkflowId = 'business-artifact-action-%s'", field[string](t, action, "id"))))
		cancel()
	}
}

// createCustomer creates a CUSTOMER as Alice and returns its id.
func (s *testStack) createCustomer(data map[string]any) string {
	s.t.Helper()
	status, body := s.call(demo.Alice(), http.MethodPost, "/business-artifacts", map[string]any{
		"businessArtifactDefinitionCode": "CUSTOMER", "tenantId": demo.TenantDemo(), "data": map[string]any{"value": data},
		"businessArtifactDefinitionId": "01970000-0000-7000-8000-00000000f001",
	})
	require.Equal(s.t, http.StatusCreated, status, body)
	return field[string](s.t, body, "id")
}

// invoke invokes an action as Alice. input goes into the block.
func (s *testStack) invoke(customer, code, block string, input map[string]any) map[string]any {
	s.t.Helper()
	request := map[string]any{"businessArtifactActionDefinitionCode": code}
	if input != nil {
		request[block] = map[string]any{"input": input}
	}
	status, body := s.call(demo.Alice(), http.MethodPost, "/business-artifacts/"+customer+"/actions", request)
	require.Equal(s.t, http.StatusCreated, status, body)
	return body
}

func (s *testStack) cancelAction(customer string, id uuid.UUID) {
	s.t.Helper()
	status, body := s.call(demo.Alice(), http.MethodPost,
		"/business-artifacts/"+customer+"/actions/"+id.String()+"/~actions/cancel", nil)
	require.Equal(s.t, http.StatusOK, status, body)
	require.Equal(s.t, "CANCELED", field[string](s.t, body, "status"))
}

func (s *testStack) actionStatus(customer string, id uuid.UUID) string {
	_, body := s.call(demo.Alice(), http.MethodGet, "/business-artifacts/"+customer+"/actions/"+id.String(), nil)
	status, _ := body["status"].(string)
	return status
}

// awaitAction waits until an action has the status and returns it.
func (s *testStack) awaitAction(customer string, action map[string]any, want string) map[string]any {
	s.t.Helper()
	path := "/business-artifacts/" + customer + "/actions/" + field[string](s.t, action, "id")
	var got map[string]any
	s.await("action "+want, func() bool {
		_, got = s.call(demo.Alice(), http.MethodGet, path, nil)
		return got["status"] == want
	})
	return got
}

// download returns the header and the text of a document of a customer.
func (s *testStack) download(as demo.Account, customer, uri string) (http.Header, string) {
	s.t.Helper()
	return s.downloadOf("/business-artifacts/"+customer, as, uri)
}

// downloadOf returns the header and the text of a document of the owner with the
// path.
func (s *testStack) downloadOf(owner string, as demo.Account, uri string) (http.Header, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url()+"/v2024-06-14"+owner+
		"/~actions/download-document?"+url.Values{"documentUri": {uri}}.Encode(), nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+as.Secret)
	if as.Email == "" {
		request.SetBasicAuth(as.ID.String(), as.Secret)
	}
	answer, err := s.http.Do(request)
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, answer.StatusCode, string(content))
	return answer.Header, string(content)
}
