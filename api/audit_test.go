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

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/audit"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// auditedService is a service that records refusals, in the log as well.
type auditedService struct {
	*apitest.Administered

	recorder *audit.Recorder
	log      *bytes.Buffer
	mu       sync.Mutex
	counted  map[domain.SignInReason]int
}

func newAudited(t *testing.T) *auditedService {
	t.Helper()
	a := &auditedService{Administered: apitest.NewAdministered(t), log: &bytes.Buffer{}, counted: map[domain.SignInReason]int{}}
	a.recorder = audit.New(audit.Options{
		DB: a.DB, Clock: a.Now, Logger: slog.New(slog.NewJSONHandler(a.log, nil)),
		Count: func(reason domain.SignInReason) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.counted[reason]++
		},
	})
	options := a.Options
	options.Audit = a.recorder
	a.Handler = apitest.Handler(t, options)
	return a
}

// from sends a request from an address.
func (a *auditedService) from(address string, r *http.Request) int {
	a.T.Helper()
	r.RemoteAddr = address + ":40000"
	return serve(a.Handler, r)
}

// findEvents returns the events of a type that the caller finds.
func (a *auditedService) findEvents(as demo.Account, eventType string) []recordedEvent {
	a.T.Helper()
	a.Settle()
	path := apitest.AdminAPI + "/events?type=" + eventType
	return apitest.Decode[struct{ Content []recordedEvent }](a.T, a.Get(200, as, path)).Content
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
	worker := a.As("worker")
	worker.Secret = "wrong"
	for range 3 {
		r := apitest.Request(t, worker, http.MethodGet, "/tenants", "")
		r.Header.Set("X-Request-Id", "the-request")
		require.Equal(t, 401, a.from("203.0.113.7", r))
	}
	stranger := demo.Account{Name: "stranger", Email: "x@example.com", Secret: "no-such-token"}
	require.Equal(t, 401, a.from("198.51.100.1", apitest.Request(t, stranger, http.MethodGet, "/tenants", "")))
	none := apitest.Request(t, stranger, http.MethodGet, "/tenants", "")
	none.Header.Del("Authorization")
	require.Equal(t, 401, a.from("198.51.100.1", none))
	two := apitest.Request(t, a.As("owner"), http.MethodGet, "/tenants", "")
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
	events := a.findEvents(a.As("administrator"), "AUTHENTICATION.FAILED")
	require.Len(t, events, 1, "what is of the tenant")
	require.Equal(t, worker.ID, events[0].ResourceID)
	require.Equal(t, "PRINCIPAL", events[0].ResourceKind)
	require.Equal(t, "the-request", events[0].RequestID)
	require.Equal(t, "3", events[0].Details["count"])
	require.Equal(t, "203.0.113.7", events[0].Details["address"])
	require.Equal(t, "UNKNOWN_CREDENTIAL", events[0].Details["reason"])
	require.Empty(t, a.findEvents(a.Of("south", "administrator"), "AUTHENTICATION.FAILED"))
	require.Len(t, a.findEvents(a.Operator, "AUTHENTICATION.FAILED"), 3)
	require.NoError(t, a.recorder.Flush(t.Context()))
	require.Len(t, a.findEvents(a.Operator, "AUTHENTICATION.FAILED"), 3, "nothing is recorded twice")
}

func TestDenialsAreRecorded(t *testing.T) {
	t.Parallel()
	a := newAudited(t)
	process := a.Process(a.As("initiator"), a.Definition("north"))
	for range 2 {
		r := apitest.Request(t, a.As("initiator"), http.MethodPost, apitest.ProcessPath(process.ID, "/~actions/complete"), "")
		require.Equal(t, 403, a.from("203.0.113.7", r))
	}
	require.Equal(t, 403, a.from("203.0.113.7", apitest.Request(t, a.As("viewer"), http.MethodPost, apitest.ApplyPath,
		apitest.Applying("", apitest.Document("north", "Group", "MINE", `{"name":"Mine"}`)))))
	require.Equal(t, 404, a.from("203.0.113.7", apitest.Request(t, a.As("stranger"), http.MethodGet, apitest.ProcessPath(process.ID, ""), "")))
	require.Empty(t, a.findEvents(a.As("owner"), "ACCESS.DENIED"), "nothing is written while requests wait")

	require.NoError(t, a.recorder.Flush(t.Context()))
	events := a.findEvents(a.As("owner"), "ACCESS.DENIED")
	require.Len(t, events, 2)
	denied := map[uuid.UUID]recordedEvent{events[0].ActorID: events[0], events[1].ActorID: events[1]}
	completing := denied[a.As("initiator").ID]
	require.Equal(t, process.ID, completing.ResourceID)
	require.Equal(t, "PROCESS", completing.ResourceKind)
	require.Equal(t, "POST /v2024-06-14/processes/:id/~actions/complete", completing.Details["operation"])
	require.Equal(t, "2", completing.Details["count"])
	require.Equal(t, "203.0.113.7", completing.Details["address"])
	require.Equal(t, "TENANT", denied[a.As("viewer").ID].ResourceKind)
	require.Empty(t, a.findEvents(a.Of("south", "owner"), "ACCESS.DENIED"))
}

// However many attempts there are, and however different: lines and events are
// bounded, and every attempt is counted.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	a := newAudited(t)
	const attempts = 400
	for range attempts {
		r := apitest.Request(t, demo.Account{ID: uuid.New(), Secret: "guessed"}, http.MethodGet, "/tenants", "")
		require.Equal(t, 401, a.from("203.0.113.7", r))
	}
	require.LessOrEqual(t, strings.Count(a.log.String(), "\n"), 10)
	require.NoError(t, a.recorder.Flush(t.Context()))
	require.LessOrEqual(t, a.Count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.FAILED'`), 21)
	require.Equal(t, attempts, a.Count(
		`SELECT sum((details->>'count')::int)::int FROM events WHERE type = 'AUTHENTICATION.FAILED'`))
	require.Equal(t, attempts, a.counted[domain.SignInUnknownCredential])
}

// serve passes a request to a handler and returns the status.
func serve(handler http.Handler, r *http.Request) int {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	return recorder.Code
}
