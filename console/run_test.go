package console_test

import (
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/browsertest"
	"github.com/procession-dev/procession/persistence"
)

// sql runs a statement that returns one value.
func sql[T any](s *site, statement string, args ...any) T {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.database)
	require.NoError(s.t, err)
	defer func() { _ = conn.Close(s.t.Context()) }()
	var value T
	require.NoError(s.t, conn.QueryRow(s.t.Context(), statement, args...).Scan(&value))
	return value
}

// incident lets the workflow of a process fail with a message.
func (s *site) incident(process uuid.UUID, message string) uuid.UUID {
	s.t.Helper()
	attempt := uuid.NewString()
	run := sql[uuid.UUID](s, `UPDATE engine_runs SET state = 'FAILED', run_id = $2, closed_at = created_at
		WHERE owner_id = $1 RETURNING id`, process, attempt)
	tenant := sql[uuid.UUID](s, `SELECT tenant_id FROM engine_runs WHERE id = $1`, run)
	id := domain.NewID()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.InsertIncident(domain.NewIncident(id, domain.EngineRun{ID: run, TenantID: tenant, OwnerID: process},
			domain.Closing{RunID: attempt, Message: message, Failure: "ApplicationError: " + message + "\n  at LoanWorkflow"}, s.now()))
		return nil
	}))
	return id
}

// Every screen of those who run the service, with texts that would be markup.
func TestRunIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	first := s.loanOf("Loan "+hostile, "Carol", "Demo")
	s.incident(uuid.MustParse(first), "the amount is not a number")
	incident := s.incident(uuid.MustParse(first), hostile)
	s.incident(s.loan("Loan for a piano"), "no answer from the register of companies")
	screens := map[string]string{
		"incidents": "incidents", "incident": "incidents/" + incident.String(), "no-incidents": "incidents?q=nothing+at+all",
	}
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			s := *s
			s.t = t
			alice := s.signIn("Alice")
			alice.Scheme(scheme)
			for name, path := range screens {
				alice.Size(1280, 800)
				alice.open(path)
				alice.RequireAccessible()
				require.Equal(t, 1, alice.Count("main > [id]:only-child"), path)
				require.Equal(t, 1, alice.Count(".side [aria-current]"), path)
				require.NotEqual(t, "broken", browsertest.Eval[string](alice.Tab, "document.title"), path)
				if *screenshots != "" {
					alice.Screenshot(filepath.Join(*screenshots, name+"-"+scheme+"-1280.png"))
					alice.Size(375, 800)
					alice.Screenshot(filepath.Join(*screenshots, name+"-"+scheme+"-375.png"))
				}
				alice.Size(320, 700)
				alice.RequireNoSidewaysScroll()
			}
		})
	}
}

func TestIncidentsAreDealtWith(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.loan("Loan that fails")
	s.incident(loan, "first failure")
	second := s.incident(loan, "second failure")
	other := s.incident(s.loan("Loan that fails too"), "another failure")

	bob := s.signIn("Bob")
	require.Zero(t, bob.Count("a[href='/console/incidents']"), "Bob administers nothing")
	bob.open("incidents")
	bob.AwaitText("Not allowed")

	alice := s.signInWithoutScript("Alice")
	alice.Click("a[href='/console/incidents']")
	alice.AwaitText("failed 2 times")
	alice.Click("#incident-" + second.String() + " input")
	alice.Click("#incident-" + other.String() + " input")
	alice.Click("button[formaction$=retry]")
	alice.AwaitText("What was done")
	require.Equal(t, 2, alice.Count("#results .text-green"))
	require.Equal(t, int64(2), sql[int64](s, `SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))

	alice.open("incidents")
	alice.Click(".row-link")
	alice.AwaitText("first failure")
	alice.Click("form[action$=retry] button")
	alice.AwaitText("the workflow was started again since")
	alice.Click("form[action$=dismiss] button")
	alice.AwaitText("Dismissed")
	alice.open("incidents")
	alice.AwaitText("No incident is open.")
	alice.open("incidents?state=all&q=second")
	alice.AwaitText("1 in all")
	alice.Click(".row-link")
	alice.Click("a[href='" + web.Root + "processes/" + loan.String() + "']")
	alice.AwaitText("Loan that fails")
}
