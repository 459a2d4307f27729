package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestFailedWorkflowBecomesAnIncidentThatCanBeRetried(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.foundATenant()
	process := s.createLoan(uuid.New())
	alice := s.browse(demo.Alice().Secret)
	s.awaitQueue(alice, "no live worker")
	s.awaitQueue(alice, "Start a worker for this queue") // after the first observation
	s.startWorker()
	// The example's workflow fails on an amount that is no number.
	s.fill(s.awaitItem(process, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "a lot"})

	first := s.awaitIncident(process)
	require.Equal(t, "RUNNING", s.processState(process), "a failed workflow leaves the process running")
	asAlice := s.asking(demo.Alice())
	list := printed(t, append([]string{"incidents", "list"}, asAlice...)...)
	require.Contains(t, list, first)
	require.Contains(t, list, process.String())

	s.awaitQueue(alice, "1 worker online")
	alice.open("incidents")
	alice.Click("#incident-" + first + " .row-link")
	alice.AwaitText("AMOUNT")
	alice.Click("form[action$=retry] button")
	alice.AwaitText("Retried")
	second := s.awaitIncident(process)
	require.NotEqual(t, first, second, "the workflow ran again, on the same data")
	require.Equal(t, 2, s.countRuns(process))
	require.Equal(t, 1, s.countItems(process), "running again repeats no item")

	require.Equal(t, second+" DISMISSED\n", printed(t, append([]string{"incidents", "dismiss", second}, asAlice...)...))
	require.Empty(t, printed(t, append([]string{"incidents", "list"}, asAlice...)...))
	require.Contains(t, printed(t, append([]string{"incidents", "list", "--all"}, asAlice...)...), first)

	err := run(t.Context(), append([]string{"incidents", "retry", first}, s.asking(demo.Bob())...), t.Output(), t.Output())
	require.Equal(t, cli.ExitNotFound, exitCode(err), err)
	s.repairAmount(alice, process)
	s.reopenApplication()
}

// reopenApplication fails another loan, and has its applicant correct the reopened task.
func (s *testStack) reopenApplication() {
	s.t.Helper()
	process := s.createLoan(uuid.New())
	item := s.awaitItem(process, "LOAN_APPLICATION")
	data := map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "lots"}
	s.fill(item, data)
	s.awaitIncident(process)
	printed(s.t, append([]string{
		"processes", "repair", "reopen", process.String(), "--task", item, "--reset", "--reason", "the amount is not a number", "--yes",
	}, s.asking(demo.Alice())...)...)
	s.await("the workflow to go on", func() bool { return s.runState(process) == "RUNNING" })
	require.Equal(s.t, "CLAIMED", s.taskState(item))
	data["AMOUNT"] = 500
	for _, step := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPut, "/task/data", map[string]any{"data": map[string]any{"value": data}}},
		{http.MethodPost, "/task/~actions/complete", nil},
	} {
		status, body := s.call(demo.Carol(), step.method, "/process-items/"+item+step.path, step.body)
		require.Equal(s.t, http.StatusOK, status, body)
	}
	s.await("the end of the process", func() bool { return s.processState(process) == "COMPLETED" })
}

// asking returns the flags of a command that asks the service as a user.
func (s *testStack) asking(as demo.Account) []string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "token")
	require.NoError(s.t, os.WriteFile(file, []byte(as.Secret), 0o600))
	return []string{"--server", s.url(), "--token-file", file}
}

// awaitIncident waits for an open incident of the process and returns its id.
func (s *testStack) awaitIncident(process uuid.UUID) string {
	s.t.Helper()
	var id string
	s.await("an incident", func() bool {
		s.query(`SELECT coalesce((SELECT id::text FROM incidents WHERE process_id = $1 AND state = 'OPEN'), '')`,
			&id, process)
		return id != ""
	})
	return id
}

// repairAmount repairs the wrong amount in the completed task of a failed process, with three clicks.
func (s *testStack) repairAmount(as *browser, process uuid.UUID) {
	s.t.Helper()
	as.open("processes/" + process.String())
	as.Click(`a[href$="/repair"]`)
	as.AwaitText("End of")
	as.Click(`a[href*="/repair-value/"]:not([href$="metadata"])`)
	as.AwaitText("Change the data of")
	as.Set(`[name="v/CHANGE_TASK_DATA/AMOUNT"]`, "500")
	as.Type(`[name="v/repair/reason"]`, "the amount is not a number")
	as.Click("[data-complete]")
	as.AwaitText("the amount is not a number")
	as.open("processes/" + process.String() + "/timeline")
	as.AwaitText("changed the data of a task as a repair")
	as.AwaitText("the amount is not a number")
	s.await("the end of the process", func() bool { return s.processState(process) == "COMPLETED" })
	require.Contains(s.t, printed(s.t, append([]string{"processes", "history", process.String()}, s.asking(demo.Alice())...)...),
		"repaired the process")
}
