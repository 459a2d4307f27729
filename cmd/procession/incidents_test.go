package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/localstack/demo"
)

func TestFailedWorkflowBecomesAnIncidentThatCanBeRetried(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	process := s.createLoan(uuid.New())
	// The example's workflow fails on an amount that is no number.
	s.fill(s.awaitItem(process, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "a lot"})

	first := s.awaitIncident(process)
	require.Equal(t, "RUNNING", s.processState(process), "a failed workflow leaves the process running")
	config := filepath.Join(s.dir, "procession.yaml")
	list := printed(t, "incidents", "list", "--config", config)
	require.Contains(t, list, first)
	require.Contains(t, list, process.String())

	require.Equal(t, first+" RETRIED\n", printed(t, "incidents", "retry", first, "--config", config))
	second := s.awaitIncident(process)
	require.NotEqual(t, first, second, "the workflow ran again, on the same data")
	require.Equal(t, 2, s.countRuns(process))
	require.Equal(t, 1, s.countItems(process), "running again repeats no item")

	require.Equal(t, second+" DISMISSED\n", printed(t, "incidents", "dismiss", second, "--config", config))
	require.Equal(t, "no incidents\n", printed(t, "incidents", "list", "--config", config))
	require.Contains(t, printed(t, "incidents", "list", "--all", "--config", config), first)

	err := run(t.Context(), []string{"incidents", "retry", uuid.NewString(), "--config", config}, t.Output(), t.Output())
	require.Equal(t, exitNotFound, exitCode(err), err)
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes/"+process.String()+"/~actions/cancel", nil)
	require.Equal(t, http.StatusOK, status, body)
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
