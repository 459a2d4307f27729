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

// exec executes statements as the owner of the database.
func (h *house) exec(statements ...string) {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.url)
	require.NoError(h.t, err)
	defer func() { _ = conn.Close(h.t.Context()) }()
	for _, sql := range statements {
		_, err = conn.Exec(h.t.Context(), sql)
		require.NoError(h.t, err)
	}
}

// happen records so many events of each of the processes, which need not exist, at the same time.
func (h *house) happen(at time.Time, events int, processes ...uuid.UUID) {
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
	require.NoError(h.t, h.db.Record(h.t.Context(), func(*persistence.Tx) (domain.Events, error) { return happened, nil }))
}

// exchange creates deliveries by hand until the whole event log has been read.
func (h *house) exchange() {
	h.t.Helper()
	h.eventually("the fan-out", func() bool {
		_, err := webhooks.ExchangeDeliveries(h.t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, Now: h.now()})
		require.NoError(h.t, err)
		return h.read()
	})
}

// step makes one exchange that leases nothing.
func (h *house) step() *webhooks.Deliveries {
	h.t.Helper()
	made, err := webhooks.ExchangeDeliveries(h.t.Context(), h.db, webhooks.DeliveryExchange{FanOut: 1000, Leap: true, Now: h.now()})
	require.NoError(h.t, err)
	return made
}

// An event is one row for each endpoint that it is sent to, and none for those that are held, whatever holds them.
func TestHeldEndpointsGetNoRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var documents []json.RawMessage
	for i := range 99 {
		spec := fmt.Sprintf(`{"name":"S","url":"https://example.com/%d","paused":%t}`, i, i < 33)
		documents = append(documents, document("WebhookSubscription", "north", fmt.Sprintf("HELD-%d", i), spec))
	}
	h.apply(documents...)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.exec(`INSERT INTO webhook_secrets (id, tenant_id, subscription_id, name, sealed, created_at)
		SELECT gen_random_uuid(), tenant_id, subscription_id, 's', '\x00', now() FROM webhook_endpoints WHERE url LIKE '%example.com/_'`,
		`UPDATE webhook_endpoints SET failing_since = now(), failures = 4, held_until = now() + interval '1 hour'
		  WHERE url ~ '/[6-9][6-9]$'`)
	h.deliver(2)
	for range 10 {
		h.create("north", "LOAN")
	}
	h.eventually("the healthy one", func() bool { return len(r.messages()) == 20 && h.read() })
	require.Equal(t, 20, h.count(`SELECT count(*) FROM webhook_deliveries`))
	require.Equal(t, 99, h.count(`SELECT count(*) FROM webhook_backlogs`))
	page, err := h.FindWebhookEndpoints(t.Context(), h.olga("north"), administration.WebhookFilter{}, domain.PageRequest{Size: 100}, nil)
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

// An endpoint catches up in the order of the event log, some hundred events at a time, also when the replica dies that
// began it. What happens meanwhile comes after that.
func TestHeldEndpointCatchesUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	processes := []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	h.happen(h.now(), 200, processes...)
	h.exchange()
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_deliveries`))
	health := h.health()
	require.InDelta(t, domain.WebhookBacklogCounted, health.Pending, 50, "of all events of the tenant that are read")
	require.True(t, health.AtLeast)
	require.Zero(t, h.count(fmt.Sprintf(`SELECT count(*) FROM old_events('%s', 'infinity', NULL) o, events e
		WHERE e.process_id = '%s' AND (e.era, e.xid, e.position) <= (o.era, o.xid, o.position)`, h.ids["north/north"], processes[0])),
		"what was not delivered to the endpoint stays")

	h.declare("north", "HOOK", r.server.URL, "")
	made := h.step()
	require.Equal(t, []uuid.UUID{h.ids["north/HOOK"]}, made.Behind)
	rows := h.count(`SELECT count(*) FROM webhook_deliveries`)
	require.InDelta(t, 500, rows, 50, "of all events of the tenant")
	h.step()
	require.Equal(t, rows, h.count(`SELECT count(*) FROM webhook_deliveries`), "enough is waiting")
	h.happen(h.now(), 1, processes...)
	killed, err := webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{
		FanOut: 1000, Leap: true, PerEndpoint: 4, Limit: 4, Now: h.now(), LeaseUntil: h.now().Add(time.Minute),
	})
	require.NoError(t, err)
	require.NotEmpty(t, killed.FirstAttempts)
	h.ahead.Add(int64(2 * time.Minute))
	h.deliver(2)
	h.happen(h.now(), 1, processes...)
	h.settled()
	got := map[uuid.UUID][]string{}
	for _, m := range r.messages() {
		got[m.Data.ProcessID] = append(got[m.Data.ProcessID], m.ID)
	}
	require.Equal(t, h.ledgerOrder(), got)
	h.happen(h.now(), 1, processes...)
	h.eventually("the end of the backlog", func() bool { return h.count(`SELECT count(*) FROM webhook_backlogs`) == 0 })
	h.settled()
	require.Len(t, r.messages(), 203*4)
}

// What happened before a subscription was changed is sent as it was selected then.
func TestChangedSubscriptionCatchesUpAsItWas(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true,"eventTypes":["PROCESS.CREATED"]`)
	first := h.create("north", "LOAN")
	h.exchange()
	h.declare("north", "HOOK", r.server.URL, `,"paused":true,"eventTypes":["PROCESS.STATE_CHANGED"]`)
	second := h.create("north", "LOAN")
	h.exchange()
	require.EqualValues(t, 2, h.health().Pending)
	h.declare("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.STATE_CHANGED"]`)
	h.deliver(1)
	h.settled()
	require.Len(t, r.messages(), 2)
	require.Equal(t, "PROCESS.CREATED", r.messages()[0].Type)
	require.Equal(t, first.ID, r.messages()[0].Data.ProcessID)
	require.Equal(t, "PROCESS.STATE_CHANGED", r.messages()[1].Type)
	require.Equal(t, second.ID, r.messages()[1].Data.ProcessID)
}

// What was not delivered to a receiver that is held is dropped when it is disabled, and can be replayed.
func TestBacklogOfDisabledEndpointIsDropped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	status := http.StatusServiceUnavailable
	r.answers(func(int, received) int { return status })
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	first := h.create("north", "LOAN")
	h.exchange()
	h.exec(`UPDATE webhook_endpoints SET failing_since = now(), failures = 5, held_until = now() + interval '1 hour'`)
	for range 3 {
		h.create("north", "LOAN")
	}
	h.exchange()
	require.EqualValues(t, 4, h.health().Pending)
	require.Equal(t, 1, h.count(`SELECT count(*) FROM webhook_deliveries`))

	// A replay while it is held tries it at once, with what happened first.
	status = http.StatusGone
	list, err := h.FindWebhookDeliveries(t.Context(), h.olga("north"), administration.WebhookDeliveryFilter{}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	h.exec(`UPDATE webhook_deliveries SET state = 'DEAD', finished_at = now()`)
	_, err = h.ReplayWebhookDelivery(t.Context(), h.olga("north"), list.Items[0].ID)
	require.NoError(t, err)
	stop := h.deliver(1)
	h.eventually("the endpoint to be disabled", func() bool { return ptr(h.health()).State() == domain.EndpointDisabled })
	require.Equal(t, first.ID, r.messages()[0].Data.ProcessID)
	h.eventually("all to be dropped", func() bool { return h.inState(domain.DeliveryDropped) == 4 })
	h.eventually("the end of the backlog", func() bool { return h.count(`SELECT count(*) FROM webhook_backlogs`) == 0 })
	stop()
	require.Len(t, r.messages(), 1)
	key := administration.WebhookKey{Code: "HOOK"}
	_, err = h.EnableWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.NoError(t, err)
	status = http.StatusOK
	replay, err := h.ReplayDeliveries(t.Context(), h.olga("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 4}, replay)
	h.deliver(1)
	h.settled()
	require.Len(t, r.messages(), 5)
}

// A replay right after an endpoint was enabled finds what was dropped, also if there are no deliveries of it yet.
func TestReplayFindsWhatIsStillBeingDropped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	h.happen(h.now(), 30, uuid.New())
	h.exchange()
	h.declare("north", "HOOK", r.server.URL, "")
	h.exec(`UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'GONE'`,
		`UPDATE webhook_backlogs k SET dropped = true, until_era = c.era, until_xid = c.xid, until_position = c.position FROM webhook_cursor c`)
	require.EqualValues(t, 30, h.health().Dropped)
	key := administration.WebhookKey{Code: "HOOK"}
	_, err := h.EnableWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.NoError(t, err)
	h.happen(h.now(), 1, uuid.New())
	h.exchange()
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_deliveries`), "what happens now waits behind what was dropped")
	replay, err := h.ReplayDeliveries(t.Context(), h.olga("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 30}, replay)
	h.deliver(1)
	h.settled()
	require.Len(t, r.messages(), 31)
}

// Events that were removed before they were delivered are missed, and its health says so.
func TestRemovedEventsAreMissed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"paused":true`)
	gone, kept := uuid.New(), uuid.New()
	h.happen(h.now(), 3, gone)
	h.exchange()
	h.happen(h.now(), 3, kept)
	h.exchange()
	h.exec(`SET session_replication_role = replica`, fmt.Sprintf(`INSERT INTO removed_events (tenant_id, era, xid, position)
		SELECT tenant_id, era, xid, position FROM events WHERE process_id = '%s' ORDER BY era DESC, xid DESC, position DESC LIMIT 1`, gone),
		fmt.Sprintf(`DELETE FROM events WHERE process_id = '%s'`, gone))
	require.Nil(t, h.health().EventsLostAt)
	h.declare("north", "HOOK", r.server.URL, "")
	h.deliver(1)
	h.settled()
	require.Len(t, r.messages(), 3)
	require.NotNil(t, h.health().EventsLostAt)
}
