package console_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestHome(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	alice := s.signIn("Alice")
	alice.AwaitText("1 of 4 done")
	alice.AwaitText("Nothing waits for you.")
	require.Zero(t, alice.Count(".panel"))
	alice.requireFit()

	_, _, err := s.app.CreateWorker(t.Context(), s.callerOf(demo.LoanWorker()), nil, domain.Worker{
		ID: uuid.New(), Identity: "worker-1", Hostname: "host-1", IP: "10.0.0.1", WorkflowTypes: []string{"W"},
		TaskQueue: "QUEUE_SAMPLE_LOAN",
	})
	require.NoError(t, err)
	loan := s.startLoan("Loan on home " + hostile)
	task := s.createTask(loan, "APPROVE_LOAN", "")
	// The page learns of it by itself.
	alice.AwaitText("Carol started the process")
	alice.AwaitText("3 of 4 done")
	require.Contains(t, alice.Text("#waiting"), hostile)
	require.Contains(t, alice.Text("#waiting"), "Ready")

	bob := s.signIn("Bob")
	bob.AwaitText("0 of 1 done")
	require.Contains(t, bob.Text("#to-claim"), "Approve the loan")
	require.Zero(t, bob.Count("#mine"), "an empty list is hidden")
	bob.Click("#to-claim .row-link")
	bob.Click("form[action$=claim] button")
	bob.AwaitText("Release")
	bob.openPath("")
	require.Contains(t, bob.Text("#mine"), hostile)
	require.Zero(t, bob.Count("#waiting .row-item"), "what is one's own waits for no one else")
	_, err = s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	bob.Await(`!document.querySelector(".first-steps")`)
	bob.AwaitText("Bob completed “Approve the loan”")
	bob.requireFit()

	carol := s.signIn("Carol")
	require.Contains(t, carol.Text("#running"), hostile)
	carol.AwaitText("Carol started the process")
	require.NotContains(t, carol.Text("main"), "Approve the loan", "her reviewers' task is not visible to her")
	carol.requireFit()
}
