package dispatch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// execStatements executes statements as the owner of the database.
func (h *fixture) execStatements(statements ...string) {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.url)
	require.NoError(h.t, err)
	defer func() { _ = conn.Close(h.t.Context()) }()
	for _, sql := range statements {
		_, err = conn.Exec(h.t.Context(), sql)
		require.NoError(h.t, err)
	}
}

// recordEvents records a number of events of each process at the same time. The processes need not exist.
func (h *fixture) recordEvents(at time.Time, events int, processes ...uuid.UUID) {
	h.t.Helper()
	var happened []domain.Event
	for range events {
		for _, process := range processes {
			happened = append(happened, domain.Event{
				ID: uuid.New(), Type: domain.EventProcessStateChanged, TenantID: h.ids["north/north"], ProcessID: process,
				ResourceKind: domain.ResourceProcess, ResourceID: process, ActorID: uuid.New(), OccurredAt: at,
			})
		}
	}
	require.NoError(h.t, h.db.Record(h.t.Context(), domain.Call{}, func(*persistence.Tx) (domain.Events, error) { return happened, nil }))
}

// fanOutAll fans out events until the whole event log has been read.
func (h *fixture) fanOutAll() {
	h.t.Helper()
	h.waitFor("the fan-out", func() bool {
		_, err := webhooks.ExchangeDeliveries(h.t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, Now: h.now()})
		require.NoError(h.t, err)
		return h.eventsRead()
	})
}

// fanOutOnce makes one exchange without leases.
func (h *fixture) fanOutOnce() *webhooks.Deliveries {
	h.t.Helper()
	made, err := webhooks.ExchangeDeliveries(h.t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, ScanAll: true, Now: h.now()})
	require.NoError(h.t, err)
	return made
}

// An event gets a delivery for each receiving endpoint, and none for paused, disabled or failing ones.
func TestPausedEndpointsGetNoDeliveries(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	var documents []json.RawMessage
	for i := range 99 {
		spec := fmt.Sprintf(`{"name":"S","url":"https://example.com/%d","paused":%t}`, i, i < 33)
		documents = append(documents, manifest("WebhookSubscription", "north", fmt.Sprintf("HELD-%d", i), spec))
	}
	h.applyManifests(documents...)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.execStatements(`INSERT INTO webhook_secrets (id, tenant_id, subscription_id, name, sealed, created_at)
		SELECT gen_random_uuid(), tenant_id, subscription_id, 's', '\x00', now() FROM webhook_endpoints WHERE url LIKE '%example.com/_'`,
		`UPDATE webhook_endpoints SET failing_since = now(), failures = 4, held_until = now() + interval '1 hour'
		  WHERE url ~ '/[6-9][6-9]$'`)
	h.startDispatchers(2)
	for range 10 {
		h.createProcess("north", "LOAN")
	}
	h.waitFor("the healthy one", func() bool { return len(r.listRequests()) == 20 && h.eventsRead() })
	require.Equal(t, 20, h.queryCount(`SELECT count(*) FROM webhook_deliveries`))
	require.Equal(t, 99, h.queryCount(`SELECT count(*) FROM webhook_backlogs`))
	page, err := h.FindWebhookEndpoints(t.Context(), h.ownerOf("north"), administration.WebhookFilter{}, domain.PageRequest{Size: 100}, nil)
	require.NoError(t, err)
	for _, health := range page.Items[:99] {
		require.EqualValues(t, 20, health.Pending, health.Code)
		require.NotNil(t, health.PendingSince, health.Code)
		require.False(t, health.AtLeast)
	}
	waiting, err := webhooks.ReadBacklogs(t.Context(), h.db.Reader(), persistence.AdministrationScope{Everywhere: true}, []string{"north"}, h.now())
	require.NoError(t, err)
	require.EqualValues(t, 99*20, waiting.Deliveries)
	require.EqualValues(t, 99, waiting.EndpointsBehind)
}

// An endpoint catches up in the order of the event log, some hundred events at a time,
// even if the replica dies. New events follow afterwards.
func TestResumedEndpointCatchesUp(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	processes := []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	h.recordEvents(h.now(), 200, processes...)
	h.fanOutAll()
	require.Zero(t, h.queryCount(`SELECT count(*) FROM webhook_deliveries`))
	health := h.readHealth()
	require.InDelta(t, domain.WebhookBacklogCounted, health.Pending, 50, "of all events of the tenant that are read")
	require.True(t, health.AtLeast)
	require.Zero(t, h.queryCount(fmt.Sprintf(`SELECT count(*) FROM old_events('%s', 'infinity', NULL) o, events e
		WHERE e.process_id = '%s' AND (e.era, e.xid, e.position) <= (o.era, o.xid, o.position)`, h.ids["north/north"], processes[0])),
		"what was not delivered to the endpoint stays")

	h.applySubscription("north", "HOOK", r.server.URL, "")
	made := h.fanOutOnce()
	require.Equal(t, []uuid.UUID{h.ids["north/HOOK"]}, made.CatchingUp)
	rows := h.queryCount(`SELECT count(*) FROM webhook_deliveries`)
	require.InDelta(t, 500, rows, 50, "of all events of the tenant")
	h.fanOutOnce()
	require.Equal(t, rows, h.queryCount(`SELECT count(*) FROM webhook_deliveries`), "enough is waiting")
	h.recordEvents(h.now(), 1, processes...)
	killed, err := webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{
		FanOut: 1000, ScanAll: true, PerEndpoint: 4, Limit: 4, Now: h.now(), LeaseUntil: h.now().Add(time.Minute),
	})
	require.NoError(t, err)
	require.NotEmpty(t, killed.FirstAttempts)
	h.clockOffset.Add(int64(2 * time.Minute))
	h.startDispatchers(2)
	h.recordEvents(h.now(), 1, processes...)
	h.waitForDeliveries()
	got := map[uuid.UUID][]string{}
	for _, m := range r.listRequests() {
		got[m.Data.ProcessID] = append(got[m.Data.ProcessID], m.ID)
	}
	require.Equal(t, h.eventOrder(), got)
	h.recordEvents(h.now(), 1, processes...)
	h.waitFor("the end of the backlog", func() bool { return h.queryCount(`SELECT count(*) FROM webhook_backlogs`) == 0 })
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 203*4)
}

// Events before a change of a subscription are selected by its earlier settings.
func TestBacklogKeepsEarlierSelection(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true,"eventTypes":["PROCESS.CREATED"]`)
	first := h.createProcess("north", "LOAN")
	h.fanOutAll()
	h.applySubscription("north", "HOOK", r.server.URL, `,"paused":true,"eventTypes":["PROCESS.STATE_CHANGED"]`)
	second := h.createProcess("north", "LOAN")
	h.fanOutAll()
	require.EqualValues(t, 2, h.readHealth().Pending)
	h.applySubscription("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.STATE_CHANGED"]`)
	h.startDispatchers(1)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 2)
	require.Equal(t, "PROCESS.CREATED", r.listRequests()[0].Type)
	require.Equal(t, first.ID, r.listRequests()[0].Data.ProcessID)
	require.Equal(t, "PROCESS.STATE_CHANGED", r.listRequests()[1].Type)
	require.Equal(t, second.ID, r.listRequests()[1].Data.ProcessID)
}

// The backlog of a failing receiver is dropped when the receiver is disabled, and can be replayed.
func TestBacklogOfDisabledEndpointIsDropped(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	status := http.StatusServiceUnavailable
	r.answerWith(func(int, receivedRequest) int { return status })
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	first := h.createProcess("north", "LOAN")
	h.fanOutAll()
	h.execStatements(`UPDATE webhook_endpoints SET failing_since = now(), failures = 5, held_until = now() + interval '1 hour'`)
	for range 3 {
		h.createProcess("north", "LOAN")
	}
	h.fanOutAll()
	require.EqualValues(t, 4, h.readHealth().Pending)
	require.Equal(t, 1, h.queryCount(`SELECT count(*) FROM webhook_deliveries`))

	// A replay during the backoff attempts the oldest event at once.
	status = http.StatusGone
	list, err := h.FindWebhookDeliveries(t.Context(), h.ownerOf("north"), administration.WebhookDeliveryFilter{}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	h.execStatements(`UPDATE webhook_deliveries SET state = 'DEAD', finished_at = now()`)
	_, err = h.ReplayWebhookDelivery(t.Context(), h.ownerOf("north"), list.Items[0].ID)
	require.NoError(t, err)
	stop := h.startDispatchers(1)
	h.waitFor("the endpoint to be disabled", func() bool { return ptr(h.readHealth()).State() == domain.EndpointDisabled })
	require.Equal(t, first.ID, r.listRequests()[0].Data.ProcessID)
	h.waitFor("all to be dropped", func() bool { return h.countInState(domain.DeliveryDropped) == 4 })
	h.waitFor("the end of the backlog", func() bool { return h.queryCount(`SELECT count(*) FROM webhook_backlogs`) == 0 })
	stop()
	require.Len(t, r.listRequests(), 1)
	key := administration.WebhookKey{Code: "HOOK"}
	_, err = h.EnableWebhookEndpoint(t.Context(), h.ownerOf("north"), key)
	require.NoError(t, err)
	status = http.StatusOK
	replay, err := h.ReplayDeliveries(t.Context(), h.ownerOf("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 4}, replay)
	h.startDispatchers(1)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 5)
}

// A replay right after an endpoint was enabled finds dropped events, even before there are deliveries.
func TestReplayFindsDeliveriesBeingDropped(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	h.recordEvents(h.now(), 30, uuid.New())
	h.fanOutAll()
	h.applySubscription("north", "HOOK", r.server.URL, "")
	h.execStatements(`UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'GONE'`,
		`UPDATE webhook_backlogs k SET dropped = true, until_era = c.era, until_xid = c.xid, until_position = c.position FROM webhook_cursor c`)
	require.EqualValues(t, 30, h.readHealth().Dropped)
	key := administration.WebhookKey{Code: "HOOK"}
	_, err := h.EnableWebhookEndpoint(t.Context(), h.ownerOf("north"), key)
	require.NoError(t, err)
	h.recordEvents(h.now(), 1, uuid.New())
	h.fanOutAll()
	require.Zero(t, h.queryCount(`SELECT count(*) FROM webhook_deliveries`), "what happens now waits behind what was dropped")
	replay, err := h.ReplayDeliveries(t.Context(), h.ownerOf("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 30}, replay)
	h.startDispatchers(1)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 31)
}

// Events removed before their delivery are missed, as the health of the endpoint shows.
func TestRemovedEventsAreMissed(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	removed, kept := uuid.New(), uuid.New()
	h.recordEvents(h.now(), 3, removed)
	h.fanOutAll()
	h.recordEvents(h.now(), 3, kept)
	h.fanOutAll()
	h.execStatements(`SET session_replication_role = replica`, fmt.Sprintf(`INSERT INTO removed_events (tenant_id, era, xid, position)
		SELECT tenant_id, era, xid, position FROM events WHERE process_id = '%s' ORDER BY era DESC, xid DESC, position DESC LIMIT 1`, removed),
		fmt.Sprintf(`DELETE FROM events WHERE process_id = '%s'`, removed))
	require.Nil(t, h.readHealth().EventsLostAt)
	h.applySubscription("north", "HOOK", r.server.URL, "")
	h.startDispatchers(1)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 3)
	require.NotNil(t, h.readHealth().EventsLostAt)
}
