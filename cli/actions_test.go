package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

// The process and the principals of these tests.
const (
	actionsProcess = "01980000-0000-7000-8000-0000000000c1"
)

func TestActions(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("actions", "faults")
	require.NoError(t, o.err)
	require.Equal(t, "no faults\n", o.stderr)
	w.succeeds("apply", "-f", w.writeFile("loan.yaml", withUserActions(t)))
	w.create(`{"id":"` + actionsProcess + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)

	requireGolden(t, "actions.txt", w.succeeds("actions", "explain", actionsProcess, workerID))
	require.Equal(t, "REMIND\nLATE\n", w.succeeds("actions", "explain", actionsProcess, workerID, "-o", "jq=.[]|select(.offered|not)|.code"))

	require.Equal(t, "true\n", w.succeeds("actions", "evaluate", `${ .process.state == "RUNNING" }`, "--process", actionsProcess))
	model := w.writeFile("model.json", `{"process":{"state":"COMPLETED","createdAt":"2026-03-02T10:30:00Z","lastModifiedAt":"2026-03-02T10:30:00Z"}}`)
	require.Equal(t, "false\n", w.succeeds("actions", "evaluate", `${ .process.state == "RUNNING" }`, "--model", model))
	require.Equal(t, `column 22: unexpected EOF`,
		w.fails(cli.ExitUsage, "actions", "evaluate", `${ .process.state == }`, "--model", model))
	require.Contains(t, w.fails(cli.ExitUsage, "actions", "evaluate", `${ .tasks.NONE.createdAt | startswith("a") }`, "--model", model),
		"evaluating the availability expression")

	w.get("/v2024-06-14/processes/" + actionsProcess + "/actions/~available")
	requireGolden(t, "action_faults.txt", w.succeeds("actions", "faults"))
	require.Contains(t, w.as(memberToken).fails(cli.ExitDenied, "actions", "faults", "-o", "json"), "you are MEMBER of north")
	require.Equal(t, "1\n", w.succeeds("actions", "faults", "--tenant", "north", "-o", "jq=length"))
	w.requireOperatorSeesActions()

	for _, worker := range []string{"worker", workerID} {
		require.Equal(t, "3\n", w.succeeds("actions", "explain", actionsProcess, worker, "-o", "jq=length"))
	}
	require.Equal(t, "3\n", w.succeeds("actions", "explain", actionsProcess, "member@north.example", "-o", "jq=length"))
	require.Equal(t, "the principal: there is no user or application tom that you administer; give an id",
		w.fails(cli.ExitNotFound, "actions", "explain", actionsProcess, "tom"))

	unknown := uuid.NewString()
	require.Equal(t, "process "+unknown+" not found", w.fails(cli.ExitNotFound, "actions", "explain", unknown, workerID))
	require.Equal(t, "process "+unknown+" not found",
		w.fails(cli.ExitNotFound, "actions", "evaluate", "${ true }", "--process", unknown))
	w.as(memberToken).fails(cli.ExitNotFound, "actions", "explain", actionsProcess, workerID)
	for _, wrong := range [][]string{
		{"explain"},
		{"explain", actionsProcess},
		{"explain", "x", workerID},
		{"explain", actionsProcess, unknown},
		{"evaluate"},
		{"evaluate", "${ true }"},
		{"evaluate", "${ true }", "--process", "x"},
		{"evaluate", "${ true }", "--process", actionsProcess, "--model", model},
		{"evaluate", "${ true }", "--model", model + ".none"},
		{"evaluate", "${ true }", "--model", w.writeFile("odd.json", `{"processes":1}`)},
		{"faults", "--limit", "0"},
		{"faults", "x"},
	} {
		w.fails(cli.ExitUsage, append([]string{"actions"}, wrong...)...)
	}
}

// requireOperatorSeesActions requires that an operator, who is not a member of the tenant, sees the actions of its owner.
func (w *terminal) requireOperatorSeesActions() {
	w.t.Helper()
	operator := w.as(w.operator)
	for _, args := range [][]string{
		{"explain", actionsProcess, workerID},
		{"faults"},
		{"faults", "--tenant", "north", "-o", "json"},
		{"evaluate", `${ .process.state == "RUNNING" }`, "--process", actionsProcess},
	} {
		args = append([]string{"actions"}, args...)
		require.Equal(w.t, w.succeeds(args...), operator.succeeds(args...))
	}
}

func TestUserActionsAreInvoked(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	w.succeeds("apply", "-f", w.writeFile("loan.yaml", strings.Replace(withUserActions(t), "  userActions:\n", `  userActions:
    - {code: NOTE, name: Note, type: CREATE_PROCESS_ITEM_MESSAGE, permissions: [INITIATOR]}
    - {code: AGAIN, name: Again, type: CREATE_TASK, permissions: [MANAGER], item: APPLY}
`, 1)))
	w.create(`{"id":"` + actionsProcess + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)
	member := w.as(memberToken)
	invoke := func(args ...string) []string { return append([]string{"processes", "invoke", actionsProcess}, args...) }
	requireGolden(t, "work/actions.txt", member.succeeds("processes", "actions", actionsProcess))

	const id = "01980000-0000-7000-8000-0000000000d1"
	for range 2 {
		require.Equal(t, id+" COMPLETED\n", member.succeeds(invoke("NOTE", "--input", "text=Hello", "--id", id, "--wait")...))
	}
	require.Equal(t, "1\n", w.succeeds(invoke("AGAIN", "-o", "jq=[.createTask]|length")...))
	require.Equal(t, "APPLY READY\n", strings.ReplaceAll(member.succeeds("tasks", "list", "--process", actionsProcess,
		"-o", `jq=.[]|.processItemDefinitionRef.code+" "+.task.state`), `"`, ""))
	require.Regexp(t, `^--input: NOTE has no parameter txt; its parameters: `, member.fails(cli.ExitUsage, invoke("NOTE", "--input", "txt=x")...))
	require.Equal(t, "process "+actionsProcess+" not found",
		w.as(w.operator).fails(cli.ExitNotFound, "processes", "actions", actionsProcess))
	member.fails(cli.ExitDenied, invoke("REMIND")...)
	require.Equal(t, "user action NOTHING not found", member.fails(cli.ExitNotFound, invoke("NOTHING")...))

	// The document of a DOWNLOADABLE comes from the workflow of the action.
	requested := member.as(ownerToken)
	exported := "01980000-0000-7000-8000-0000000000d2"
	require.Equal(t, exported+" REQUESTED\n", requested.succeeds(invoke("EXPORT", "--id", exported)...))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v2024-06-14/processes/"+actionsProcess+
		"/~actions/upload-user-action-document?fileName=a.txt&fileContentType=text/plain&userActionValueId="+exported, strings.NewReader("exported"))
	worker, secret, _ := strings.Cut(workerPair, ":")
	request.SetBasicAuth(worker, secret)
	request.Header.Set("Content-Type", "application/octet-stream")
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, request)
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	file := filepath.Join(t.TempDir(), "export.txt")
	require.Equal(t, exported+" COMPLETED\n", requested.succeeds(invoke("EXPORT", "--id", exported, "--to", file)...))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "exported", string(text))
	require.Contains(t, requested.runs(invoke("EXPORT", "--id", exported, "--to", file)...).err.Error(), "file exists")
}

// withUserActions returns the definition LOAN of testdata with user actions.
func withUserActions(t *testing.T) string {
	t.Helper()
	loan, err := os.ReadFile("testdata/north/loan.yaml")
	require.NoError(t, err)
	return strings.Replace(string(loan), "  permissions:\n    initiators:", `  userActions:
    - {code: EXPORT, name: Export, type: DOWNLOADABLE, permissions: [MANAGER], workflowType: W, taskQueue: LOANS}
    - code: REMIND
      name: Remind
      type: START_WORKFLOW
      permissions: [INITIATOR]
      workflowType: W
      taskQueue: LOANS
      availability: ${ .process.state == "COMPLETED" }
    - code: LATE
      name: Late
      type: SEND_WORKFLOW_SIGNAL
      permissions: [MANAGER, INITIATOR]
      signalName: Late
      availability: ${ .tasks.APPLY.createdAt | startswith("2025") }
  permissions:
    initiators:`, 1)
}

func (w *terminal) create(body string) {
	w.ask(memberToken, http.MethodPost, "/v2024-06-14/processes", body, http.StatusCreated)
}

func (w *terminal) get(path string) { w.ask(memberToken, http.MethodGet, path, "", http.StatusOK) }

// ask sends a request to the second shape.
func (w *terminal) ask(token, method, path, body string, status int) {
	w.t.Helper()
	request := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, request)
	require.Equal(w.t, status, answer.Code, answer.Body)
}
