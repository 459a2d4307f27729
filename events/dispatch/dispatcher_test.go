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
	failing.answers(func(int, received) int {
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
