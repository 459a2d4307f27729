package api_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/audit"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// audited is a service that records refusals, in the log as well.
type audited struct {
	*administered

	recorder *audit.Recorder
	log      *bytes.Buffer
	mu       sync.Mutex
	counted  map[domain.SignInReason]int
}

func newAudited(t *testing.T) *audited {
	t.Helper()
	a := &audited{administered: newAdministered(t), log: &bytes.Buffer{}, counted: map[domain.SignInReason]int{}}
	a.recorder = audit.New(audit.Options{
		DB: a.db, Clock: a.now, Logger: slog.New(slog.NewJSONHandler(a.log, nil)),
		Count: func(reason domain.SignInReason) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.counted[reason]++
		},
	})
	options := a.options
	options.Audit = a.recorder
	var err error
	a.handler, err = api.NewRouter(options)
	require.NoError(t, err)
	return a
}

// from sends a request from an address.
func (a *audited) from(address string, r *http.Request) int {
	a.t.Helper()
	r.RemoteAddr = address + ":40000"
	return serve(a.handler, r)
}

// found are the events of a type that the caller finds.
func (a *audited) found(as demo.Account, eventType string) []recordedEvent {
	a.t.Helper()
	a.settle()
	path := adminAPI + "/events?type=" + eventType
	return decode[struct{ Content []recordedEvent }](a.t, a.get(200, as, path)).Content
}

type recordedEvent struct {
	TenantID     uuid.UUID
	ResourceKind string
	ResourceID   uuid.UUID
	ActorID      uuid.UUID
	RequestID    string
	Details      map[string]string
}

func TestRefusedSignInsAreRecorded(t *testing.T) {
	t.Parallel()
	a := newAudited(t)
	worker := a.as("worker")
	worker.Secret = "wrong"
	for range 3 {
		r := request(t, worker, http.MethodGet, "/tenants", "")
		r.Header.Set("X-Request-Id", "the-request")
		require.Equal(t, 401, a.from("203.0.113.7", r))
	}
	stranger := demo.Account{Name: "stranger", Email: "x@example.com", Secret: "no-such-token"}
	require.Equal(t, 401, a.from("198.51.100.1", request(t, stranger, http.MethodGet, "/tenants", "")))
	none := request(t, stranger, http.MethodGet, "/tenants", "")
	none.Header.Del("Authorization")
	require.Equal(t, 401, a.from("198.51.100.1", none))
	two := request(t, a.as("owner"), http.MethodGet, "/tenants", "")
	two.Header.Add("Authorization", two.Header.Get("Authorization"))
	require.Equal(t, 401, a.from("198.51.100.1", two))
	require.Equal(t, map[domain.SignInReason]int{
		domain.SignInUnknownCredential: 4, domain.SignInMissing: 1, domain.SignInMalformed: 1,
	}, a.counted)
	lines := strings.Split(strings.TrimSpace(a.log.String()), "\n")
	require.Len(t, lines, 5, "one for each attempt")
	require.Contains(t, lines[0], `"reason":"UNKNOWN_CREDENTIAL"`)
	require.Contains(t, lines[0], `"address":"203.0.113.7","request_id":"the-request"`)
	require.NotContains(t, a.log.String(), "no-such-token")

	require.NoError(t, a.recorder.Flush(t.Context()))
	events := a.found(a.as("administrator"), "AUTHENTICATION.FAILED")
	require.Len(t, events, 1, "what is of the tenant")
	require.Equal(t, worker.ID, events[0].ResourceID)
	require.Equal(t, "PRINCIPAL", events[0].ResourceKind)
	require.Equal(t, "the-request", events[0].RequestID)
	require.Equal(t, "3", events[0].Details["count"])
	require.Equal(t, "203.0.113.7", events[0].Details["address"])
	require.Equal(t, "UNKNOWN_CREDENTIAL", events[0].Details["reason"])
	require.Empty(t, a.found(a.of("south", "administrator"), "AUTHENTICATION.FAILED"))
	require.Len(t, a.found(a.operator, "AUTHENTICATION.FAILED"), 3)
	require.NoError(t, a.recorder.Flush(t.Context()))
	require.Len(t, a.found(a.operator, "AUTHENTICATION.FAILED"), 3, "nothing is recorded twice")
}

func TestDenialsAreRecorded(t *testing.T) {
	t.Parallel()
	a := newAudited(t)
	process := a.process(a.as("initiator"), a.definition("north"))
	for range 2 {
		r := request(t, a.as("initiator"), http.MethodPost, processPath(process.ID, "/~actions/complete"), "")
		require.Equal(t, 403, a.from("203.0.113.7", r))
	}
	require.Equal(t, 403, a.from("203.0.113.7", request(t, a.as("viewer"), http.MethodPost, applyPath,
		applying("", document("north", "Group", "MINE", `{"name":"Mine"}`)))))
	require.Equal(t, 404, a.from("203.0.113.7", request(t, a.as("stranger"), http.MethodGet, processPath(process.ID, ""), "")))
	require.Empty(t, a.found(a.as("owner"), "ACCESS.DENIED"), "nothing is written while requests wait")

	require.NoError(t, a.recorder.Flush(t.Context()))
	events := a.found(a.as("owner"), "ACCESS.DENIED")
	require.Len(t, events, 2)
	denied := map[uuid.UUID]recordedEvent{events[0].ActorID: events[0], events[1].ActorID: events[1]}
	completing := denied[a.as("initiator").ID]
	require.Equal(t, process.ID, completing.ResourceID)
	require.Equal(t, "PROCESS", completing.ResourceKind)
	require.Equal(t, "POST /v2024-06-14/processes/:id/~actions/complete", completing.Details["operation"])
	require.Equal(t, "2", completing.Details["count"])
	require.Equal(t, "203.0.113.7", completing.Details["address"])
	require.Equal(t, "TENANT", denied[a.as("viewer").ID].ResourceKind)
	require.Empty(t, a.found(a.of("south", "owner"), "ACCESS.DENIED"))
}

// However many attempts there are, and however different: lines and events are
// bounded, and every attempt is counted.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	a := newAudited(t)
	const attempts = 400
	for range attempts {
		r := request(t, demo.Account{ID: uuid.New(), Secret: "guessed"}, http.MethodGet, "/tenants", "")
		require.Equal(t, 401, a.from("203.0.113.7", r))
	}
	require.LessOrEqual(t, strings.Count(a.log.String(), "\n"), 10)
	require.NoError(t, a.recorder.Flush(t.Context()))
	require.LessOrEqual(t, a.count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.FAILED'`), 21)
	require.Equal(t, attempts, a.count(
		`SELECT sum((details->>'count')::int)::int FROM events WHERE type = 'AUTHENTICATION.FAILED'`))
	require.Equal(t, attempts, a.counted[domain.SignInUnknownCredential])
}

// serve passes a request to a handler and returns the status.
func serve(handler http.Handler, r *http.Request) int {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder.Code
}
