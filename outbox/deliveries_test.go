package outbox_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// item adds an item to a process of north.
func (h *house) item(p *domain.Process, kind domain.ItemType, code string) {
	h.t.Helper()
	in := app.NewItem{Type: kind, ProcessID: p.ID, DefinitionCode: code}
	if kind == domain.ItemMessage {
		in.Text = "hello"
	}
	_, _, err := h.CreateProcessItem(h.t.Context(), h.olga("north"), in)
	require.NoError(h.t, err)
}

func TestDispatcherDeliversSubscribedEvents(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	receivers := map[string]*receiver{}
	for code, more := range map[string]string{
		"B": "", "A": `,"payloadVersion":"A"`, "CLAIMS": `,"processDefinition":"CLAIM"`,
		"TYPES": `,"eventTypes":["PROCESS_ITEM.CREATED","PROCESS.CREATED"]`, "TASKS-A": `,"payloadVersion":"A","eventTypes":["TASK.STATE_CHANGED"]`,
		"DELETIONS": `,"eventTypes":["PROCESS.DELETED","BUSINESS_ARTIFACT.DELETED"]`,
	} {
		receivers[code] = newReceiver(t)
		h.subscribe("north", code, receivers[code].server.URL, more)
	}
	foreign := newReceiver(t)
	h.subscribe("south", "B", foreign.server.URL, "")
	h.deliver(2)

	loan := h.create("north", "LOAN")
	h.item(loan, domain.ItemTask, "CHECK")
	h.item(loan, domain.ItemMessage, "")
	h.item(loan, domain.ItemThread, "TALK")
	claim := h.create("north", "CLAIM")
	h.finish("north", claim)
	require.NoError(t, h.DeleteProcess(t.Context(), h.olga("north"), claim.ID))
	h.create("south", "CLAIM")
	h.settled()

	created, changed := "PROCESS.CREATED", "PROCESS.STATE_CHANGED"
	item, task := "PROCESS_ITEM.CREATED", "PROCESS_ITEM.TASK_STATE_CHANGED"
	for code, want := range map[string][]string{
		"B":      {created, created, changed, changed, changed, item, item, item, task},
		"A":      {changed, changed, changed, "TASK.STATE_CHANGED"},
		"CLAIMS": {created, changed, changed}, "DELETIONS": {"PROCESS.DELETED"}, "TYPES": {created, created, item, item, item}, "TASKS-A": {"TASK.STATE_CHANGED"},
	} {
		require.Equal(t, want, receivers[code].types(), code)
	}
	for _, m := range receivers["A"].messages() {
		require.Empty(t, m.Version)
	}
	for _, m := range receivers["B"].messages() {
		require.Equal(t, "v2024-06-14", m.Version)
	}
	require.Equal(t, []string{created, changed}, foreign.types(), "those of its own tenant")
	require.Equal(t, 25, h.inState(domain.DeliveryDelivered))
}

// Failed deliveries are left to a workflow; the others are delivered once. The
// first attempts of a process come in the order of the ledger.
func TestFirstAttemptsKeepTheOrderOfAProcess(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	failing := newReceiver(t)
	failing.answers(func(int, told) int {
		if rand.IntN(10) < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	})
	sound := newReceiver(t)
	h.subscribe("north", "FAILING", failing.server.URL, "")
	h.subscribe("north", "SOUND", sound.server.URL, "")
	h.deliver(3)
	const processes = 30
	for range processes {
		p := h.create("north", "LOAN")
		h.item(p, domain.ItemTask, "CHECK")
		h.finish("north", p)
	}
	h.settled()
	want := h.ledgerOrder()
	require.Len(t, want, processes)
	for _, r := range []*receiver{failing, sound} {
		got := map[uuid.UUID][]string{}
		for _, m := range r.messages() {
			got[m.Data.ProcessID] = append(got[m.Data.ProcessID], m.ID)
		}
		require.Equal(t, want, got)
	}
	failed := h.inState(domain.DeliveryRetrying)
	h.eventually("the handovers", func() bool { return len(h.handedOver()) == failed })
	require.NotZero(t, failed)
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_deliveries WHERE state = 'RETRYING' AND leased_until < next_attempt_at`))
}

type recordedEvent struct {
	Process uuid.UUID
	ID      string
}

// ledgerOrder lists, for each process, the ids of its events as they were
// recorded.
func (h *house) ledgerOrder() map[uuid.UUID][]string {
	h.t.Helper()
	conn, err := pgx.Connect(h.t.Context(), h.url)
	require.NoError(h.t, err)
	defer func() { _ = conn.Close(h.t.Context()) }()
	rows, err := conn.Query(h.t.Context(), `SELECT process_id, id::text FROM events WHERE process_id IS NOT NULL AND type = ANY($1)
		ORDER BY era, xid, position`, domain.PublicEventTypes())
	require.NoError(h.t, err)
	recorded, err := pgx.CollectRows(rows, pgx.RowToStructByPos[recordedEvent])
	require.NoError(h.t, err)
	order := map[uuid.UUID][]string{}
	for _, e := range recorded {
		order[e.Process] = append(order[e.Process], e.ID)
	}
	return order
}

func TestUnsendableDeliveryWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.declare("north", "HOOK", r.server.URL, "")
	h.deliver(1)
	h.create("north", "LOAN")
	h.eventually("the fan-out", h.read)
	require.Equal(t, domain.EndpointNoSecret, ptr(h.health()).State())
	require.Empty(t, r.messages())

	h.secret("north", "HOOK", "first")
	h.settled()
	require.Len(t, r.messages(), 2)
	require.Len(t, strings.Fields(r.messages()[0].Signatures), 1)

	// The new secret is valid beside the old one, so that the receiver can change
	// over.
	h.secret("north", "HOOK", "second")
	h.create("north", "LOAN")
	h.settled()
	require.Len(t, strings.Fields(r.messages()[3].Signatures), 2)

	h.declare("north", "HOOK", r.server.URL, `,"paused":true`)
	h.create("north", "LOAN")
	h.eventually("the fan-out", h.read)
	health := h.health()
	require.Equal(t, domain.EndpointPaused, health.State())
	require.EqualValues(t, 2, health.Pending)
	require.NotNil(t, health.PendingSince)
	require.Len(t, r.messages(), 4)

	h.declare("north", "HOOK", r.server.URL, "")
	h.settled()
	require.Len(t, r.messages(), 6)
}

func ptr[T any](value T) *T { return &value }

func TestGoneReceiverIsDisabled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(func(n int, _ told) int {
		if n == 3 {
			return http.StatusGone
		}
		return http.StatusServiceUnavailable
	})
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.create("north", "LOAN")
	h.create("north", "LOAN")
	stop := h.deliver(1)
	h.eventually("the endpoint to be disabled", func() bool { return ptr(h.health()).State() == domain.EndpointDisabled })
	require.Equal(t, domain.DisabledGone, h.health().DisabledReason)
	require.Equal(t, 4, h.inState(domain.DeliveryDropped))
	require.Equal(t, 1, h.count(`SELECT count(*) FROM events WHERE type = $1 AND details ->> 'reason' = 'GONE' AND details ->> 'code' = 'HOOK'`,
		domain.EventWebhookDisabled))

	// It misses what happens while it is disabled.
	h.create("north", "LOAN")
	h.eventually("the fan-out", h.read)
	require.Len(t, r.messages(), 3)
	stop()
	key := administer.WebhookKey{Tenant: "north", Code: "HOOK"}
	_, err := h.ReplayFailedDeliveries(t.Context(), h.olga("north"), key, time.Time{})
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
	enabled, err := h.EnableWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.NoError(t, err)
	require.Equal(t, domain.EndpointActive, enabled.State())
	r.answers(nil)
	replay, err := h.ReplayFailedDeliveries(t.Context(), h.olga("north"), key, time.Time{})
	require.NoError(t, err)
	require.Equal(t, administer.Replay{Count: 4}, replay)
	h.deliver(1)
	h.settled()
	require.Equal(t, 4, h.inState(domain.DeliveryDelivered))
	require.Len(t, r.messages(), 3+4)
}

func TestFailingReceiverIsDisabledAfterFiveDays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(always(http.StatusInternalServerError))
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.deliver(1)
	fail := func() domain.WebhookEndpointState {
		h.create("north", "LOAN")
		h.settled()
		return ptr(h.health()).State()
	}
	require.Equal(t, domain.EndpointFailing, fail())
	since := *h.health().FailingSince
	h.ahead.Store(int64(domain.WebhookPatience - time.Hour))
	require.Equal(t, domain.EndpointFailing, fail())
	require.Equal(t, since, *h.health().FailingSince)

	// A success resets the failures.
	r.answers(nil)
	require.Equal(t, domain.EndpointActive, fail())
	r.answers(always(http.StatusInternalServerError))
	require.Equal(t, domain.EndpointFailing, fail())
	h.ahead.Store(int64(domain.WebhookPatience + time.Hour))
	require.Equal(t, domain.EndpointFailing, fail())
	h.ahead.Store(int64(2 * domain.WebhookPatience))
	require.Equal(t, domain.EndpointDisabled, fail())
	require.Equal(t, domain.DisabledFailing, h.health().DisabledReason)
	require.Zero(t, h.inState(domain.DeliveryRetrying))

	// Another URL is another receiver.
	h.declare("north", "HOOK", r.server.URL+"/other", "")
	require.Equal(t, domain.EndpointActive, ptr(h.health()).State())
}

// A receiver that keeps failing is tried at intervals, and its deliveries wait in
// order. An administrator can have it tried at once.
func TestDeadReceiverIsTriedAtIntervals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(always(http.StatusBadGateway))
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.deliver(1)
	for range 20 {
		h.create("north", "LOAN")
	}
	held := func(want time.Duration) {
		t.Helper()
		h.eventually("a pause", func() bool {
			return h.count(`SELECT count(*) FROM webhook_endpoints WHERE held_until > $1`, h.now().Add(want*3/4)) == 1
		})
	}
	for _, seconds := range []int{2, 4, 8, 16, 32, 60, 60, 60} {
		pause := time.Duration(seconds) * time.Second
		held(pause)
		h.ahead.Add(int64(pause * 5 / 4))
	}
	held(time.Minute)
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_endpoints WHERE held_until > $1`, h.now().Add(time.Minute*5/4)))
	tried := len(r.messages())
	require.Less(t, tried, 20)
	require.Equal(t, 40-tried, h.inState(domain.DeliveryPending))

	r.answers(nil)
	_, err := h.PingWebhookEndpoint(t.Context(), h.olga("north"), administer.WebhookKey{Code: "HOOK"})
	require.NoError(t, err)
	h.settled()
	require.Equal(t, 41-tried, h.inState(domain.DeliveryDelivered))
	order := h.ledgerOrder()
	for _, m := range r.messages() {
		if ids := order[m.Data.ProcessID]; len(ids) > 0 {
			require.Equal(t, ids[0], m.ID)
			order[m.Data.ProcessID] = ids[1:]
		}
	}
}

// A workflow takes over failed deliveries once Temporal is available, and again
// when it is lost.
func TestFailedDeliveriesAreHandedOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(always(http.StatusTooManyRequests))
	r.header.Set("Retry-After", "9")
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.refuseHandovers(errors.New("no answer"))
	h.deliver(1)
	began := h.now()
	h.create("north", "LOAN")
	h.settled()
	require.Equal(t, 1, h.inState(domain.DeliveryRetrying))
	h.eventually("a handover to fail", func() bool {
		return h.count(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, began) == 1
	})
	require.Empty(t, h.handedOver())

	h.refuseHandovers(nil)
	h.ahead.Add(int64(31 * time.Second))
	h.eventually("the handover", func() bool { return len(h.handedOver()) == 1 })
	handed := h.handedOver()[0]
	require.WithinDuration(t, began.Add(9*time.Second), *handed.NextAttemptAt, 2*time.Second)
	require.Equal(t, 1, handed.Attempts)

	h.eventually("it to be noted", func() bool {
		return h.count(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(10*time.Minute)) == 1
	})
	h.ahead.Add(int64(16 * time.Minute))
	h.eventually("another handover", func() bool { return len(h.handedOver()) == 2 })
}

// Retries wait while an endpoint is paused, and are handed over when it is
// resumed.
func TestRetriesWaitForAPausedEndpoint(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(always(http.StatusServiceUnavailable))
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.deliver(1)
	h.create("north", "LOAN")
	h.eventually("the handover", func() bool { return len(h.handedOver()) == 1 })
	handed := h.handedOver()[0]
	h.eventually("it to be noted", func() bool {
		return h.count(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(10*time.Minute)) == 1
	})
	h.declare("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"],"paused":true`)
	retried, err := h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Zero(t, retried, "the workflow ends")
	require.Len(t, r.messages(), 1)

	h.ahead.Add(int64(10 * time.Second))
	h.eventually("it to be seen to be paused", func() bool {
		return h.count(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(30*time.Second)) == 1
	})
	h.declare("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.ahead.Add(int64(2 * time.Minute))
	h.eventually("another handover", func() bool { return len(h.handedOver()) == 2 })
	retried, err = h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Equal(t, 2, retried.Attempts)
	require.Len(t, r.messages(), 2)

	// An attempt that was recorded is not made again.
	again, err := h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Equal(t, 2, again.Attempts)
	require.WithinDuration(t, retried.NextAt, again.NextAt, time.Microsecond)
	require.Len(t, r.messages(), 2)
}

func TestDeliveriesOfKilledDispatcherAreTakenOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	p := h.create("north", "LOAN")
	var taken *persistence.Deliveries
	// Others may keep events from being settled.
	h.eventually("a delivery", func() bool {
		var err error
		taken, err = h.db.ExchangeDeliveries(t.Context(), persistence.DeliveryExchange{
			FanOut: 10, PerEndpoint: 4, Limit: 4, Now: h.now(), LeaseUntil: h.now().Add(time.Minute),
		})
		require.NoError(t, err)
		return len(taken.FirstAttempts) > 0
	})
	require.Len(t, taken.FirstAttempts, 1)
	other := h.create("north", "LOAN")
	h.deliver(1)
	h.eventually("the other process", func() bool { return h.inState(domain.DeliveryDelivered) == 2 })
	for _, m := range r.messages() {
		require.Equal(t, other.ID, m.Data.ProcessID, "the first event of the other is under way")
	}
	h.ahead.Add(int64(time.Minute + time.Second))
	h.settled()
	want := h.ledgerOrder()[p.ID]
	require.Equal(t, want, []string{r.messages()[2].ID, r.messages()[3].ID})

	// The outcomes of the first dispatcher come too late.
	late := taken.FirstAttempts[0]
	a := domain.WebhookAttempt{
		DeliveryID: late.ID, SubscriptionID: late.SubscriptionID, Round: 1, Number: 1, At: h.now(), Failure: "TIMEOUT",
	}
	require.NoError(t, h.db.RecordAttempt(t.Context(), a))
	require.Equal(t, 4, h.inState(domain.DeliveryDelivered))
	require.Equal(t, 4, h.count(`SELECT count(*) FROM webhook_attempts`))
}

// A receiver that does not answer holds up no other, and a stopping dispatcher
// waits for it no longer than its drain time.
func TestSlowReceiverDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	slow, quick := newReceiver(t), newReceiver(t)
	slow.block = make(chan struct{})
	h.subscribe("north", "SLOW", slow.server.URL, "")
	h.subscribe("north", "QUICK", quick.server.URL, "")
	stop := h.deliver(1)
	for range 20 {
		h.create("north", "LOAN")
	}
	h.eventually("the quick one", func() bool { return len(quick.messages()) == 40 })
	require.Len(t, slow.messages(), 4)
	began := time.Now()
	stop()
	require.Less(t, time.Since(began), 6*time.Second)
	require.Equal(t, 40, h.inState(domain.DeliveryPending))
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > '-infinity'`))
	slow.mu.Lock()
	close(slow.block)
	slow.block = nil
	slow.mu.Unlock()
	h.deliver(1)
	h.settled()
	ids := map[string]bool{}
	for _, m := range slow.messages() {
		ids[m.ID] = true
	}
	require.Len(t, ids, 40)
	require.Len(t, slow.messages(), 44, "those that were cut off are sent again, under the same id")
}

func TestReplays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.deliver(1)
	h.create("north", "LOAN")
	h.settled()
	list := func() []administer.WebhookDeliveryInfo {
		page, err := h.FindWebhookDeliveries(t.Context(), h.olga("north"), administer.WebhookDeliveryFilter{}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		return page.Items
	}
	first := list()[0]
	replayed, err := h.ReplayWebhookDelivery(t.Context(), h.olga("north"), first.ID)
	require.NoError(t, err)
	require.Equal(t, domain.DeliveryPending, replayed.State)
	h.settled()
	require.Len(t, r.messages(), 2)
	require.Equal(t, r.messages()[0].ID, r.messages()[1].ID)
	require.Equal(t, r.messages()[0].Body, r.messages()[1].Body)

	// A replay begins a new round while the previous one is being retried, and ends
	// that one.
	r.answers(always(http.StatusBadGateway))
	h.create("north", "LOAN")
	h.settled()
	failed := list()[0]
	require.Equal(t, domain.DeliveryRetrying, failed.State)
	require.Equal(t, http.StatusBadGateway, failed.LastStatus)
	r.answers(nil)
	since := failed.CreatedAt
	replay, err := h.ReplayFailedDeliveries(t.Context(), h.olga("north"), administer.WebhookKey{Code: "HOOK"}, since)
	require.NoError(t, err)
	require.Equal(t, administer.Replay{Count: 1}, replay)
	h.settled()
	require.Len(t, r.messages(), 4)
	retried, err := h.RetryDelivery(t.Context(), failed.ID, 1, 2)
	require.NoError(t, err)
	require.Zero(t, retried)
	require.Len(t, r.messages(), 4)
	delivery, attempts, err := h.RetrieveWebhookDelivery(t.Context(), h.olga("north"), failed.ID)
	require.NoError(t, err)
	require.Equal(t, domain.DeliveryDelivered, delivery.State)
	require.Equal(t, []string{"1.1 502", "2.1 200"}, []string{logLine(attempts[0]), logLine(attempts[1])})
	require.Equal(t, "thanks", attempts[0].Answer)

	// Nothing has failed since.
	replay, err = h.ReplayFailedDeliveries(t.Context(), h.olga("north"), administer.WebhookKey{Code: "HOOK"}, since)
	require.NoError(t, err)
	require.Zero(t, replay)
}

func logLine(a domain.WebhookAttempt) string {
	return fmt.Sprintf("%d.%d %d", a.Round, a.Number, a.Status)
}

func TestPingIsSentToOneEndpoint(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	pinged, other := newReceiver(t), newReceiver(t)
	h.subscribe("north", "PINGED", pinged.server.URL, `,"payloadVersion":"A","eventTypes":["TASK.STATE_CHANGED"],"processDefinition":"LOAN"`)
	h.subscribe("north", "OTHER", other.server.URL, "")
	h.deliver(1)
	key := administer.WebhookKey{Tenant: "north", Code: "PINGED"}
	event, err := h.PingWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.NoError(t, err)
	h.settled()
	require.Equal(t, []string{"PING"}, pinged.types())
	require.Equal(t, event.ID.String(), pinged.messages()[0].ID)
	require.Empty(t, other.messages())

	h.declare("north", "PINGED", pinged.server.URL, `,"paused":true`)
	_, err = h.PingWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
}

func TestDeliveriesExpire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.declare("north", "WAITING", r.server.URL, "")
	h.deliver(1)
	h.create("north", "LOAN")
	h.settled()
	expire := func() [2]int {
		dropped, deleted, err := h.ExpireDeliveries(t.Context(), 10)
		require.NoError(t, err)
		return [2]int{dropped, deleted}
	}
	h.ahead.Store(int64(domain.WebhookRetention - time.Minute))
	require.Equal(t, [2]int{0, 0}, expire())
	h.ahead.Store(int64(domain.WebhookRetention + time.Minute))
	// Deliveries that the dispatcher has locked are left for the next run.
	var expired [2]int
	require.Eventually(t, func() bool {
		now := expire()
		expired[0], expired[1] = expired[0]+now[0], expired[1]+now[1]
		return expired == [2]int{2, 2}
	}, patience, time.Millisecond)
	require.Equal(t, 2, h.inState(domain.DeliveryDropped))
	require.Equal(t, [2]int{0, 0}, expire())
	h.ahead.Store(int64(2*domain.WebhookRetention + time.Hour))
	require.Equal(t, [2]int{0, 2}, expire())
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_deliveries`))
	require.Zero(t, h.count(`SELECT count(*) FROM webhook_attempts`))
}
