package shapeb_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A thousand events of slow transactions, some committed in the opposite order of their
// events; two replicas, one of them restarted; followers who are disconnected at random
// and resume. Each follower receives every event once, in one order.
func TestFollowersGetEveryEventOnce(t *testing.T) { //nolint:funlen // one story of a follower
	t.Parallel()
	const writers, transactions, followers = 10, 50, 4
	s := apitest.NewService(t, fastHeartbeat)
	process := s.Loan()
	// Transactions of other tests may delay the events of the process.
	var end domain.EventCursor
	require.Eventually(t, func() bool {
		var err error
		end, err = events.End(t.Context(), s.DB.Reader())
		require.NoError(t, err)
		return s.Count("SELECT count(*) FROM events WHERE (era, xid) >= ($1::int, $2::xid8)", end.Era, end.Transaction) == 0
	}, time.Minute, time.Millisecond)
	replicas := &replicas{servers: []*httptest.Server{httptest.NewServer(s.Handler), httptest.NewServer(s.Handler)}, handler: s.Handler}
	t.Cleanup(replicas.close)

	var writing, reading sync.WaitGroup
	for range writers {
		conn := s.Connect()
		writing.Go(func() {
			for range transactions {
				if err := writeSlowly(t.Context(), conn, process.TenantID, process.ID); err != nil {
					t.Error(err)
				}
			}
			_ = conn.Close(t.Context())
		})
	}
	const total = writers * transactions * 2
	got := make([][]string, followers)
	for i := range got {
		reading.Go(func() { got[i] = replicas.followAll(t, end.String(), total) })
	}
	cutting := make(chan struct{})
	go func() {
		defer close(cutting)
		killer := s.Connect()
		defer func() { _ = killer.Close(context.WithoutCancel(t.Context())) }()
		for i := range 6 {
			replicas.kill(i % 2)
			if _, err := killer.Exec(t.Context(), `SELECT pg_sleep(0.1), pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND query = 'LISTEN procession_events'`); err != nil {
				t.Error(err)
			}
		}
	}()
	writing.Wait()
	<-cutting
	reading.Wait()

	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT id::text FROM events WHERE process_id = $1 AND (era, xid) >= ($2::int, $3::xid8)
		ORDER BY era, xid, position`, process.ID, end.Era, end.Transaction)
	require.NoError(t, err)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, want, total)
	for i := range got {
		require.Equal(t, want, got[i])
	}
	var inverted int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM (SELECT position, lag(position) OVER (ORDER BY era, xid, position) before
		FROM events) e WHERE position < before`).Scan(&inverted))
	require.Positive(t, inverted, "no transaction recorded after a later one")
}

// writeSlowly records two events of a process in a transaction.
func writeSlowly(ctx context.Context, conn *pgx.Conn, tenant, process uuid.UUID) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	for range 2 {
		if _, err := tx.Exec(ctx, `INSERT INTO events (id, tenant_id, process_id, type, process_state, resource_kind,
			resource_id, actor_id, occurred_at) SELECT $1, $2, $3, 'PROCESS.STATE_CHANGED', 'RUNNING', 'PROCESS', $3, $1, now()
			FROM pg_sleep($4)`, uuid.New(), tenant, process, rand.Float64()*0.02); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

// replicas are servers that die and come back elsewhere.
type replicas struct {
	mu      sync.Mutex
	handler http.Handler
	servers []*httptest.Server
}

func (r *replicas) any() *httptest.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.servers[rand.IntN(len(r.servers))]
}

// kill cuts all connections of a replica, which comes back at another address.
func (r *replicas) kill(i int) {
	r.mu.Lock()
	dead := r.servers[i]
	r.servers[i] = httptest.NewServer(r.handler)
	r.mu.Unlock()
	_ = dead.Listener.Close()
	dead.CloseClientConnections()
	dead.Close()
}

func (r *replicas) close() {
	for i := range r.servers {
		r.servers[i].CloseClientConnections()
		r.servers[i].Close()
	}
}

// followAll follows until it has so many events, and is cut off on the way again
// and again.
func (r *replicas) followAll(t *testing.T, from string, total int) []string {
	t.Helper()
	var got []string
	deadline := time.After(2 * apitest.Patience)
	for last := from; len(got) < total; {
		func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.any().URL+apitest.ShapeB+"/events", http.NoBody)
			if err != nil {
				return
			}
			request.Header.Set("Authorization", apitest.Authorization(demo.Alice()))
			request.Header.Set("Last-Event-ID", last)
			resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request) //nolint:bodyclose // it is closed below
			if err != nil || resp.StatusCode != http.StatusOK {
				return
			}
			f := &apitest.Follower{T: t, Messages: make(chan apitest.Message), Cancel: cancel}
			read := make(chan struct{})
			go func() {
				defer close(read)
				defer close(f.Messages)
				f.Read(resp.Body)
			}()
			defer func() {
				_ = resp.Body.Close()
				// Events after the disconnection are not counted.
				for m := range f.Messages {
					_ = m
				}
				<-read
			}()
			for range 1 + rand.IntN(120) {
				select {
				case m, ok := <-f.Messages:
					if !ok {
						return
					}
					last = m.ID
					if m.Data != "" {
						got = append(got, idOfEvent(m))
					}
				case <-deadline:
					t.Error("not all events have come")
					total = 0
					return
				}
				if len(got) >= total {
					return
				}
			}
		}()
	}
	return got
}

// idOfEvent is eventID for other goroutines than the test's own.
func idOfEvent(m apitest.Message) string {
	var body struct{ ID string }
	if err := json.Unmarshal([]byte(m.Data), &body); err != nil {
		return err.Error()
	}
	return body.ID
}
