package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

var (
	webhookProcesses = flag.Int("webhook-processes", 60, "how many processes there are, with seven events each")
	webhookKills     = flag.Int("webhook-kills", 3, "how often the service is killed while it delivers")
)

// eventsOfProcess is how many events drive causes: a process is created and runs,
// a task is created and ready, claimed and completed, and the process completed.
const eventsOfProcess = 7

const hookedDefinition = `
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: HOOKED, tenant: demo}
spec:
  name: Hooked
  items:
    - {code: CHECK, type: TASK, name: Check, candidates: [{user: alice}]}
  permissions:
    initiators: [{user: alice}]
    managers: [{user: alice}]
`

// subscriber is a receiver of webhooks that fails now and then.
type subscriber struct {
	mu sync.Mutex
	// failing is how many of a hundred requests fail, of one event five at most.
	failing int
	fails   map[string]int
	bodies  map[string]string
	// seen are the ids of events in the order in which each was first received, by
	// process; accepted counts how often each was accepted.
	seen     map[uuid.UUID][]string
	accepted map[string]int
	changed  []string
}

func newSubscriber(t *testing.T) (*subscriber, string) {
	t.Helper()
	s := &subscriber{
		fails: map[string]int{}, bodies: map[string]string{}, seen: map[uuid.UUID][]string{}, accepted: map[string]int{},
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m struct{ Data struct{ ProcessID uuid.UUID } }
	_ = json.Unmarshal(body, &m)
	id := r.Header.Get("Webhook-Id")
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.bodies[id]; !ok {
		s.bodies[id] = string(body)
		s.seen[m.Data.ProcessID] = append(s.seen[m.Data.ProcessID], id)
	} else if known != string(body) {
		s.changed = append(s.changed, id)
	}
	if s.fails[id] < 5 && rand.IntN(100) < s.failing {
		s.fails[id]++
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	s.accepted[id]++
}

func (s *subscriber) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.accepted)
}

// subscribe creates a subscription of the demo tenant with a secret.
func (s *testStack) subscribe(code, url string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "webhook.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(hookedDefinition+`---
apiVersion: procession/v1
kind: WebhookSubscription
metadata: {code: `+code+`, tenant: demo}
spec: {name: Hook, url: "`+url+`", processDefinition: HOOKED}
`), 0o600))
	asAlice := s.asking(demo.Alice())
	printed(s.t, append([]string{"apply", "-f", file}, asAlice...)...)
	printed(s.t, append([]string{"secrets", "issue", "webhook", code, "--name", "first"}, asAlice...)...)
}

// drive takes processes through their lives, whatever becomes of the service
// meanwhile.
func (s *testStack) drive(processes int) {
	s.t.Helper()
	definition := s.queried(`SELECT id FROM process_definitions WHERE code = 'HOOKED'`)
	persist := func(path string, body any) { s.persist(demo.Alice(), http.MethodPost, path, body) }
	next := make(chan struct{}, processes)
	for range processes {
		next <- struct{}{}
	}
	close(next)
	var driving sync.WaitGroup
	for range 4 {
		driving.Go(func() {
			for range next {
				process, task := uuid.New(), uuid.New()
				persist("/processes", map[string]any{"id": process, "processDefinitionId": definition})
				persist("/process-items", map[string]any{
					"id": task, "processId": process, "type": "TASK", "processItemDefinitionCode": "CHECK",
				})
				persist("/process-items/"+task.String()+"/task/~actions/claim", nil)
				persist("/process-items/"+task.String()+"/task/~actions/complete", nil)
				persist("/processes/"+process.String()+"/~actions/complete", nil)
			}
		})
	}
	driving.Wait()
}

// persist sends a request until it is acknowledged. A request that succeeded without an answer is refused the second time.
func (s *testStack) persist(as demo.Account, method, path string, body any) {
	for {
		status, _ := s.call(as, method, path, body)
		if status >= 200 && status < 300 || status == http.StatusConflict || !s.pause() {
			return
		}
	}
}

// pause waits for a moment, and returns false after the end of the test.
func (s *testStack) pause() bool {
	select {
	case <-s.t.Context().Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

func (s *testStack) connect() *pgx.Conn {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.database())
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// queried returns the one text that a query has as its result.
func (s *testStack) queried(sql string) string {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	var text string
	require.NoError(s.t, conn.QueryRow(s.t.Context(), "SELECT ("+sql+")::text").Scan(&text))
	return text
}

type recordedEvent struct {
	Process uuid.UUID
	ID      string
}

// expected returns the ids of events for the subscriber, in the order of the ledger, by process.
func (s *testStack) expected() map[uuid.UUID][]string {
	s.t.Helper()
	rows, err := s.connect().Query(s.t.Context(), `SELECT e.process_id, e.id::text FROM events e
		JOIN processes p ON p.id = e.process_id AND p.process_definition_code = 'HOOKED'
		WHERE e.type IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED')
		ORDER BY e.era, e.xid, e.position`)
	require.NoError(s.t, err)
	recorded, err := pgx.CollectRows(rows, pgx.RowToStructByPos[recordedEvent])
	require.NoError(s.t, err)
	ids := map[uuid.UUID][]string{}
	for _, e := range recorded {
		ids[e.Process] = append(ids[e.Process], e.ID)
	}
	return ids
}

// Without a failure every event is delivered once, in order, by whichever replica, also where they reach the database
// through a pooler.
func TestWebhooksAreDeliveredOnce(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, throughPooler)
	other := s.replica()
	receiver, url := newSubscriber(t)
	s.subscribe("HOOK", url)
	var driving sync.WaitGroup
	for _, each := range []*testStack{s, other} {
		driving.Go(func() { each.drive(*webhookProcesses / 2) })
	}
	driving.Wait()
	total := *webhookProcesses / 2 * 2 * eventsOfProcess
	s.await("all events", func() bool { return receiver.count() == total })
	s.await("all to be noted", func() bool {
		return s.queried(`SELECT count(*) FROM webhook_deliveries WHERE state = 'DELIVERED'`) == fmt.Sprint(total)
	})
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	require.Equal(t, s.expected(), receiver.seen)
	for id, times := range receiver.accepted {
		require.Equal(t, 1, times, id)
	}
}

// Receivers fail and the service is killed: no event is lost, retries keep their id, and first deliveries about
// a process arrive in order. The full test takes -webhook-processes=1430 -webhook-kills=20.
func TestKilledAmidWebhooks(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, withEnv(webhookStep+"=100ms"))
	receiver, url := newSubscriber(t)
	receiver.failing = 30
	s.subscribe("HOOK", url)
	total := *webhookProcesses * eventsOfProcess
	var driving sync.WaitGroup
	driving.Go(func() { s.drive(*webhookProcesses) })
	for kill := range *webhookKills {
		s.awaitFor(10*testTimeout, "progress", func() bool { return receiver.count() > total*(kill+1)/(*webhookKills+2) })
		s.killService()
		s.startService()
	}
	driving.Wait()
	// The leases of the killed service expire.
	s.awaitFor(10*testTimeout, "all events", func() bool { return receiver.count() == total })
	s.awaitFor(5*testTimeout, "all to be noted", func() bool {
		return s.queried(`SELECT count(*) FROM webhook_deliveries WHERE state = 'DELIVERED'`) == fmt.Sprint(total)
	})
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	require.Empty(t, receiver.changed, "a repeat says the same")
	require.Equal(t, s.expected(), receiver.seen)
	twice, failed := 0, 0
	for id := range receiver.bodies {
		failed += receiver.fails[id]
		if receiver.accepted[id] > 1 {
			twice++
		}
	}
	t.Logf("%d events, %d failed attempts, killed %d times: none lost, %d accepted more than once", total, failed, *webhookKills, twice)
}

// awaitFor is await with a timeout.
func (s *testStack) awaitFor(timeout time.Duration, what string, condition func() bool) {
	s.t.Helper()
	require.Eventually(s.t, condition, timeout, 50*time.Millisecond, "waiting for "+what)
}
