package dispatch_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

func TestReplays(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.startDispatchers(1)
	h.createProcess("north", "LOAN")
	h.waitForDeliveries()
	list := func() []domain.WebhookDeliveryInfo {
		page, err := h.FindWebhookDeliveries(t.Context(), h.ownerOf("north"), administration.WebhookDeliveryFilter{}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		return page.Items
	}
	first := list()[0]
	replayed, err := h.ReplayWebhookDelivery(t.Context(), h.ownerOf("north"), first.ID)
	require.NoError(t, err)
	require.Equal(t, domain.DeliveryPending, replayed.State)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 2)
	require.Equal(t, r.listRequests()[0].ID, r.listRequests()[1].ID)
	require.Equal(t, r.listRequests()[0].Body, r.listRequests()[1].Body)

	// A replay starts a new round and ends the previous one, which is being retried.
	r.answerWith(alwaysStatus(http.StatusBadGateway))
	h.createProcess("north", "LOAN")
	h.waitForDeliveries()
	failed := list()[0]
	require.Equal(t, domain.DeliveryRetrying, failed.State)
	require.Equal(t, http.StatusBadGateway, failed.LastStatus)
	r.answerWith(nil)
	since := failed.CreatedAt
	replay, err := h.ReplayDeliveries(t.Context(), h.ownerOf("north"), administration.WebhookKey{Code: "HOOK"}, administration.ReplaySelection{Since: since})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 1}, replay)
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 4)
	retried, err := h.RetryDelivery(t.Context(), failed.ID, 1, 2)
	require.NoError(t, err)
	require.Zero(t, retried)
	require.Len(t, r.listRequests(), 4)
	delivery, attempts, err := h.RetrieveWebhookDelivery(t.Context(), h.ownerOf("north"), failed.ID)
	require.NoError(t, err)
	require.Equal(t, domain.DeliveryDelivered, delivery.State)
	require.Equal(t, []string{"1.1 502", "2.1 200"}, []string{logLine(attempts[0]), logLine(attempts[1])})
	require.Equal(t, "thanks", attempts[0].Answer)

	replay, err = h.ReplayDeliveries(t.Context(), h.ownerOf("north"), administration.WebhookKey{Code: "HOOK"}, administration.ReplaySelection{Since: since})
	require.NoError(t, err)
	require.Zero(t, replay)
	replay, err = h.ReplayDeliveries(t.Context(), h.ownerOf("north"), administration.WebhookKey{Code: "HOOK"},
		administration.ReplaySelection{Since: since, Delivered: true})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 1}, replay, "what was delivered before that time is left alone")
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 5)
	require.Equal(t, r.listRequests()[3].ID, r.listRequests()[4].ID)
}

func logLine(a domain.WebhookAttempt) string {
	return fmt.Sprintf("%d.%d %d", a.Round, a.Number, a.Status)
}

func TestPingIsSentToOneEndpoint(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	pinged, other := newReceiver(t), newReceiver(t)
	h.subscribe("north", "PINGED", pinged.server.URL, `,"payloadVersion":"A","eventTypes":["TASK.STATE_CHANGED"],"processDefinition":"LOAN"`)
	h.subscribe("north", "OTHER", other.server.URL, "")
	h.startDispatchers(1)
	key := administration.WebhookKey{Tenant: "north", Code: "PINGED"}
	event, err := h.PingWebhookEndpoint(t.Context(), h.ownerOf("north"), key)
	require.NoError(t, err)
	h.waitForDeliveries()
	require.Equal(t, []string{"PING"}, pinged.listTypes())
	require.Equal(t, event.ID.String(), pinged.listRequests()[0].ID)
	require.Empty(t, other.listRequests())

	h.applySubscription("north", "PINGED", pinged.server.URL, `,"paused":true`)
	_, err = h.PingWebhookEndpoint(t.Context(), h.ownerOf("north"), key)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
}

func TestDeliveriesExpire(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, "")
	h.applySubscription("north", "WAITING", r.server.URL, "")
	h.startDispatchers(1)
	h.createProcess("north", "LOAN")
	h.waitForDeliveries()
	expire := func() int {
		expired, err := h.ExpireDeliveries(t.Context(), 10)
		require.NoError(t, err)
		return expired.Dropped
	}
	h.clockOffset.Store(int64(domain.WebhookRetention - time.Minute))
	require.Zero(t, expire())
	h.clockOffset.Store(int64(domain.WebhookRetention + time.Minute))
	// Deliveries that the dispatcher has locked are left for the next run.
	expired := 0
	require.Eventually(t, func() bool {
		expired += expire()
		return expired == 2
	}, timeout, time.Millisecond)
	require.Equal(t, 2, h.countInState(domain.DeliveryDropped))
	require.Zero(t, expire())
	require.Equal(t, 2, h.countInState(domain.DeliveryDelivered), "the retention of deliveries removes them")
}
