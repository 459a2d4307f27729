package console_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// setRun changes the workflow of a process, which Temporal would report.
func (s *site) setRun(process uuid.UUID, assignments string) {
	s.t.Helper()
	sql[uuid.UUID](s, `UPDATE engine_runs SET `+assignments+` WHERE owner_id = $1 AND kind = 'PROCESS' RETURNING id`, process)
}

// conditions starts a loan of each condition, by its subject.
func (s *site) conditions() map[string]uuid.UUID {
	s.t.Helper()
	running := `state = 'RUNNING', run_id = 'first', created_at = now() - interval '1 hour'`
	runs := map[string]string{
		"Loan that runs":    running,
		"Loan that fails":   running,
		"Loan that repeats": running + `, finding = 'STUCK', finding_at = now() - interval '2 hours'`,
		"Loan unserved":     running + `, finding = 'UNSERVED', finding_at = now() - interval '5 minutes'`,
		"Loan that listens": running + `, finding = 'WAITING_FOR_SIGNAL', finding_at = now()`,
		"Loan that starts":  `last_active_at = now() - interval '1 minute'`,
	}
	ids := map[string]uuid.UUID{}
	for subject, assignments := range runs {
		ids[subject] = s.startLoan(subject)
		s.setRun(ids[subject], assignments)
	}
	s.createIncident(ids["Loan that fails"], "the amount is not a number "+hostile)
	return ids
}

func TestConditionsAreShown(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	ids := s.conditions()
	alice := s.signIn("Alice")
	states := func() map[string]string {
		return browsertest.Eval[map[string]string](alice.Tab, `Object.fromEntries([...document.querySelectorAll("tbody tr")].map(
			(r) => [r.querySelector(".row-title").textContent.trim(), r.querySelector(".state").textContent.trim()]))`)
	}
	alice.openPath("processes")
	require.Equal(t, map[string]string{
		"Loan that runs": "Running", "Loan that fails": "Needs attention", "Loan that repeats": "Needs attention",
		"Loan unserved": "Waiting for the engine", "Loan that listens": "Waiting for a signal", "Loan that starts": "Waiting for the engine",
	}, states())
	counts := `[...document.querySelectorAll(".chip .count")].map((c) => c.textContent.trim()).join()`
	require.Equal(t, "2,2", browsertest.Eval[string](alice.Tab, counts))
	s.requireAccessible(alice.Tab)

	alice.Click("a.chip[href*='condition=attention']")
	alice.AwaitText("2 in all")
	require.Equal(t, map[string]string{"Loan that fails": "Needs attention", "Loan that repeats": "Needs attention"}, states())
	alice.openPath("processes?condition=engine")
	alice.AwaitText("2 in all")
	alice.openPath("processes?sort=condition")
	order := browsertest.Eval[string](alice.Tab, `[...document.querySelectorAll("tbody .state")].map((c) => c.textContent.trim()).join()`)
	require.Equal(t, "Needs attention,Needs attention,Waiting for the engine,Waiting for the engine", strings.Join(strings.Split(order, ",")[:4], ","))
	table := alice.fetchText("processes.csv?q=loan+that+fails")
	require.Contains(t, table, "State,Condition,Started by")
	require.Contains(t, table, ",RUNNING,FAILED,Carol,")
	require.Equal(t, "2 need attention", alice.words(".areas a[href='/console/processes'] .attention-count"))
	require.Equal(t, "1 open incidents", alice.words(".areas a[href='/console/definitions'] .attention-count"))

	alice.openPath("")
	alice.AwaitText("Need attention")
	require.Equal(t, 2, alice.Count("#attention .row-item"))
	alice.AwaitText("the amount is not a number")
	alice.requireFit()

	process := "processes/" + ids["Loan that fails"].String()
	carol := s.signIn("Carol")
	require.Zero(t, carol.Count("#attention"), "Carol manages no loans")
	carol.openPath(process)
	carol.AwaitText("Needs attention")
	carol.AwaitText("The managers and administrators of the process see the cause.")
	require.Zero(t, carol.Count(".condition-cause, .condition a, .condition form"))
	carol.requireFit()
}

// words returns the text of an element with single spaces.
func (p *person) words(selector string) string {
	return strings.Join(strings.Fields(browsertest.Eval[string](p.Tab, `document.querySelector(`+quoteText(selector)+`)?.textContent ?? ""`)), " ")
}

func TestFailedProcessIsRetried(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	ids := s.conditions()
	alice := s.signIn("Alice")
	if *screenshots != "" {
		for name, path := range map[string]string{
			"condition-list": "processes", "condition-home": "", "condition-failed": "processes/" + ids["Loan that fails"].String(),
			"condition-unserved": "processes/" + ids["Loan unserved"].String(),
		} {
			alice.openPath(path)
			alice.takePicture(name, path)
		}
	}
	alice.openPath("processes/" + ids["Loan that repeats"].String())
	alice.AwaitText("A step of the workflow fails repeatedly")
	require.Zero(t, alice.Count(".condition form"), "a running workflow is not retried")
	alice.openPath("processes/" + ids["Loan unserved"].String())
	alice.AwaitText("no worker takes tasks of the queue QUEUE_SAMPLE_LOAN")

	process := "processes/" + ids["Loan that fails"].String()
	alice.openPath(process)
	alice.AwaitText("The workflow of this process failed")
	alice.AwaitText("the amount is not a number")
	require.Equal(t, 1, alice.Count(".condition a[href='/console/"+process+"/engine']"))
	alice.requireFit()
	alice.Click(".condition a[href^='/console/incidents/']")
	alice.AwaitText("Report of the workflow")
	alice.openPath(process)
	alice.Click(".condition form[action$=retry] button")
	alice.AwaitText("Running")
	require.Equal(t, web.Root+process, alice.Path())
	require.Zero(t, alice.Count(".condition"))
	require.Equal(t, int64(1), sql[int64](s, `SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))
}

// A failed action of a running process needs attention until its incident is dealt with; a failed workflow does so even if its
// incident is dismissed.
func TestAttentionFollowsIncidents(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan with an action")
	failed := s.createIncident(loan, "no answer")
	state := func() string {
		found, err := s.app.RetrieveProcessView(t.Context(), s.callerOf(demo.Alice()), loan)
		require.NoError(t, err)
		return string(found.Condition.Standing(s.currentTime()))
	}
	require.Equal(t, "ATTENTION", state())
	_, err := s.administration.DismissIncident(t.Context(), s.callerOf(demo.Alice()), failed)
	require.NoError(t, err)
	require.Equal(t, "ATTENTION", state(), "the workflow is still failed")
	s.setRun(loan, `state = 'RUNNING', run_id = 'next', closed_at = NULL`)
	require.Empty(t, state())
	sql[uuid.UUID](s, `UPDATE incidents SET state = 'OPEN', resolved_at = NULL WHERE id = $1 RETURNING id`, failed)
	require.Equal(t, "ATTENTION", state(), "an incident is open")
	counts, err := s.app.CountAttention(t.Context(), s.callerOf(demo.Alice()))
	require.NoError(t, err)
	require.EqualValues(t, 1, counts.Processes)
	require.EqualValues(t, 1, counts.Incidents)
	sql[uuid.UUID](s, `UPDATE incidents SET muted_until = now() + interval '1 hour' WHERE id = $1 RETURNING id`, failed)
	counts, err = s.app.CountAttention(t.Context(), s.callerOf(demo.Alice()))
	require.NoError(t, err)
	require.Zero(t, counts.Incidents)
	counts, err = s.app.CountAttention(t.Context(), s.callerOf(demo.Carol()))
	require.NoError(t, err)
	require.Zero(t, counts.Processes)
}
