package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// recordsNothing are operations that record no event although their method is
// not GET.
func recordsNothing() []string {
	return []string{
		"B.prepareBusinessArtifactCreateArtifact", "B.prepareBusinessArtifactStartProcess", "admin.apply_TENANT", "admin.evaluateAvailability", "admin.evaluate_MODEL",
	}
}

// ledgerEvent is a row of the event log.
type ledgerEvent struct {
	ID            uuid.UUID
	TenantID      uuid.UUID
	Type          string
	ResourceKind  string
	ResourceID    uuid.UUID
	PreviousState *string
	State         *string
	ProcessID     *uuid.UUID
	ActorID       uuid.UUID
	RequestID     *string
	OccurredAt    time.Time
	Details       json.RawMessage
}

// describe is the event as recorded writes it.
func (e ledgerEvent) describe() string {
	if e.PreviousState == nil && e.State == nil {
		return e.Type
	}
	text := func(state *string) string {
		if state == nil {
			return ""
		}
		return *state
	}
	return e.Type + ":" + text(e.PreviousState) + ">" + text(e.State)
}

// ledger are all events, in the order in which they were recorded.
func (s *service) ledger() []ledgerEvent {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	rows, err := conn.Query(s.t.Context(), `SELECT id, tenant_id, type, resource_kind, resource_id, previous_state, state,
		process_id, actor_id, request_id, occurred_at, details FROM events ORDER BY position`)
	require.NoError(s.t, err)
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ledgerEvent])
	require.NoError(s.t, err)
	return events
}

// asked is a request that is made for the ledger.
type asked struct {
	operation
	as demo.Account
	// header is what the request has beside what all have.
	header map[string]string
}

// requireRecorded sends a request and requires exactly the events that it
// records.
func (s *service) requireRecorded(a asked, id, want string) answer {
	s.t.Helper()
	before := len(s.ledger())
	r := request(s.t, a.as, a.method, a.path, a.body)
	r.Header.Set("X-Request-Id", id)
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	got := s.send(r)
	events := s.ledger()[before:]
	described := []string{}
	for _, e := range events {
		described = append(described, e.describe())
		require.Equal(s.t, a.as.ID, e.ActorID)
		require.Equal(s.t, id, *e.RequestID)
		require.NotEqual(s.t, uuid.Nil, e.TenantID)
		require.NotEqual(s.t, uuid.Nil, e.ResourceID)
		require.NotEmpty(s.t, e.ResourceKind)
	}
	if want == "none" {
		want = ""
	}
	require.Equal(s.t, want, strings.Join(described, ","), got.body)
	return got
}

// Every operation records what it does: who did it, in which request, to what. An
// operation that is new needs a row, so that it is not forgotten.
func TestEveryOperationRecordsWhatItDoes(t *testing.T) {
	t.Parallel()
	rows, shared := map[string]bool{}, newReads(t)
	for _, line := range strings.Split(strings.TrimSpace(recorded), "\n")[1:] {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		require.Len(t, cells, 3, line)
		name, first, again := cells[0], cells[1], strings.ReplaceAll(cells[2], "same", cells[1])
		require.False(t, rows[name], name)
		rows[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, a := askFor(t, name, shared)
			reads := a.method == http.MethodGet || slices.Contains(recordsNothing(), name)
			require.Equal(t, reads, !strings.Contains(first, ".") || strings.HasPrefix(first, "DOCUMENT.DOWNLOADED") ||
				strings.Contains(first, "FORM_DOWNLOADED") || first == "ENCRYPTION_KEY.READ", name)

			// Requests of an anonymous caller and of a stranger record no
			// event.
			anonymous := request(t, a.as, a.method, a.path, a.body)
			anonymous.Header.Del("Authorization")
			before := s.ledger()
			require.Equal(t, 401, s.send(anonymous).status)
			if refused := s.send(request(t, demo.OtherWorker(), a.method, a.path, a.body)); refused.status >= 400 {
				require.Equal(t, before, s.ledger())
			}

			got := s.requireRecorded(a, "first", first)
			require.Less(t, got.status, 300, got.body)
			s.requireRecorded(a, "again", again)
		})
	}
	for _, name := range slices.Concat(operationNames(), adminOperationNames()) {
		require.True(t, rows[name], "%s has no row", name)
	}
}

func adminOperationNames() []string {
	var names []string
	for _, id := range contracts["admin"].Operations() {
		names = append(names, "admin."+id)
	}
	return names
}

// reads are the operations that only read, which do it at the same services, one
// after the other.
type reads struct {
	sync.Mutex

	requests map[string]asked
	at       map[string]*service
}

func newReads(t *testing.T) *reads {
	t.Helper()
	r := &reads{requests: map[string]asked{}, at: map[string]*service{}}
	add := func(s *service, name string, op operation, as demo.Account) {
		if op.method == http.MethodGet {
			r.requests[name], r.at[name] = asked{operation: op, as: as}, s
		}
	}
	shapes, admin := newService(t), newAdministered(t)
	for name, op := range newFixture(shapes).operations() {
		add(shapes, name, op, demo.LoanWorker())
	}
	for id, op := range admin.makeThings("north", "one").operations() {
		add(admin.service, "admin."+id, op, admin.as("owner"))
	}
	return r
}

// askFor is the request of a row, and a service that it does something at.
func askFor(t *testing.T, name string, shared *reads) (*service, asked) {
	t.Helper()
	if a, ok := shared.requests[name]; ok {
		shared.Lock()
		t.Cleanup(shared.Unlock)
		return shared.at[name].in(t), a
	}
	if id, ok := strings.CutPrefix(name, "admin."); ok {
		s := newAdministered(t)
		op, as := s.makeThings("north", "one").operations()[id], s.as("owner")
		switch id {
		case "releaseProcessItemTask":
			as = s.as("candidate")
		case "applyResources":
			op.body = applying("", document("north", "Group", "NEW", `{"name":"New"}`))
		case "enableWebhookEndpoint":
			conn := s.connect()
			_, err := conn.Exec(t.Context(), `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'GONE'`)
			require.NoError(t, err)
			require.NoError(t, conn.Close(t.Context()))
		}
		return s.service, asked{operation: op, as: as}
	}
	s := newService(t)
	f := newFixture(s)
	a := asked{operation: f.operations()[name], as: demo.LoanWorker()}
	switch name {
	case "A.actionsTaskClaim", "B.claimProcessItemTask":
		f.task = s.item(f.process, "APPROVE_LOAN", "").ID
		a.operation, a.as = f.operations()[name], demo.Bob()
	case "B.generateProcessItemAiAssistance":
		conn := s.connect()
		_, err := conn.Exec(t.Context(), "DELETE FROM item_assistance")
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	case "B.restoreBusinessArtifact":
		s.call(204, a.as, http.MethodDelete, artifactPath(f.artifact, ""), "")
	case "A.actionsProcessDeleteElement":
		s.send(request(t, a.as, "POST", processPathA(f.process, "/~actions/save-element"), saveElement("REF", `[{"type":"STRING","value":"R"}]`)))
	case "A.actionsTaskDeleteElement":
		s.send(request(t, a.as, "POST", taskPathA(f.task, "/~actions/save-element"), saveElement("NOTE", `[{"type":"STRING","value":"N"}]`)))
	}
	return s, a
}

// Requests that change nothing or fail half-way record no event.
func TestNothingIsRecordedOfWhatDoesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	document := downloadPath("/processes/"+f.process.String(), f.document)
	etag := s.get(200, demo.Alice(), document).header.Get("ETag")
	patch := func(path string) operation {
		return operation{method: http.MethodPatch, path: path, body: "[]"}
	}
	get := operation{method: http.MethodGet, path: document}
	for name, c := range map[string]struct {
		asked
		status int
	}{
		"empty patch of metadata":    {asked{operation: patch(processPath(f.process, "/metadata"))}, 200},
		"empty patch of an entity":   {asked{operation: patch(processPath(f.process, "/entity"))}, 200},
		"empty patch of a task":      {asked{operation: patch(itemPath(f.task, "/task/data"))}, 200},
		"empty patch of an artifact": {asked{operation: patch(artifactPath(f.artifact, "/data"))}, 200},
		"own task again":             {asked{operation: f.operations()["B.claimProcessItemTask"]}, 200},
		"document that is known":     {asked{operation: get, header: map[string]string{"If-None-Match": etag}}, 304},
		"range that is not there":    {asked{operation: get, header: map[string]string{"Range": "bytes=1000-"}}, 416},
		"other document":             {asked{operation: get, header: map[string]string{"If-Match": `"x"`}}, 412},
		"headers of a document":      {asked{operation: operation{method: http.MethodHead, path: document}}, 200},
	} {
		c.as = demo.LoanWorker()
		got := s.requireRecorded(c.asked, "nothing", "none")
		require.Equal(t, c.status, got.status, "%s: %s", name, got.body)
	}
	get.path = document
	got := s.requireRecorded(asked{operation: get, as: demo.Alice(), header: map[string]string{"Range": "bytes=1-2"}},
		"part", "DOCUMENT.DOWNLOADED")
	require.Equal(t, 206, got.status)

	// No event of a read is recorded for a document whose bytes are gone.
	conn := s.connect()
	var blob uuid.UUID
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT blob_id FROM documents WHERE id = $1`, documentOf(t, f.document)).Scan(&blob))
	require.NoError(t, conn.Close(t.Context()))
	require.NoError(t, s.documents.Delete(t.Context(), blobs.Key{Tenant: f.tenant, Document: blob}))
	require.Equal(t, 500, s.requireRecorded(asked{operation: get, as: demo.Alice()}, "lost", "none").status)
}

// An operation whose event cannot be recorded fails.
func TestWhatCannotBeRecordedDoesNotHappen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	conn := s.connect()
	_, err := conn.Exec(t.Context(), `ALTER TABLE events ADD CHECK (request_id <> 'unrecorded') NOT VALID`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	before := s.snapshot()
	for _, name := range []string{"B.downloadProcessDocument", "B.completeProcess", "B.createAuthentication", "B.uploadProcessDocument"} {
		op := f.operations()[name]
		r := request(t, demo.LoanWorker(), op.method, op.path, op.body)
		r.Header.Set("X-Request-Id", "unrecorded")
		got := s.send(r)
		require.Equal(t, 500, got.status, name)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Contains(t, got.body, `"INTERNAL"`)
	}
	require.Equal(t, before, s.snapshot())
}

// The service itself is the actor of what happens by itself.
func TestWhatTheServiceDoesItselfIsRecorded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	begun := len(s.ledger())
	system := func(want ...string) {
		t.Helper()
		var got []string
		for _, e := range s.ledger()[begun:] {
			if e.ActorID == domain.SystemPrincipalID() {
				got = append(got, e.describe())
				require.Nil(t, e.RequestID)
			}
		}
		require.Equal(t, want, got)
	}
	system()
	uri := s.upload(demo.LoanWorker(), "/processes/"+s.loan().ID.String(), "temporary")
	s.ticks.Add((25 * time.Hour).Milliseconds())
	n, err := s.app.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	system("DOCUMENT.EXPIRED")
	events := s.ledger()
	require.Equal(t, documentOf(t, uri), events[len(events)-1].ResourceID)

	process := s.loan().ID
	s.item(process, "APPROVE_LOAN", "")
	closed := func(status domain.EngineRunState) {
		t.Helper()
		run := uuid.NewString()
		conn := s.connect()
		defer func() { _ = conn.Close(t.Context()) }()
		var c domain.Closing
		require.NoError(t, conn.QueryRow(t.Context(), `UPDATE engine_runs SET state = 'RUNNING', run_id = $2, closed_at = NULL
			WHERE owner_id = $1 RETURNING namespace, workflow_id`, process, run).Scan(&c.Namespace, &c.WorkflowID))
		c.RunID, c.Status, c.ClosedAt, c.Message = run, status, s.now(), "no funds"
		for _, news := range []bool{true, false} {
			recorded, err := s.app.RecordClosing(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, news, recorded)
		}
	}
	closed(domain.RunFailed)
	closed(domain.RunCancelled)
	system("DOCUMENT.EXPIRED", "ENGINE_RUN.ENDED:RUNNING>FAILED", "INCIDENT.CREATED:>OPEN",
		"ENGINE_RUN.ENDED:RUNNING>CANCELLED", "PROCESS_ITEM.TASK_STATE_CHANGED:READY>CANCELLED",
		"PROCESS.STATE_CHANGED:RUNNING>CANCELLED")
}

// A worker is an event when it is new and when another principal takes it over.
func TestWorkersThatChangeHandsAreRecorded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	register := operation{method: "POST", path: "/workers", body: `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"}`}
	s.lists(demo.LoanWorker().ID, "q")
	s.lists(demo.Stranger().ID, "q")
	missed := func() {
		s.count(`WITH done AS (UPDATE workers SET last_seen_at = last_seen_at - interval '1 hour' RETURNING 1) SELECT count(*) FROM done`)
	}
	s.requireRecorded(asked{operation: register, as: demo.LoanWorker()}, "new", "WORKER.REGISTERED")
	s.requireRecorded(asked{operation: register, as: demo.LoanWorker()}, "there", "none")
	missed()
	s.requireRecorded(asked{operation: register, as: demo.Stranger()}, "taken", "WORKER.REGISTERED")
	missed()
	s.requireRecorded(asked{operation: register, as: demo.LoanWorker()}, "back", "WORKER.REGISTERED")
	events := s.ledger()
	events = events[len(events)-3:]
	require.Equal(t, events[0].ResourceID, events[1].ResourceID)
	require.JSONEq(t, `{"identity":"w","taskQueue":"q"}`, string(events[0].Details))
}

// Events hold neither values that people entered nor secrets.
func TestEventsHoldNoEnteredValues(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	f := newFixture(s.service)
	for name, op := range f.operations() {
		if op.method != http.MethodGet {
			body := strings.NewReplacer(`"A":1`, `"A":"entered"`, `"value":"R"`, `"value":"entered"`,
				`"value":"N"`, `"value":"entered"`, `"m"`, `"entered"`, "note.txt", "entered.txt").Replace(op.body)
			got := s.send(request(t, demo.LoanWorker(), op.method, strings.ReplaceAll(op.path, "note.txt", "entered.txt"), body))
			require.Less(t, got.status, 500, name)
		}
	}
	issued := s.post(201, s.as("owner"), resourcePath("north", "Application", "worker", "/secrets"), `{"name":"second"}`)
	secret := decode[struct{ Value string }](t, issued).Value
	require.NotEmpty(t, secret)
	for _, e := range s.ledger() {
		require.NotContains(t, string(e.Details), "entered")
		require.NotContains(t, string(e.Details), secret)
	}
	require.Zero(t, s.count(`SELECT count(*) FROM events WHERE request_id IS NULL AND actor_id <> $1`, domain.SystemPrincipalID()))
}
