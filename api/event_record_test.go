package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// recordsNothing returns operations that record no event although their method is
// not GET.
func recordsNothing() []string {
	return []string{
		"B.readNotifications", "admin.previewRepair", "admin.previewBulkOperation", "B.prepareBusinessArtifactCreateArtifact", "B.prepareBusinessArtifactStartProcess", "admin.apply_TENANT", "admin.evaluateAvailability", "admin.evaluate_MODEL",
	}
}

// storedEvent is a row of the event log.
type storedEvent struct {
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

// describe returns the event as recorded writes it.
func (e storedEvent) describe() string {
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

// storedEvents returns all events, in the order in which they were recorded.
func storedEvents(s *apitest.Service) []storedEvent {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	rows, err := conn.Query(s.T.Context(), `SELECT id, tenant_id, type, resource_kind, resource_id, previous_state, state,
		process_id, actor_id, request_id, occurred_at, details FROM events ORDER BY position`)
	require.NoError(s.T, err)
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[storedEvent])
	require.NoError(s.T, err)
	return events
}

// siteRequest is a request that is made for the ledger.
type siteRequest struct {
	operation
	as demo.Account
	// header contains additional headers of the request.
	header map[string]string
}

// requireRecorded sends a request and requires exactly the events that it
// records.
func requireRecorded(s *apitest.Service, a siteRequest, id, want string) apitest.Answer {
	s.T.Helper()
	before := len(storedEvents(s))
	r := apitest.Request(s.T, a.as, a.method, a.path, a.body)
	r.Header.Set("X-Request-Id", id)
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	got := s.Send(r)
	events := storedEvents(s)[before:]
	described := []string{}
	for _, e := range events {
		described = append(described, e.describe())
		require.Equal(s.T, a.as.ID, e.ActorID)
		require.Equal(s.T, id, *e.RequestID)
		require.NotEqual(s.T, uuid.Nil, e.TenantID)
		require.NotEqual(s.T, uuid.Nil, e.ResourceID)
		require.NotEmpty(s.T, e.ResourceKind)
	}
	if want == "none" {
		want = ""
	}
	require.Equal(s.T, want, strings.Join(described, ","), got.Body)
	return got
}

// Every operation records an event with the actor, the request and the resource. A new
// operation needs a row.
func TestEveryOperationRecordsEvents(t *testing.T) {
	t.Parallel()
	rows, all := map[string]bool{}, newSites(t)
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
			s, a := askFor(t, name, all)
			reads := a.method == http.MethodGet || slices.Contains(recordsNothing(), name)
			require.Equal(t, reads, !strings.Contains(first, ".") || strings.HasPrefix(first, "DOCUMENT.DOWNLOADED") ||
				strings.Contains(first, "FORM_DOWNLOADED") || strings.HasPrefix(first, "PROCESS.EXPORTED") || first == "ENCRYPTION_KEY.READ", name)

			// Requests of an anonymous caller and of a stranger record no
			// event.
			anonymous := apitest.Request(t, a.as, a.method, a.path, a.body)
			anonymous.Header.Del("Authorization")
			before := storedEvents(s)
			require.Equal(t, 401, s.Send(anonymous).Status)
			if response := s.Send(apitest.Request(t, demo.OtherWorker(), a.method, a.path, a.body)); response.Status >= 400 {
				require.Equal(t, before, storedEvents(s))
			}

			got := requireRecorded(s, a, "first", first)
			require.Less(t, got.Status, 300, got.Body)
			requireRecorded(s, a, "again", again)
		})
	}
	for _, name := range slices.Concat(operationNames(), adminOperationNames()) {
		require.True(t, rows[name], "%s has no row", name)
	}
}

func adminOperationNames() []string {
	var names []string
	for _, id := range apitest.Contracts["admin"].Operations() {
		names = append(names, "admin."+id)
	}
	return names
}

// Requests that make no change or fail half-way record no event.
func TestRequestsWithoutAChangeRecordNoEvent(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	document := apitest.DownloadPath("/processes/"+f.process.String(), f.document)
	etag := s.Get(200, demo.Alice(), document).Header.Get("ETag")
	patch := func(path string) operation {
		return operation{method: http.MethodPatch, path: path, body: "[]"}
	}
	get := operation{method: http.MethodGet, path: document}
	for name, c := range map[string]struct {
		siteRequest
		status int
	}{
		"empty patch of metadata":    {siteRequest{operation: patch(apitest.ProcessPath(f.process, "/metadata"))}, 200},
		"empty patch of an entity":   {siteRequest{operation: patch(apitest.ProcessPath(f.process, "/entity"))}, 200},
		"empty patch of a task":      {siteRequest{operation: patch(apitest.ItemPath(f.task, "/task/data"))}, 200},
		"empty patch of an artifact": {siteRequest{operation: patch(apitest.ArtifactPath(f.artifact, "/data"))}, 200},
		"own task again":             {siteRequest{operation: f.operations()["B.claimProcessItemTask"]}, 200},
		"document that is known":     {siteRequest{operation: get, header: map[string]string{"If-None-Match": etag}}, 304},
		"range that is not there":    {siteRequest{operation: get, header: map[string]string{"Range": "bytes=1000-"}}, 416},
		"other document":             {siteRequest{operation: get, header: map[string]string{"If-Match": `"x"`}}, 412},
		"headers of a document":      {siteRequest{operation: operation{method: http.MethodHead, path: document}}, 200},
	} {
		c.as = demo.LoanWorker()
		got := requireRecorded(s, c.siteRequest, "nothing", "none")
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Body)
	}
	get.path = document
	got := requireRecorded(s, siteRequest{operation: get, as: demo.Alice(), header: map[string]string{"Range": "bytes=1-2"}},
		"part", "DOCUMENT.DOWNLOADED")
	require.Equal(t, 206, got.Status)

	// Reading a document with missing bytes records no event.
	conn := s.Connect()
	var blob uuid.UUID
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT blob_id FROM documents WHERE id = $1`, apitest.DocumentOf(t, f.document)).Scan(&blob))
	require.NoError(t, conn.Close(t.Context()))
	require.NoError(t, s.Documents.Delete(t.Context(), blobs.Key{Tenant: f.tenant, Document: blob}))
	require.Equal(t, 500, requireRecorded(s, siteRequest{operation: get, as: demo.Alice()}, "lost", "none").Status)
}

// An operation fails if its event cannot be recorded.
func TestOperationFailsWithoutItsEvent(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	conn := s.Connect()
	_, err := conn.Exec(t.Context(), `ALTER TABLE events ADD CHECK (request_id <> 'unrecorded') NOT VALID`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	before := s.Snapshot()
	for _, name := range []string{"B.downloadProcessDocument", "B.completeProcess", "B.createAuthentication", "B.uploadProcessDocument"} {
		op := f.operations()[name]
		r := apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)
		r.Header.Set("X-Request-Id", "unrecorded")
		got := s.Send(r)
		require.Equal(t, 500, got.Status, name)
		require.Equal(t, "application/json", got.Header.Get("Content-Type"))
		require.Contains(t, got.Body, `"INTERNAL"`)
	}
	require.Equal(t, before, s.Snapshot())
}

// The service is the actor of changes without a request.
func TestChangesByTheServiceAreRecorded(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	begun := len(storedEvents(s))
	system := func(want ...string) {
		t.Helper()
		var got []string
		for _, e := range storedEvents(s)[begun:] {
			if e.ActorID == domain.SystemPrincipalID() {
				got = append(got, e.describe())
				require.Nil(t, e.RequestID)
			}
		}
		require.Equal(t, want, got)
	}
	system()
	uri := s.Upload(demo.LoanWorker(), "/processes/"+s.Loan().ID.String(), "temporary")
	s.Ticks.Add((25 * time.Hour).Milliseconds())
	n, err := s.App.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	system("DOCUMENT.EXPIRED")
	events := storedEvents(s)
	require.Equal(t, apitest.DocumentOf(t, uri), events[len(events)-1].ResourceID)

	process := s.Loan().ID
	s.Item(process, "APPROVE_LOAN", "")
	closed := func(status domain.EngineRunState) {
		t.Helper()
		run := uuid.NewString()
		conn := s.Connect()
		defer func() { _ = conn.Close(t.Context()) }()
		var c domain.RunEnd
		require.NoError(t, conn.QueryRow(t.Context(), `UPDATE engine_runs SET state = 'RUNNING', run_id = $2, closed_at = NULL
			WHERE owner_id = $1 RETURNING namespace, workflow_id`, process, run).Scan(&c.Namespace, &c.WorkflowID))
		c.RunID, c.Status, c.ClosedAt, c.Message = run, status, s.Now(), "no funds"
		for _, news := range []bool{true, false} {
			recorded, err := s.App.RecordEnd(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, news, recorded)
		}
	}
	closed(domain.RunFailed)
	closed(domain.RunCancelled)
	system("DOCUMENT.EXPIRED", "ENGINE_RUN.ENDED:RUNNING>FAILED", "INCIDENT.CREATED:>OPEN", "PROCESS.CONDITION_CHANGED:RUNNING>FAILED",
		"ENGINE_RUN.ENDED:RUNNING>CANCELLED", "PROCESS_ITEM.TASK_STATE_CHANGED:READY>CANCELLED",
		"PROCESS.STATE_CHANGED:RUNNING>CANCELLED")
}

// A worker is an event when it is new and when another principal takes it over.
func TestWorkersThatChangeHandsAreRecorded(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	register := operation{method: "POST", path: "/workers", body: `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"}`}
	s.Lists(demo.LoanWorker().ID, "q")
	s.Lists(demo.Stranger().ID, "q")
	missed := func() {
		s.Count(`WITH done AS (UPDATE workers SET last_seen_at = last_seen_at - interval '1 hour' RETURNING 1) SELECT count(*) FROM done`)
	}
	requireRecorded(s, siteRequest{operation: register, as: demo.LoanWorker()}, "new", "WORKER.REGISTERED")
	requireRecorded(s, siteRequest{operation: register, as: demo.LoanWorker()}, "there", "none")
	missed()
	requireRecorded(s, siteRequest{operation: register, as: demo.Stranger()}, "taken", "WORKER.REGISTERED")
	missed()
	requireRecorded(s, siteRequest{operation: register, as: demo.LoanWorker()}, "back", "WORKER.REGISTERED")
	events := storedEvents(s)
	events = events[len(events)-3:]
	require.Equal(t, events[0].ResourceID, events[1].ResourceID)
	require.JSONEq(t, `{"identity":"w","taskQueue":"q"}`, string(events[0].Details))
}

// Events hold neither values that people entered nor secrets.
func TestEventsHoldNoEnteredValues(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	f := newFixture(s.Service)
	for name, op := range f.operations() {
		if op.method != http.MethodGet {
			body := strings.NewReplacer(`"A":1`, `"A":"entered"`, `"value":"R"`, `"value":"entered"`,
				`"value":"N"`, `"value":"entered"`, `"m"`, `"entered"`, "note.txt", "entered.txt").Replace(op.body)
			got := s.Send(apitest.Request(t, demo.LoanWorker(), op.method, strings.ReplaceAll(op.path, "note.txt", "entered.txt"), body))
			require.Less(t, got.Status, 500, name)
		}
	}
	issued := s.Post(201, s.As("owner"), apitest.ResourcePath("north", "Application", "worker", "/secrets"), `{"name":"second"}`)
	secret := apitest.Decode[struct{ Value string }](t, issued).Value
	require.NotEmpty(t, secret)
	for _, e := range storedEvents(s.Service) {
		require.NotContains(t, string(e.Details), "entered")
		require.NotContains(t, string(e.Details), secret)
	}
	require.Zero(t, s.Count(`SELECT count(*) FROM events WHERE request_id IS NULL AND actor_id <> $1`, domain.SystemPrincipalID()))
}
