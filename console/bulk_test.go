package console_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// runBulk handles some batches of the running operation, as its workflow does.
func (s *site) runBulk(batches int) uuid.UUID {
	s.t.Helper()
	id := sql[uuid.UUID](s, `SELECT id FROM bulk_operations WHERE state = 'RUNNING'`)
	position := bulk.Position{}
	for range batches {
		var err error
		position, err = s.options.Bulk.RunBatch(s.t.Context(), id, position.After, false, func() {})
		require.NoError(s.t, err)
	}
	return id
}

// A filter of a list selects the entries of a bulk operation, which is previewed, started with a reason, followed and reported.
func TestAllEntriesOfAListAreChanged(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	const n = domain.BulkBatch + 10
	for i := range n {
		s.createIncident(s.startLoan("Loan "+strconv.Itoa(i)), "loan "+strconv.Itoa(i)+" has no amount")
	}
	ended := s.startLoan("Loan that ended")
	s.createIncident(ended, "loan 99 has no amount")
	_, err := s.app.CancelProcess(t.Context(), s.callerOf(demo.Alice()), ended)
	require.NoError(t, err)
	s.createIncident(s.startLoan("Another"), "another failure")

	alice := s.signIn("Alice")
	alice.openPath("incidents?q=has+no+amount")
	alice.look("bulk-list")
	alice.AwaitText("Choose an action for all 31 …")
	alice.Click(".bulk-link a")
	alice.AwaitText("Retry failed workflows")
	alice.look("bulk-choice")
	alice.Click("#kind-RETRY_INCIDENTS button")
	alice.AwaitText("will change")
	require.Equal(t, "31 30 1", figures(alice))
	alice.AwaitText("Why entries are refused")
	alice.look("bulk-preview")
	require.Zero(t, sql[int](s, `SELECT count(*)::int FROM engine_commands WHERE kind = 'RESTART'`), "a preview")
	alice.Type("#bulk-reason", "the register answers again")
	alice.Click("form[action$='/start'] button")
	alice.AwaitText("0 of 31 handled")

	s.runBulk(1)
	alice.AwaitText("20 of 31 handled")
	require.Equal(t, 20, browsertest.Eval[int](alice.Tab, `document.querySelector("progress").value`))
	alice.look("bulk-progress")
	operation := s.runBulk(3)
	alice.AwaitText("Report (CSV)")
	require.Equal(t, "Completed", alice.words("#bulk-state"))
	require.Equal(t, "30 1", figures(alice))
	alice.look("bulk-report")
	report := alice.fetchText("bulk/" + operation.String() + "/report.csv")
	require.Contains(t, report, ",REFUSED,PROCESS_FINISHED,")
	require.Equal(t, n, sql[int](s, `SELECT count(*)::int FROM engine_commands WHERE kind = 'RESTART'`))

	// The causes of several incidents have the actions too, and a stop leaves the rest.
	alice.openPath("processes?q=Another")
	alice.Click(".bulk-link a")
	alice.Click("#kind-CANCEL_PROCESSES button")
	alice.AwaitText("will change")
	alice.Type("#bulk-reason", "nobody needs it")
	alice.Click("form[action$='/start'] button")
	alice.AwaitText("0 of 1 handled")
	alice.Click("form[action$='/stop'] button")
	alice.AwaitText("not reached")
	require.Equal(t, "0 0 1", figures(alice))
	alice.openPath("bulk")
	alice.AwaitText("nobody needs it")
	require.Equal(t, 2, alice.Count("#bulk .row-item"))
	alice.look("bulk-operations")
	alice.Click(".chip[href*=STOPPED]")
	alice.AwaitText("1 in all")
}

// figures returns the numbers of the page.
func figures(p *person) string {
	return browsertest.Eval[string](p.Tab, `[...document.querySelectorAll(".figure-count")].map((c) => c.textContent.trim()).join(" ")`)
}

// look requires that a page fits and is accessible, and takes its pictures.
func (p *person) look(name string) {
	p.s.t.Helper()
	p.RequireAccessible()
	if path := strings.TrimPrefix(p.Path(), "/console/"); *screenshots != "" {
		p.takePicture(name, path)
		p.openPath(path)
	}
	p.requireFit()
	p.Size(1280, 800)
}

// Tasks are assigned to a person from the list.
func TestAllTasksOfAListAreAssigned(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan of a holiday")
	for range 3 {
		s.createTask(loan, "APPROVE_LOAN", "")
	}
	alice := s.signInWithoutScript("Alice")
	alice.openPath("tasks?view=all&q=holiday")
	alice.Click(".bulk-link a")
	alice.Type("#kind-ASSIGN_TASKS [name=email]", "nobody@example.com")
	alice.Click("#kind-ASSIGN_TASKS button")
	alice.AwaitText("is not an active principal of the tenant")
	alice.Type("#kind-ASSIGN_TASKS [name=email]", demo.Bob().Email)
	alice.Click("#kind-ASSIGN_TASKS button")
	alice.AwaitText("new owner: Bob")
	alice.Type("#bulk-reason", "Bob is back")
	alice.Click("form[action$='/start'] button")
	alice.AwaitText("0 of 3 handled")
	s.runBulk(2)
	require.Equal(t, 3, sql[int](s, `SELECT count(*)::int FROM process_items WHERE process_id = $1 AND task_state = 'CLAIMED' AND owner_id = $2`, loan, demo.Bob().ID))
}
