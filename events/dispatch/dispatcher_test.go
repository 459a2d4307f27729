package dispatch_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// createItem adds an item to a process of north.
func (h *fixture) createItem(p *domain.Process, kind domain.ItemType, code string) {
	h.t.Helper()
	in := app.NewItem{Type: kind, ProcessID: p.ID, DefinitionCode: code}
	if kind == domain.ItemMessage {
		in.Text = "hello"
	}
	_, _, err := h.CreateProcessItem(h.t.Context(), h.ownerOf("north"), in)
	require.NoError(h.t, err)
}

func TestDispatcherDeliversSubscribedEvents(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
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
	h.startDispatchers(2)

	loan := h.createProcess("north", "LOAN")
	h.createItem(loan, domain.ItemTask, "CHECK")
	h.createItem(loan, domain.ItemMessage, "")
	h.createItem(loan, domain.ItemThread, "TALK")
	claim := h.createProcess("north", "CLAIM")
	h.completeProcess("north", claim)
	require.NoError(t, h.DeleteProcess(t.Context(), h.ownerOf("north"), claim.ID))
	h.createProcess("south", "CLAIM")
	h.waitForDeliveries()

	created, changed := "PROCESS.CREATED", "PROCESS.STATE_CHANGED"
	item, task := "PROCESS_ITEM.CREATED", "PROCESS_ITEM.TASK_STATE_CHANGED"
	for code, want := range map[string][]string{
		"B":      {created, created, changed, changed, changed, item, item, item, task},
		"A":      {changed, changed, changed, "TASK.STATE_CHANGED"},
		"CLAIMS": {created, changed, changed}, "DELETIONS": {"PROCESS.DELETED"}, "TYPES": {created, created, item, item, item}, "TASKS-A": {"TASK.STATE_CHANGED"},
	} {
		require.Equal(t, want, receivers[code].listTypes(), code)
	}
	for _, m := range receivers["A"].listRequests() {
		require.Empty(t, m.Version)
	}
	for _, m := range receivers["B"].listRequests() {
		require.Equal(t, "v2024-06-14", m.Version)
	}
	require.Equal(t, []string{created, changed}, foreign.listTypes(), "those of its own tenant")
	require.Equal(t, 25, h.countInState(domain.DeliveryDelivered))
}

// Failed deliveries are left to a workflow; the others are delivered once. The
// first attempts of a process follow the order of the event log.
func TestFirstAttemptsKeepTheOrderOfAProcess(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	failing := newReceiver(t)
	failing.answerWith(func(int, receivedRequest) int {
		if rand.IntN(10) < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusNoContent
	})
	sound := newReceiver(t)
	h.subscribe("north", "FAILING", failing.server.URL, "")
	h.subscribe("north", "SOUND", sound.server.URL, "")
	h.startDispatchers(3)
	const processes = 30
	for range processes {
		p := h.createProcess("north", "LOAN")
		h.createItem(p, domain.ItemTask, "CHECK")
		h.completeProcess("north", p)
	}
	h.waitForDeliveries()
	want := h.eventOrder()
	require.Len(t, want, processes)
	for _, r := range []*receiver{failing, sound} {
		got := map[uuid.UUID][]string{}
		for _, m := range r.listRequests() {
			got[m.Data.ProcessID] = append(got[m.Data.ProcessID], m.ID)
		}
		require.Equal(t, want, got)
	}
	failed := h.countInState(domain.DeliveryRetrying)
	h.waitFor("the handovers", func() bool { return len(h.listHandedOver()) == failed })
	require.NotZero(t, failed)
	require.Zero(t, h.queryCount(`SELECT count(*) FROM webhook_deliveries WHERE state = 'RETRYING' AND leased_until < next_attempt_at`))
}

type recordedEvent struct {
	Process uuid.UUID
	ID      string
}

// eventOrder lists the ids of the events of each process in the order of the event log.
func (h *fixture) eventOrder() map[uuid.UUID][]string {
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
	h := newFixture(t)
	r := newReceiver(t)
	h.applySubscription("north", "HOOK", r.server.URL, "")
	h.startDispatchers(1)
	h.createProcess("north", "LOAN")
	h.waitFor("the fan-out", h.eventsRead)
	require.Equal(t, domain.EndpointNoSecret, ptr(h.readHealth()).State())
	require.Empty(t, r.listRequests())

	h.issueSecret("north", "HOOK", "first")
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 2)
	require.Len(t, strings.Fields(r.listRequests()[0].Signatures), 1)

	// Both secrets are valid during the rotation.
	h.issueSecret("north", "HOOK", "second")
	h.createProcess("north", "LOAN")
	h.waitForDeliveries()
	require.Len(t, strings.Fields(r.listRequests()[3].Signatures), 2)

	h.applySubscription("north", "HOOK", r.server.URL, `,"paused":true`)
	h.createProcess("north", "LOAN")
	h.waitFor("the fan-out", h.eventsRead)
	health := h.readHealth()
	require.Equal(t, domain.EndpointPaused, health.State())
	require.EqualValues(t, 2, health.Pending)
	require.NotNil(t, health.PendingSince)
	require.Len(t, r.listRequests(), 4)

	h.applySubscription("north", "HOOK", r.server.URL, "")
	h.waitForDeliveries()
	require.Len(t, r.listRequests(), 6)
}

func ptr[T any](value T) *T { return &value }
