package persistence_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// Old events of a tenant are removed from the beginning of the log on, up to the first that has to stay, and the removal is
// recorded. The number is known beforehand.
func TestOldEventsAreRemoved(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	ids := l.add(conn, l.tenant, 400, 300, 31, 29, 200, 0)
	others := l.add(conn, uuid.New(), 400)
	remove := func(days int) (int64, error) {
		turn := retention.Turn{TenantID: l.tenant, Kind: domain.RetainEvents, Before: time.Now().AddDate(0, 0, -days)}
		found, err := retention.Find(t.Context(), l.Reader(), turn)
		require.NoError(t, err)
		part, err := retention.Remove(t.Context(), l.DB, turn, time.Now())
		if err == nil {
			require.True(t, part.Done)
			require.Equal(t, found.Count, part.Removed)
		}
		return part.Removed, err
	}
	_, err := remove(29)
	require.ErrorContains(t, err, "30 days")
	requireRemoved := func(want int) {
		t.Helper()
		n, err := remove(30)
		require.NoError(t, err)
		require.EqualValues(t, want, n)
	}
	requireRemoved(0) // webhooks have read nothing yet
	l.passAll(conn)
	exec := func(sql string, args ...any) {
		_, err := conn.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	exec(`SET session_replication_role = replica`)
	exec(`INSERT INTO webhook_backlogs (subscription_id, tenant_id, era, xid, position, payload_version) VALUES ($1, $1, 1, '1', 0, 'B')`, l.tenant)
	requireRemoved(0) // an endpoint that is held has read nothing yet
	exec(`DELETE FROM webhook_backlogs`)
	exec(`INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state, created_at, queued_at)
VALUES ($1, $1, $2, $1, 'PROCESS.CREATED', 'B', 'PENDING', now(), now())`, ids[1], l.tenant)
	requireRemoved(1) // the next is yet to be delivered
	exec(`DELETE FROM webhook_deliveries`)
	requireRemoved(2)
	requireRemoved(0)
	l.requireRead(domain.EventCursor{}, append(ids[3:], others...)...)
	rows, err := conn.Query(t.Context(), `SELECT details->>'count' FROM events WHERE type = $1 AND tenant_id = $2 ORDER BY position`,
		domain.EventEventsRemoved, l.tenant)
	require.NoError(t, err)
	counts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, counts)
	// The permission was limited to that call.
	requireDenied(t, l.connect(l.url), `DELETE FROM events`)
}

// add records an event for each age in days.
func (l *ledger) add(conn *pgx.Conn, tenant uuid.UUID, ages ...int) []uuid.UUID {
	l.t.Helper()
	ids := make([]uuid.UUID, len(ages))
	for i, age := range ages {
		ids[i] = uuid.New()
		_, err := conn.Exec(l.t.Context(), recordByHand, ids[i], tenant, time.Now().AddDate(0, 0, -age))
		require.NoError(l.t, err)
	}
	return ids
}

// passAll moves the followers of the whole log to its end, once all of it is settled.
func (l *ledger) passAll(conn *pgx.Conn) {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		_, err := conn.Exec(l.t.Context(), `SELECT count_events(1000000)`)
		require.NoError(l.t, err)
		_, err = conn.Exec(l.t.Context(), `UPDATE webhook_cursor c SET era = u.era, xid = u.xid FROM counted_until u`)
		require.NoError(l.t, err)
		var behind bool
		require.NoError(l.t, conn.QueryRow(l.t.Context(),
			`SELECT EXISTS (SELECT FROM events e, counted_until u WHERE (e.era, e.xid) >= (u.era, u.xid))`).Scan(&behind))
		return !behind
	}, 20*time.Second, time.Millisecond)
}

// While two removers with breaking connections remove old events, followers of the log read every event that
// stays once and in order, and the removals that are recorded add up.
func TestFollowersReadWhileEventsAreRemoved(t *testing.T) {
	t.Parallel()
	const old, writers, transactions = 3000, 3, 30
	l := newLedger(t)
	conn := l.connect(l.url)
	_, err := conn.Exec(t.Context(), `INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, actor_id, occurred_at)
SELECT gen_random_uuid(), $1, $1, 'PROCESS.CREATED', 'PROCESS', $1, $1, now() - interval '1 year' FROM generate_series(1, $2)`, l.tenant, old)
	require.NoError(t, err)
	l.passAll(conn)
	var writing, removing sync.WaitGroup
	for range writers {
		by := l.connect(l.url)
		writing.Go(func() {
			for range transactions {
				l.write(by)
			}
		})
	}
	for range 2 {
		removing.Go(func() { l.removeAll() })
	}
	killing := l.connect(l.url)
	finished := make(chan struct{})
	go func() {
		writing.Wait()
		removing.Wait()
		close(finished)
	}()
	var got []uuid.UUID
	after, ended := domain.EventCursor{}, false
	require.Eventually(t, func() bool {
		select {
		case <-finished:
			ended = true
		default:
			_, err := killing.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE '%remove_old_events%' AND pid <> pg_backend_pid() AND random() < 0.1`)
			require.NoError(t, err)
		}
		ids, batch := l.read(after, 500)
		got, after = append(got, ids...), batch.Next
		return ended && len(ids) == 0 && !batch.Pending
	}, time.Minute, time.Millisecond)
	all, _ := l.read(domain.EventCursor{}, 1<<20)
	require.NotEmpty(t, all)
	require.Equal(t, all, got[len(got)-len(all):])
	var kept, removed, recorded int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE type = 'PROCESS.CREATED'),
       coalesce(sum((details->>'count')::int) FILTER (WHERE type = 'EVENTS.REMOVED'), 0),
       count(*) FILTER (WHERE occurred_at < now() - interval '300 days') FROM events`).Scan(&kept, &removed, &recorded))
	require.Len(t, all, kept)
	require.Equal(t, old, removed)
	require.Zero(t, recorded)
}

// removeAll removes events older than 300 days, part by part, even if its connections break.
func (l *ledger) removeAll() {
	turn := retention.Turn{TenantID: l.tenant, Kind: domain.RetainEvents, Before: time.Now().AddDate(0, 0, -300)}
	for attempts := 0; attempts < 10_000; attempts++ {
		part, err := retention.Remove(l.t.Context(), l.DB, turn, time.Now())
		if part.Removed > 1000 {
			l.t.Errorf("a part of %d events", part.Removed)
		}
		if err == nil && part.Done {
			return
		}
	}
	l.t.Error("the removal does not end")
}
