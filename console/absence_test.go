package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// A substitute finds the tasks of an absent person in a view of their own, which others do not have, and completes them.
func TestTasksOfAnAbsentPersonAreInAViewOfTheSubstitute(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startLoan("Loan of an absent person")
	task := s.createTask(process, "APPROVE_LOAN", "")
	_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	carol := s.clientWithToken(demo.Carol().Secret)
	page := func(path string) string {
		return string(s.sendRequest(carol, http.MethodGet, path, nil).body)
	}
	require.NotContains(t, page("tasks"), "For absent people")
	s.applyManifests(`
apiVersion: procession/v1
kind: Absence
metadata: { code: BOB, tenant: demo }
spec: { user: bob, substitute: carol, from: 2026-01-01T00:00:00Z, until: 2126-01-01T00:00:00Z }
`)
	require.Contains(t, page("tasks"), "For absent people")
	require.Contains(t, page("tasks?view=substituted"), "instead of Bob")
	require.Contains(t, page("tasks/"+task.String()), "Bob is away. You fill in and complete this task instead.")
	_, err = s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Carol()), task)
	require.NoError(t, err)
	require.Contains(t, page("tasks/"+task.String()), "Completed by")
	require.Contains(t, page("processes/"+process.String()+"/timeline"), "completed “Approve the loan” instead of Bob")
}
