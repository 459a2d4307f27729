package dispatch_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/webhooks"
)

func TestGoneReceiverIsDisabled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := newReceiver(t)
	r.answers(func(n int, _ received) int {
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
	key := administration.WebhookKey{Tenant: "north", Code: "HOOK"}
	_, err := h.ReplayDeliveries(t.Context(), h.olga("north"), key, administration.ReplaySelection{})
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
	enabled, err := h.EnableWebhookEndpoint(t.Context(), h.olga("north"), key)
	require.NoError(t, err)
	require.Equal(t, domain.EndpointActive, enabled.State())
	r.answers(nil)
	replay, err := h.ReplayDeliveries(t.Context(), h.olga("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 4}, replay)
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
	require.EqualValues(t, 40-tried, h.health().Pending)

	r.answers(nil)
	_, err := h.PingWebhookEndpoint(t.Context(), h.olga("north"), administration.WebhookKey{Code: "HOOK"})
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
	var taken *webhooks.Deliveries
	// Others may keep events from being settled.
	h.eventually("a delivery", func() bool {
		var err error
		taken, err = webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{
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
	require.NoError(t, webhooks.RecordAttempt(t.Context(), h.db, a))
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
