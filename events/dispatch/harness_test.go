package dispatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const timeout = 20 * time.Second

// administrationService has a name other than app.Service, for structs with both.
type administrationService = administration.Service

// fixture is a service with the tenants north and south, each with the definitions LOAN
// and CLAIM. Receivers get the events of their processes.
type fixture struct {
	*app.Service
	*dispatch.Attempts
	*administrationService
	t      *testing.T
	db     *persistence.DB
	url    string
	client *webhook.Client
	// clockOffset is how far the clock is ahead.
	clockOffset atomic.Int64
	ids         map[string]uuid.UUID

	mu         sync.Mutex
	handedOver []domain.WebhookDelivery
	refuse     error
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{t: t, url: pgtest.URL(t), ids: map[string]uuid.UUID{}}
	h.db = pgtest.Open(t, pgtest.AsService(t, h.url))
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	guard, err := webhook.NewGuard(webhook.Policy{Allow: []string{"127.0.0.1"}}, nil)
	require.NoError(t, err)
	h.client = webhook.NewClient(webhook.ClientConfig{Guard: guard, Clock: time.Now})
	t.Cleanup(h.client.Close)
	store := storage.New(storage.Options{DB: h.db, Clock: h.now})
	h.Service = app.New(app.Options{Store: store, Sealer: sealer, TaskLogLimit: 10})
	h.Attempts = dispatch.NewAttempts(dispatch.AttemptOptions{DB: h.db, Sealer: sealer, Sender: h.client, Clock: h.now})
	h.administrationService = administration.New(administration.Options{Store: store, Sealer: sealer, CheckWebhookURL: guard.CheckURL})
	for _, tenant := range []string{"north", "south"} {
		h.applyManifests(manifest("Tenant", "", tenant, `{"name":"T"}`))
		h.applyManifests(manifest("User", tenant, "olga", `{"name":"Olga","email":"olga@`+tenant+`.example","role":"OWNER"}`))
		for _, code := range []string{"LOAN", "CLAIM"} {
			h.applyManifests(manifest("ProcessDefinition", tenant, code, `{"name":"P","items":[{"code":"CHECK","type":"TASK","name":"C",
				"candidates":[{"user":"olga"}]},{"code":"TALK","type":"THREAD","name":"T"}],
				"permissions":{"initiators":[{"user":"olga"}],"managers":[{"user":"olga"}]}}`))
		}
	}
	return h
}

func manifest(kind, tenant, code, spec string) json.RawMessage {
	metadata := fmt.Sprintf(`{"code":%q`, code)
	if tenant != "" {
		metadata += fmt.Sprintf(`,"tenant":%q`, tenant)
	}
	return json.RawMessage(fmt.Sprintf(`{"apiVersion":"procession/v1","kind":%q,"metadata":%s},"spec":%s}`, kind, metadata, spec))
}

func (h *fixture) now() time.Time { return time.Now().Add(time.Duration(h.clockOffset.Load())) }

func (h *fixture) systemCaller() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}

func (h *fixture) applyManifests(documents ...json.RawMessage) {
	h.t.Helper()
	applied, err := h.ApplyResources(h.t.Context(), h.systemCaller(), administration.ApplyRequest{Documents: documents})
	if domainErr, ok := errors.AsType[*domain.Error](err); ok {
		require.Empty(h.t, domainErr.Details)
	}
	require.NoError(h.t, err)
	for _, a := range applied {
		h.ids[a.Key.Tenant+"/"+a.Key.Code] = a.ID
	}
}

// ownerOf returns the owner of a tenant, who has all its permissions.
func (h *fixture) ownerOf(tenant string) domain.Call {
	return domain.Call{Caller: domain.Caller{
		PrincipalID: h.ids[tenant+"/olga"], Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: h.ids[tenant+"/"+tenant], Namespace: tenant, Role: domain.RoleOwner}},
	}}
}

// subscribe creates a subscription with a secret.
func (h *fixture) subscribe(tenant, code, url, more string) {
	h.t.Helper()
	h.applySubscription(tenant, code, url, more)
	h.issueSecret(tenant, code, "first")
}

// applySubscription creates or changes a subscription.
func (h *fixture) applySubscription(tenant, code, url, more string) {
	h.t.Helper()
	h.applyManifests(manifest("WebhookSubscription", tenant, code, fmt.Sprintf(`{"name":"S","url":%q%s}`, url, more)))
}

func (h *fixture) issueSecret(tenant, code, name string) {
	h.t.Helper()
	_, err := h.IssueSecret(h.t.Context(), h.systemCaller(), administration.ResourceKey{
		Tenant: tenant, Kind: resource.KindWebhookSubscription, Code: code,
	}, administration.NewSecret{Name: name})
	require.NoError(h.t, err)
}

// createProcess starts a process, which is two events.
func (h *fixture) createProcess(tenant, code string) *domain.Process {
	h.t.Helper()
	definition := h.ids[tenant+"/"+code]
	process, _, err := h.CreateProcess(h.t.Context(), h.ownerOf(tenant), app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.NoError(h.t, err)
	return process
}

// completeProcess completes a process, which is an event.
func (h *fixture) completeProcess(tenant string, p *domain.Process) {
	h.t.Helper()
	_, err := h.CompleteProcess(h.t.Context(), h.ownerOf(tenant), p.ID)
	require.NoError(h.t, err)
}

// newDispatcher returns a dispatcher that is started with Run.
func (h *fixture) newDispatcher() *dispatch.Dispatcher {
	return dispatch.New(dispatch.Options{
		DB: h.db, Clock: h.now, Logger: enginetest.Logger(), Drain: 2 * time.Second,
		Attempt: h.AttemptDelivery,
		Retry: func(_ context.Context, d domain.WebhookDelivery) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.refuse == nil {
				h.handedOver = append(h.handedOver, d)
			}
			return h.refuse
		},
	})
}

// startDispatchers runs dispatchers until the test ends or the returned function is called.
func (h *fixture) startDispatchers(dispatchers int) (stop func()) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	var running sync.WaitGroup
	for range dispatchers {
		running.Go(func() { h.newDispatcher().Run(ctx) })
	}
	stop = func() {
		cancel()
		running.Wait()
	}
	h.t.Cleanup(stop)
	return stop
}

func (h *fixture) listHandedOver() []domain.WebhookDelivery {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.handedOver)
}

func (h *fixture) refuseHandovers(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refuse = err
}

func (h *fixture) waitFor(what string, condition func() bool) {
	h.t.Helper()
	require.Eventually(h.t, condition, timeout, 5*time.Millisecond, "waiting for "+what)
}

// queryCount returns the number that a query selects.
func (h *fixture) queryCount(sql string, args ...any) (n int) {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.url)
	require.NoError(h.t, err)
	defer func() { _ = conn.Close(h.t.Context()) }()
	require.NoError(h.t, conn.QueryRow(h.t.Context(), sql, args...).Scan(&n))
	return n
}

func (h *fixture) countInState(state domain.WebhookDeliveryState) int {
	h.t.Helper()
	return h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE state = $1`, state)
}

// waitForDeliveries waits until the whole event log has been fanned out and no first
// attempt is due.
func (h *fixture) waitForDeliveries() {
	h.t.Helper()
	h.waitFor("all to be delivered", func() bool {
		return h.eventsRead() && h.countBacklogs() == 0 && h.queryCount(`SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints w USING (subscription_id)
			WHERE d.state = 'PENDING' AND NOT w.paused
			  AND EXISTS (SELECT 1 FROM webhook_secrets s WHERE s.subscription_id = w.subscription_id)`) == 0
	})
}

// eventsRead reports whether the whole event log has been fanned out.
func (h *fixture) eventsRead() bool {
	h.t.Helper()
	return h.queryCount(`SELECT count(*) FROM events e, webhook_cursor c
		WHERE (e.era, e.xid, e.position) > (c.era, c.xid, c.position)`) == 0
}

// countBacklogs returns the number of endpoints with unsent events.
func (h *fixture) countBacklogs() int {
	h.t.Helper()
	return h.queryCount(`SELECT count(*) FROM webhook_backlogs k JOIN webhook_endpoints w USING (subscription_id), webhook_cursor c
		WHERE NOT w.paused AND (k.until_xid IS NOT NULL OR (k.era, k.xid, k.position) < (c.era, c.xid, c.position))
		  AND EXISTS (SELECT 1 FROM webhook_secrets s WHERE s.subscription_id = k.subscription_id)`)
}

// readHealth returns the state of the subscription HOOK of north.
func (h *fixture) readHealth() domain.WebhookHealth {
	h.t.Helper()
	page, err := h.FindWebhookEndpoints(h.t.Context(), h.ownerOf("north"), administration.WebhookFilter{Codes: []string{"HOOK"}},
		domain.PageRequest{Size: 10}, nil)
	require.NoError(h.t, err)
	require.Len(h.t, page.Items, 1)
	return page.Items[0]
}

// receivedRequest is a request that a receiver got.
type receivedRequest struct {
	ID, Type, Version string
	Signatures        string
	Timestamp         string
	Body              []byte
	Data              struct {
		ProcessID       uuid.UUID
		ProcessItemID   uuid.UUID
		ProcessItemType string
	}
}

// receiver records the requests that it gets and answers as configured.
type receiver struct {
	t        *testing.T
	server   *httptest.Server
	mu       sync.Mutex
	requests []receivedRequest
	answer   func(n int, m receivedRequest) int
	header   http.Header
	block    chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, header: http.Header{}}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	m := receivedRequest{Body: body, Signatures: request.Header.Get("Webhook-Signature"), Timestamp: request.Header.Get("Webhook-Timestamp")}
	_ = json.Unmarshal(body, &m)
	r.mu.Lock()
	if m.ID != request.Header.Get("Webhook-Id") {
		r.t.Errorf("the id of the body is %s, that of the header %s", m.ID, request.Header.Get("Webhook-Id"))
	}
	r.requests = append(r.requests, m)
	status, block := http.StatusOK, r.block
	if r.answer != nil {
		status = r.answer(len(r.requests), m)
	}
	for name, values := range r.header {
		w.Header()[name] = values
	}
	r.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-request.Context().Done():
		}
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "thanks")
}

func (r *receiver) answerWith(f func(n int, m receivedRequest) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

// alwaysStatus answers everything with one status.
func alwaysStatus(status int) func(int, receivedRequest) int {
	return func(int, receivedRequest) int { return status }
}

func (r *receiver) listRequests() []receivedRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// listTypes returns the event types that it received, sorted.
func (r *receiver) listTypes() []string {
	types := []string{}
	for _, m := range r.listRequests() {
		types = append(types, m.Type)
	}
	slices.Sort(types)
	return types
}
