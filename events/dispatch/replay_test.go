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
	h := newHouse(t)
	r := newReceiver(t)
	h.subscribe("north", "HOOK", r.server.URL, `,"eventTypes":["PROCESS.CREATED"]`)
	h.deliver(1)
	h.create("north", "LOAN")
	h.settled()
	list := func() []domain.WebhookDeliveryInfo {
		page, err := h.FindWebhookDeliveries(t.Context(), h.olga("north"), administration.WebhookDeliveryFilter{}, domain.PageRequest{Size: 10}, nil)
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
	replay, err := h.ReplayDeliveries(t.Context(), h.olga("north"), administration.WebhookKey{Code: "HOOK"}, administration.ReplaySelection{Since: since})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 1}, replay)
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
	replay, err = h.ReplayDeliveries(t.Context(), h.olga("north"), administration.WebhookKey{Code: "HOOK"}, administration.ReplaySelection{Since: since})
	require.NoError(t, err)
	require.Zero(t, replay)
	replay, err = h.ReplayDeliveries(t.Context(), h.olga("north"), administration.WebhookKey{Code: "HOOK"},
		administration.ReplaySelection{Since: since, Delivered: true})
	require.NoError(t, err)
	require.Equal(t, administration.Replay{Count: 1}, replay, "what was delivered before that time is left alone")
	h.settled()
	require.Len(t, r.messages(), 5)
	require.Equal(t, r.messages()[3].ID, r.messages()[4].ID)
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
	key := administration.WebhookKey{Tenant: "north", Code: "PINGED"}
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
	expire := func() int {
		expired, err := h.ExpireDeliveries(t.Context(), 10)
		require.NoError(t, err)
		return expired.Dropped
	}
	h.ahead.Store(int64(domain.WebhookRetention - time.Minute))
	require.Zero(t, expire())
	h.ahead.Store(int64(domain.WebhookRetention + time.Minute))
	// Deliveries that the dispatcher has locked are left for the next run.
	expired := 0
	require.Eventually(t, func() bool {
		expired += expire()
		return expired == 2
	}, patience, time.Millisecond)
	require.Equal(t, 2, h.inState(domain.DeliveryDropped))
	require.Zero(t, expire())
	require.Equal(t, 2, h.inState(domain.DeliveryDelivered), "the retention of deliveries removes them")
}
