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
	h := newFixture(t)
	r := newReceiver(t)
	r.answerWith(func(n int, _ receivedRequest) int {
		if n == 3 {
			return http.StatusGone
		}
		return http.StatusServiceUnavailable
	})
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.createProcess("north", "LOAN")
	h.createProcess("north", "LOAN")
	stop := h.startDispatchers(1)
	h.waitFor("the endpoint to be disabled", func() bool { return ptr(h.readHealth()).State() == domain.EndpointDisabled })
	require.Equal(t, domain.DisabledGone, h.readHealth().DisabledReason)
	require.Equal(t, 4, h.countInState(domain.DeliveryDropped))
	require.Equal(t, 1, h.queryCount(`SELECT count(*) FROM events WHERE type = $1 AND details ->> 'reason' = 'GONE' AND details ->> 'code' = 'HOOK'`,
		domain.EventWebhookDisabled))

	// Events during that time are missed.
	h.createProcess("north", "LOAN")
	h.waitFor("the fan-out", h.eventsRead)
	require.Len(t, r.listRequests(), 3)
	stop()
	key := administration.WebhookKey{Tenant: "north", Code: "HOOK"}
	_, err := h.ReplayDeliveries(t.Context(), h.ownerOf("north"), key, administration.ReplaySelection{})
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
	enabled, err := h.EnableWebhookEndpoint(t.Context(), h.ownerOf("north"), key)
	require.NoError(t, err)
	require.Equal(t, domain.EndpointActive, enabled.State())
	r.answerWith(nil)
	replay, err := h.ReplayDeliveries(t.Context(), h.ownerOf("north"), key, administration.ReplaySelection{})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 4}, replay)
	h.startDispatchers(1)
	h.waitForDeliveries()
	require.Equal(t, 4, h.countInState(domain.DeliveryDelivered))
	require.Len(t, r.listRequests(), 3+4)
}

func TestFailingReceiverIsDisabledAfterFiveDays(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	r.answerWith(alwaysStatus(http.StatusInternalServerError))
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.startDispatchers(1)
	fail := func() domain.WebhookEndpointState {
		h.createProcess("north", "LOAN")
		h.waitForDeliveries()
		return ptr(h.readHealth()).State()
	}
	require.Equal(t, domain.EndpointFailing, fail())
	since := *h.readHealth().FailingSince
	h.clockOffset.Store(int64(domain.WebhookFailureTimeout - time.Hour))
	require.Equal(t, domain.EndpointFailing, fail())
	require.Equal(t, since, *h.readHealth().FailingSince)

	// A success resets the failures.
	r.answerWith(nil)
	require.Equal(t, domain.EndpointActive, fail())
	r.answerWith(alwaysStatus(http.StatusInternalServerError))
	require.Equal(t, domain.EndpointFailing, fail())
	h.clockOffset.Store(int64(domain.WebhookFailureTimeout + time.Hour))
	require.Equal(t, domain.EndpointFailing, fail())
	h.clockOffset.Store(int64(2 * domain.WebhookFailureTimeout))
	require.Equal(t, domain.EndpointDisabled, fail())
	require.Equal(t, domain.DisabledFailing, h.readHealth().DisabledReason)
	require.Zero(t, h.countInState(domain.DeliveryRetrying))

	// Another URL is another receiver.
	h.applySubscription("north", "HOOK", r.server.URL+"/other", "")
	require.Equal(t, domain.EndpointActive, ptr(h.readHealth()).State())
}

// A failing receiver is attempted at intervals, and its deliveries wait in order. An
// administrator can request an attempt.
func TestDeadReceiverIsTriedAtIntervals(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	r.answerWith(alwaysStatus(http.StatusBadGateway))
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.startDispatchers(1)
	for range 20 {
		h.createProcess("north", "LOAN")
	}
	held := func(want time.Duration) {
		t.Helper()
		h.waitFor("a pause", func() bool {
			return h.queryCount(`SELECT count(*) FROM webhook_endpoints WHERE held_until > $1`, h.now().Add(want*3/4)) == 1
		})
	}
	for _, seconds := range []int{2, 4, 8, 16, 32, 60, 60, 60} {
		pause := time.Duration(seconds) * time.Second
		held(pause)
		h.clockOffset.Add(int64(pause * 5 / 4))
	}
	held(time.Minute)
	require.Zero(t, h.queryCount(`SELECT count(*) FROM webhook_endpoints WHERE held_until > $1`, h.now().Add(time.Minute*5/4)))
	tried := len(r.listRequests())
	require.Less(t, tried, 20)
	require.EqualValues(t, 40-tried, h.readHealth().Pending)

	r.answerWith(nil)
	_, err := h.PingWebhookEndpoint(t.Context(), h.ownerOf("north"), administration.WebhookKey{Code: "HOOK"})
	require.NoError(t, err)
	h.waitForDeliveries()
	require.Equal(t, 41-tried, h.countInState(domain.DeliveryDelivered))
	order := h.eventOrder()
	for _, m := range r.listRequests() {
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
	h := newFixture(t)
	r := newReceiver(t)
	r.answerWith(alwaysStatus(http.StatusTooManyRequests))
	r.header.Set("Retry-After", "9")
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.refuseHandovers(errors.New("no answer"))
	h.startDispatchers(1)
	began := h.now()
	h.createProcess("north", "LOAN")
	h.waitForDeliveries()
	require.Equal(t, 1, h.countInState(domain.DeliveryRetrying))
	h.waitFor("a handover to fail", func() bool {
		return h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, began) == 1
	})
	require.Empty(t, h.listHandedOver())

	h.refuseHandovers(nil)
	h.clockOffset.Add(int64(31 * time.Second))
	h.waitFor("the handover", func() bool { return len(h.listHandedOver()) == 1 })
	handed := h.listHandedOver()[0]
	require.WithinDuration(t, began.Add(9*time.Second), *handed.NextAttemptAt, 2*time.Second)
	require.Equal(t, 1, handed.Attempts)

	h.waitFor("it to be noted", func() bool {
		return h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(10*time.Minute)) == 1
	})
	h.clockOffset.Add(int64(16 * time.Minute))
	h.waitFor("another handover", func() bool { return len(h.listHandedOver()) == 2 })
}

// Retries wait while an endpoint is paused, and are handed over when it is
// resumed.
func TestRetriesWaitForAPausedEndpoint(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	r.answerWith(alwaysStatus(http.StatusServiceUnavailable))
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.startDispatchers(1)
	h.createProcess("north", "LOAN")
	h.waitFor("the handover", func() bool { return len(h.listHandedOver()) == 1 })
	handed := h.listHandedOver()[0]
	h.waitFor("it to be noted", func() bool {
		return h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(10*time.Minute)) == 1
	})
	h.applySubscription("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"],"paused":true`)
	retried, err := h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Zero(t, retried, "the workflow ends")
	require.Len(t, r.listRequests(), 1)

	h.clockOffset.Add(int64(10 * time.Second))
	h.waitFor("it to be seen to be paused", func() bool {
		return h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > $1`, h.now().Add(30*time.Second)) == 1
	})
	h.applySubscription("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.clockOffset.Add(int64(2 * time.Minute))
	h.waitFor("another handover", func() bool { return len(h.listHandedOver()) == 2 })
	retried, err = h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Equal(t, 2, retried.Attempts)
	require.Len(t, r.listRequests(), 2)

	// A recorded attempt is not repeated.
	again, err := h.RetryDelivery(t.Context(), handed.ID, 1, 2)
	require.NoError(t, err)
	require.Equal(t, 2, again.Attempts)
	require.WithinDuration(t, retried.NextAt, again.NextAt, time.Microsecond)
	require.Len(t, r.listRequests(), 2)
}

func TestDeliveriesOfKilledDispatcherAreTakenOver(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	p := h.createProcess("north", "LOAN")
	var taken *webhooks.Deliveries
	// Transactions of other tests may hold back events.
	h.waitFor("a delivery", func() bool {
		var err error
		taken, err = webhooks.ExchangeDeliveries(t.Context(), h.db, webhooks.DeliveryExchange{
			FanOut: 10, PerEndpoint: 4, Limit: 4, Now: h.now(), LeaseUntil: h.now().Add(time.Minute),
		})
		require.NoError(t, err)
		return len(taken.FirstAttempts) > 0
	})
	require.Len(t, taken.FirstAttempts, 1)
	other := h.createProcess("north", "LOAN")
	h.startDispatchers(1)
	h.waitFor("the other process", func() bool { return h.countInState(domain.DeliveryDelivered) == 2 })
	for _, m := range r.listRequests() {
		require.Equal(t, other.ID, m.Data.ProcessID, "the first event of the other is under way")
	}
	h.clockOffset.Add(int64(time.Minute + time.Second))
	h.waitForDeliveries()
	want := h.eventOrder()[p.ID]
	require.Equal(t, want, []string{r.listRequests()[2].ID, r.listRequests()[3].ID})

	// The outcomes of the first dispatcher come too late.
	late := taken.FirstAttempts[0]
	a := domain.WebhookAttempt{
		DeliveryID: late.ID, SubscriptionID: late.SubscriptionID, Round: 1, Number: 1, At: h.now(), Failure: "TIMEOUT",
	}
	require.NoError(t, webhooks.RecordAttempt(t.Context(), h.db, a))
	require.Equal(t, 4, h.countInState(domain.DeliveryDelivered))
	require.Equal(t, 4, h.queryCount(`SELECT count(*) FROM webhook_attempts`))
}

// A receiver without an answer delays no other receiver, and a stopping dispatcher
// waits for it for the drain time at most.
func TestSlowReceiverDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	slow, quick := newReceiver(t), newReceiver(t)
	slow.block = make(chan struct{})
	h.subscribe("north", "SLOW", slow.server.URL, "")
	h.subscribe("north", "QUICK", quick.server.URL, "")
	stop := h.startDispatchers(1)
	for range 20 {
		h.createProcess("north", "LOAN")
	}
	h.waitFor("the quick one", func() bool { return len(quick.listRequests()) == 40 })
	require.Len(t, slow.listRequests(), 4)
	began := time.Now()
	stop()
	require.Less(t, time.Since(began), 6*time.Second)
	require.Equal(t, 40, h.countInState(domain.DeliveryPending))
	require.Zero(t, h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE leased_until > '-infinity'`))
	slow.mu.Lock()
	close(slow.block)
	slow.block = nil
	slow.mu.Unlock()
	h.startDispatchers(1)
	h.waitForDeliveries()
	ids := map[string]bool{}
	for _, m := range slow.listRequests() {
		ids[m.ID] = true
	}
	require.Len(t, ids, 40)
	require.Len(t, slow.listRequests(), 44, "those that were cut off are sent again, under the same id")
}
