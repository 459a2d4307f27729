package console_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/browsertest"
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

// createIncident lets the workflow of a process fail with a message.
func (s *site) createIncident(process uuid.UUID, message string) uuid.UUID {
	s.t.Helper()
	attempt := uuid.NewString()
	run := sql[uuid.UUID](s, `UPDATE engine_runs SET state = 'FAILED', run_id = $2, closed_at = created_at
		WHERE owner_id = $1 RETURNING id`, process, attempt)
	tenant := sql[uuid.UUID](s, `SELECT tenant_id FROM engine_runs WHERE id = $1`, run)
	id := domain.NewID()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.InsertIncident(domain.NewIncident(id, domain.EngineRun{ID: run, TenantID: tenant, OwnerID: process},
			domain.RunEnd{RunID: attempt, Message: message, Failure: "ApplicationError: " + message + "\n  at LoanWorkflow"}, s.currentTime()))
		return nil
	}))
	return id
}

// createReceiver creates a receiver of notifications in a tenant and returns the form that names it.
func (s *site) createReceiver(tenant string) string {
	s.t.Helper()
	operator := domain.Call{Caller: domain.Caller{PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser, Operator: true}}
	manifest, err := json.Marshal(map[string]any{
		"apiVersion": "procession/v1", "kind": "NotificationReceiver", "metadata": map[string]string{"code": "OPS", "tenant": tenant},
		"spec": map[string]any{"name": "Operations " + hostile, "type": "EMAIL", "addresses": []string{"ops@example.com"}},
	})
	require.NoError(s.t, err)
	_, err = s.administration.ApplyResources(s.t.Context(), operator, administration.ApplyRequest{Documents: []json.RawMessage{manifest}})
	require.NoError(s.t, err)
	return url.Values{"tenant": {tenant}, "code": {"OPS"}}.Encode()
}

// createWebhook creates a webhook subscription with a secret and a failed delivery of the creation of a process.
// It returns the query of the subscription.
func (s *site) createWebhook(process uuid.UUID, code string) (name string, delivery uuid.UUID) {
	s.t.Helper()
	operator := domain.Call{Caller: domain.Caller{PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser, Operator: true}}
	tenant := sql[string](s, `SELECT t.code FROM tenants t JOIN processes p ON p.tenant_id = t.id WHERE p.id = $1`, process)
	manifest, err := json.Marshal(map[string]any{
		"apiVersion": "procession/v1", "kind": "WebhookSubscription", "metadata": map[string]string{"code": code, "tenant": tenant},
		"spec": map[string]string{"name": "Receiver " + hostile, "url": "https://receiver.example/events"},
	})
	require.NoError(s.t, err)
	_, err = s.administration.ApplyResources(s.t.Context(), operator, administration.ApplyRequest{Documents: []json.RawMessage{manifest}})
	require.NoError(s.t, err)
	key := administration.ResourceKey{Tenant: tenant, Kind: resource.KindWebhookSubscription, Code: code}
	_, err = s.administration.IssueSecret(s.t.Context(), operator, key, administration.NewSecret{Name: "first"})
	require.NoError(s.t, err)
	delivery = sql[uuid.UUID](s, `WITH made AS (
		INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, process_id, state,
			attempts, created_at, queued_at, last_attempt_at, finished_at)
		SELECT gen_random_uuid(), r.id, r.tenant_id, e.id, e.type, 'B', e.process_id, 'DEAD', 1, e.occurred_at, e.occurred_at,
			e.occurred_at, e.occurred_at
		  FROM resources r JOIN events e ON e.process_id = $2 AND e.type = 'PROCESS.CREATED'
		 WHERE r.kind = 'WebhookSubscription' AND r.code = $1 LIMIT 1 RETURNING id, tenant_id, created_at), tried AS (
		INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
		SELECT id, tenant_id, 1, 1, created_at, 503, interval '12 milliseconds', 'STATUS', 'the answer was 503', $3 FROM made)
		SELECT id FROM made`, code, process, hostile)
	return url.Values{"tenant": {tenant}, "code": {code}}.Encode(), delivery
}

// Every screen of operation, with markup in texts.
func TestRunIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	first := s.loanOf("Loan "+hostile, "Carol", "Demo")
	s.createIncident(uuid.MustParse(first), "the amount is not a number")
	incident := s.createIncident(uuid.MustParse(first), hostile)
	s.createIncident(s.startLoan("Loan for a piano"), "no answer from the register of companies")
	record := sql[uuid.UUID](s, `SELECT id FROM events WHERE process_id = $1 LIMIT 1`, first)
	webhook, delivery := s.createWebhook(uuid.MustParse(first), "PICTURED")
	s.createReceiver("demo")
	now := time.Now()
	require.NoError(t, s.db.MatchTaskQueues(t.Context(), now))
	require.NoError(t, s.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{
		DueTaskQueue: domain.DueTaskQueue{TenantID: demo.TenantDemo(), TaskQueue: "QUEUE_SAMPLE_LOAN"}, Observation: domain.TaskQueueObservation{
			ObservedAt: now, Pollers: []domain.Poller{{Identity: hostile, Kind: domain.TaskKindWorkflow, LastAccessAt: now}},
			Backlogs: []domain.TaskBacklog{{Kind: domain.TaskKindWorkflow, Count: 3, Age: 5 * time.Minute}},
		},
	}}))
	operation, err := s.options.Bulk.Preview(t.Context(), s.callerOf(demo.Alice()), bulk.Request{Kind: domain.BulkRetryIncidents})
	require.NoError(t, err)
	_, err = s.options.Bulk.Start(t.Context(), s.callerOf(demo.Alice()), operation.ID, hostile)
	require.NoError(t, err)
	screens := map[string]string{
		"bulk-new": "bulk/new?list=%2Fconsole%2Fincidents", "bulk-operation": "bulk/" + operation.ID.String(),
		"incidents": "incidents", "incident": "incidents/" + incident.String(), "no-incidents": "incidents?q=nothing+at+all",
		"bulk": "bulk", "health": "health", "checks": "health/checks", "queues": "queues", "queue": "queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN&language=python",
		"receivers": "receivers", "webhooks": "webhooks", "webhook": "webhooks/endpoint?" + webhook, "delivery": "webhooks/deliveries/" + delivery.String(),
		"audit": "audit?about=" + first, "no-audit": "audit?who=no-such-person", "record": "audit/" + record.String(),
	}
	requireEveryScreen(t, slices.Collect(maps.Values(screens)), func(area string) bool {
		return isAdministrative(area) && area != "definitions" && area != "people" && area != "access"
	})
	alice := s.signInOperator()
	for name, path := range screens {
		alice.Size(1280, 800)
		alice.openPath(path)
		s.requireAccessible(alice.Tab)
		alice.AwaitContent()
		require.Equal(t, 1, alice.Count(".side [aria-current]"), path)
		require.NotEqual(t, "broken", browsertest.Eval[string](alice.Tab, "document.title"), path)
		if *screenshots != "" {
			alice.takePicture(name, path)
		}
		alice.Size(320, 700)
		alice.RequireNoSidewaysScroll()
	}
}

func TestIncidentsAreRetriedAndDismissed(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan that fails")
	s.createIncident(loan, "first failure")
	second := s.createIncident(loan, "second failure")
	other := s.createIncident(s.startLoan("Loan that fails too"), "another failure")

	bob := s.signIn("Bob")
	require.Zero(t, bob.Count("a[href='/console/definitions']"), "Bob administers nothing")
	bob.openPath("incidents")
	bob.AwaitText("Not allowed")

	alice := s.signInWithoutScript("Alice")
	alice.Click(".areas a[href='/console/definitions']")
	alice.Click(".side a[href='/console/incidents']")
	alice.AwaitText("failed 2 times")
	alice.Click("#incident-" + second.String() + " input")
	alice.Click("#incident-" + other.String() + " input")
	alice.Click("button[formaction$=retry]")
	alice.AwaitText("Results")
	require.Equal(t, 2, alice.Count("#results .text-green"))
	require.Equal(t, int64(2), sql[int64](s, `SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))

	alice.openPath("incidents")
	alice.Click(".row-link")
	alice.AwaitText("first failure")
	alice.Click("form[action$=retry] button")
	alice.AwaitText("The workflow was started again since")
	alice.Click("form[action$=dismiss] button")
	alice.AwaitText("Dismissed")
	alice.openPath("incidents")
	alice.AwaitText("No incident is open.")
	alice.openPath("incidents?state=all&q=second")
	alice.AwaitText("1 in all")
	alice.Click(".row-link")
	alice.Click("a[href='" + web.Root + "processes/" + loan.String() + "']")
	alice.AwaitText("Loan that fails")
}

// Incidents of one cause are retried by a bulk operation.
func TestCausesOfIncidents(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	for i := range 3 {
		s.createIncident(s.startLoan("Loan "+strconv.Itoa(i)), "loan "+strconv.Itoa(i)+" has no amount")
	}
	s.createIncident(s.startLoan("Another"), "another failure")
	alice := s.signIn("Alice")
	alice.openPath("incidents")
	alice.AwaitText("3 incidents")
	require.Equal(t, 1, alice.Count(".cause"))
	alice.RequireAccessible()
	alice.Click(".cause .row-link")
	alice.AwaitText("3 in all")
	alice.openPath("incidents")
	alice.Click(".cause button[value=RETRY_INCIDENTS]")
	alice.AwaitText("will change")
	require.Equal(t, "3 3 0", figures(alice))
	alice.Type("#bulk-reason", "the amounts are known")
	alice.Click("form[action$='/start'] button")
	alice.AwaitText("0 of 3 handled")
	s.runBulk(2)
	require.Equal(t, int64(3), sql[int64](s, `SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))
	alice.openPath("incidents")
	alice.AwaitText("another failure")
	require.Zero(t, alice.Count(".cause"))
}

func TestQueuesShowProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	alice := s.signIn("Alice")
	alice.openPath("queues")
	alice.AwaitText("no live worker")
	alice.AwaitText("Start a worker for this queue")
	alice.Click("a[href*='name=QUEUE_SAMPLE_LOAN']")
	for language, texts := range map[string][]string{
		"go":         {"go mod tidy", `TaskQueue         = "QUEUE_SAMPLE_LOAN"`, `AwaitTask[ClaimExpenses](ctx, TaskClaimExpenses)`},
		"python":     {".venv/bin/pytest", `TASK_QUEUE = "QUEUE_SAMPLE_LOAN"`, `await process.task(TASK_CLAIM_EXPENSES)`},
		"typescript": {"npm test", `TASK_QUEUE = "QUEUE_SAMPLE_LOAN";`, `process.task<ClaimExpenses>(TASK_CLAIM_EXPENSES)`},
		"java":       {"mvn test", `String TASK_QUEUE = "QUEUE_SAMPLE_LOAN";`, `process.task(TASK_CLAIM_EXPENSES, ClaimExpenses.class)`},
	} {
		alice.openPath("queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN")
		alice.Click("a.chip[href*='language=" + language + "']")
		alice.AwaitText(texts[0])
		shown := browsertest.Eval[string](alice.Tab, "document.body.textContent")
		for _, text := range texts[1:] {
			require.Contains(t, shown, text, language)
		}
	}
}

func TestAuditIsFilteredAndExported(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan to audit")
	s.startLoan("Loan of another")
	alice := s.signIn("Alice")
	alice.openPath("audit")
	alice.Type("[name=who]", "carol")
	alice.Eval(`document.querySelector("[name=what]").value = "PROCESS.CREATED"`)
	alice.Type("[name=about]", loan.String())
	alice.Click(".audit-buttons button")
	alice.Await(`document.querySelectorAll("#audit tbody tr").length === 1`)
	query := strings.TrimPrefix(alice.Path(), web.Root+"audit")
	table := alice.fetchText("audit.csv" + query)
	require.Equal(t, 2, strings.Count(table, "\n"), table)
	require.Contains(t, table, ",demo,"+demo.Carol().ID.String()+",Carol,PROCESS.CREATED,PROCESS,"+loan.String())
	record := alice.fetchText("audit.json" + query)
	require.Contains(t, record, `"actor":"Carol","type":"PROCESS.CREATED","resourceKind":"PROCESS","resourceId":"`+loan.String()+`"`)
	alice.Click("#audit .row-link")
	alice.AwaitText("All of this resource")
	permanent := alice.Path()
	alice.Click("a[href*='about=" + loan.String() + "']")
	alice.AwaitText("Carol started a process")
	alice.openPath(strings.TrimPrefix(permanent, web.Root))
	alice.AwaitText(loan.String())
	alice.openPath("audit?from=yesterday")
	alice.AwaitText("The request failed")
}

func TestWebhooksAreSentAgain(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	_, delivery := s.createWebhook(s.startLoan("Loan to send"), "HOOK")
	state := func() string { return sql[string](s, `SELECT state FROM webhook_deliveries WHERE id = $1`, delivery) }
	finish := func(state string) {
		sql[uuid.UUID](s, `UPDATE webhook_deliveries SET state = $2, finished_at = created_at WHERE id = $1 RETURNING id`, delivery, state)
	}
	alice := s.signIn("Alice")
	alice.openPath("webhooks")
	alice.AwaitText("1 given up")
	alice.Click("#webhooks .row-link")
	alice.AwaitText("Send a test event")
	webhook := strings.TrimPrefix(alice.Path(), web.Root)
	alice.Click("a.chip[href*='state=DEAD']")
	alice.Await(`location.search.includes("state=DEAD")`)
	alice.Click(".row-link")
	alice.AwaitText("the answer was 503")
	alice.AwaitText(`"type": "PROCESS.CREATED"`)
	alice.Click("form[action$='/replay'] button")
	alice.AwaitText("Waiting")
	require.Eventually(t, func() bool { return state() == "PENDING" }, time.Minute, 20*time.Millisecond)

	finish("DEAD")
	alice.openPath(webhook)
	alice.Click(".replay-form button")
	alice.AwaitText("1 delivery is sent again.")
	require.Equal(t, "PENDING", state())
	finish("DELIVERED")
	alice.openPath(webhook)
	alice.Click(".replay-form button")
	alice.AwaitText("0 deliveries are sent again.")
	alice.Set("[name=what]", "everything")
	alice.Click(".replay-form button")
	alice.AwaitText("1 delivery is sent again.")
	require.Equal(t, "PENDING", state())
	finish("DELIVERED")
	alice.openPath(webhook + "&done=replay&count=10000&what=everything&next=2026-01-01T00:00:00Z")
	alice.Click(".alert form button")
	alice.AwaitText("1 delivery is sent again.")
	require.Equal(t, "PENDING", state())

	alice.Click("form[action$='/ping'] button")
	alice.AwaitText("A test event is on its way.")
	alice.Click("form[action$='/pause'] button")
	alice.AwaitText("The endpoint is paused.")
	alice.Click("form[action$='/ping'] button")
	alice.Await(`document.querySelector(".alert-danger")`)
	alice.openPath(webhook)
	alice.Click("form[action$='/resume'] button")
	alice.AwaitText("The endpoint is resumed.")
	alice.Click("form[action$='/rotate'] button")
	alice.AwaitText("it is not shown again")
	require.True(t, strings.HasPrefix(alice.Text("#issued"), "whsec_"))
	require.Equal(t, int64(2), sql[int64](s, `SELECT count(*) FROM webhook_secrets`), "both are valid")
	alice.openPath(webhook)
	require.Zero(t, alice.Count("#issued"))
}

// An administrator tests a receiver, and the message is in the list.
func TestReceiversAreTested(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.createReceiver("demo")
	alice := s.signIn("Alice")
	alice.openPath("receivers")
	alice.AwaitText("ops@example.com")
	alice.AwaitText("There are no messages here.")
	alice.Click("form[action$='/receivers/test'] button")
	alice.AwaitText("The test was written: 1 message.")
	alice.AwaitText("Waiting")
	require.Equal(t, "ops@example.com", sql[string](s, `SELECT recipient FROM outbox_messages WHERE state = 'PENDING'`))
	alice.openPath("definitions/new?template=receiver")
	alice.AwaitText("NEW_RECEIVER")
}
