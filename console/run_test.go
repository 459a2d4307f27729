package console_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
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
	record := sql[uuid.UUID](s, `SELECT id FROM events WHERE process_id = $1 LIMIT 1`, first)
	now := time.Now()
	require.NoError(t, s.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{
		DueTaskQueue: domain.DueTaskQueue{TenantID: demo.TenantDemo(), TaskQueue: "QUEUE_SAMPLE_LOAN"}, Observation: domain.TaskQueueObservation{
			ObservedAt: now, Pollers: []domain.Poller{{Identity: hostile, Kind: domain.TaskKindWorkflow, LastAccessAt: now}},
			Backlogs: []domain.TaskBacklog{{Kind: domain.TaskKindWorkflow, Count: 3, Age: 5 * time.Minute}},
		},
	}}))
	screens := map[string]string{
		"incidents": "incidents", "incident": "incidents/" + incident.String(), "no-incidents": "incidents?q=nothing+at+all",
		"queues": "queues", "queue": "queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN&language=python",
		"audit": "audit?about=" + first, "no-audit": "audit?who=no-such-person", "record": "audit/" + record.String(),
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

func TestQueuesSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	alice := s.signIn("Alice")
	alice.open("queues")
	alice.AwaitText("no live worker")
	alice.AwaitText("Start a worker for this queue")
	alice.Click("a[href*='name=QUEUE_SAMPLE_LOAN']")
	for language, text := range map[string]string{
		"Go": `TaskQueue: "QUEUE_SAMPLE_LOAN"`, "Python": `QUEUE = "QUEUE_SAMPLE_LOAN"`,
		"TypeScript": `const taskQueue = "QUEUE_SAMPLE_LOAN"`, "Java": `String WORKFLOW = "SampleEngineWorkerLoanWorkflow"`,
	} {
		alice.open("queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN")
		alice.Click("a.chip[href*='language=" + strings.ToLower(language) + "']")
		alice.AwaitText(text)
	}
}

func TestAuditIsFilteredAndExported(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.loan("Loan to audit")
	s.loan("Loan of another")
	alice := s.signIn("Alice")
	alice.open("audit")
	alice.Type("[name=who]", "carol")
	alice.Type("[name=what]", "process.created")
	alice.Type("[name=about]", loan.String())
	alice.Click(".audit-buttons button")
	alice.Await(`document.querySelectorAll("#audit tbody tr").length === 1`)
	query := strings.TrimPrefix(alice.Path(), web.Root+"audit")
	table := alice.fetch("audit.csv" + query)
	require.Equal(t, 2, strings.Count(table, "\n"), table)
	require.Contains(t, table, ",demo,"+demo.Carol().ID.String()+",Carol,PROCESS.CREATED,PROCESS,"+loan.String())
	record := alice.fetch("audit.json" + query)
	require.Contains(t, record, `"actor":"Carol","type":"PROCESS.CREATED","resourceKind":"PROCESS","resourceId":"`+loan.String()+`"`)
	alice.Click("#audit .row-link")
	alice.AwaitText("All of this resource")
	permanent := alice.Path()
	alice.Click("a[href*='about=" + loan.String() + "']")
	alice.AwaitText("PROCESS.CREATED")
	alice.open(strings.TrimPrefix(permanent, web.Root))
	alice.AwaitText(loan.String())
	alice.open("audit?from=yesterday")
	alice.AwaitText("That did not work")
}
