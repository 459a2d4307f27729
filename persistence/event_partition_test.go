package persistence_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/persistence/retention"
	"github.com/procession-dev/procession/persistence/webhooks"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func (l *ledger) exec(conn *pgx.Conn, sql string, args ...any) {
	l.t.Helper()
	_, err := conn.Exec(l.t.Context(), sql, args...)
	require.NoError(l.t, err, sql)
}

func (l *ledger) value(conn *pgx.Conn, sql string, args ...any) (n int64) {
	l.t.Helper()
	require.NoError(l.t, conn.QueryRow(l.t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// requireChain requires that every era has one partition, from the first that is kept to the one that is recorded in.
func (l *ledger) requireChain(conn *pgx.Conn) {
	l.t.Helper()
	require.Zero(l.t, l.value(conn, `
SELECT count(*) FROM (SELECT min(era) AS first, max(era) AS last, count(*) AS n FROM event_partitions) p, event_ledger l
 WHERE p.last <> l.era OR p.n <> p.last - p.first + 1
    OR p.n <> (SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass)
    OR EXISTS (SELECT 1 FROM event_partitions e WHERE to_regclass('events_' || e.era) IS NULL)
    OR (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
         WHERE d.adrelid = 'events'::regclass AND a.attname = 'era') <> l.era::text`))
}

// While eras begin, by two at once whose connections break, and the log is written, a reader that continues from its cursor gets
// every event once and in order, webhooks and counts reach the end, and every era has its partition.
func TestFollowersReadAcrossPartitions(t *testing.T) {
	t.Parallel()
	const writers, transactions = 4, 60
	l := newLedger(t)
	conn := l.connect(l.url)
	var writing, rotating sync.WaitGroup
	for range writers {
		by := l.connect(l.url)
		writing.Go(func() {
			for range transactions {
				l.write(by)
			}
		})
	}
	finished := make(chan struct{})
	for range 2 {
		rotating.Go(l.rotate)
	}
	go func() {
		writing.Wait()
		rotating.Wait()
		close(finished)
	}()
	killing := l.connect(l.url)
	var got []uuid.UUID
	after, ended := domain.EventCursor{}, false
	require.Eventually(t, func() bool {
		select {
		case <-finished:
			ended = true
		default:
			_, err := killing.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND query LIKE 'SELECT add_event%' AND random() < 0.1`)
			require.NoError(t, err)
		}
		_, err := killing.Exec(t.Context(), `SELECT count_events(20)`)
		require.NoError(t, err)
		ids, batch := l.read(after, 1+rand.IntN(7))
		got, after = append(got, ids...), batch.Next
		return ended && len(ids) == 0 && !batch.Pending
	}, time.Minute, time.Microsecond)
	all, _ := l.read(domain.EventCursor{}, 1<<20)
	require.Equal(t, all, got)
	require.EqualValues(t, len(got), l.value(conn, `SELECT count(*) FROM events`))
	require.Greater(t, l.value(conn, `SELECT count(DISTINCT era) FROM events`), int64(2))
	require.Zero(t, l.value(conn, `SELECT count(*) FROM (SELECT position, max(position) OVER (ORDER BY era, xid, position) AS reached,
		era - lag(era) OVER (ORDER BY era, xid, position) AS step, xid < lag(xid) OVER (ORDER BY era, xid, position) AS back FROM events) e
		WHERE back`), "an era began before transactions of the one before had ended")
	l.requireChain(conn)
	l.passAll(conn)
}

// rotate tries to begin eras, whatever becomes of its connections.
func (l *ledger) rotate() {
	ctx := context.WithoutCancel(l.t.Context())
	for range 4 {
		conn, err := pgx.Connect(ctx, l.url)
		for tries := 0; err == nil && tries < 4; tries++ {
			_, err = conn.Exec(ctx, `UPDATE event_partitions SET begins_at = begins_at - interval '2 days' WHERE era = (SELECT era FROM event_ledger)`)
			if err == nil {
				_, err = conn.Exec(ctx, `SELECT add_event_partition('1 day')`)
			}
			if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == "55P03" {
				err = nil
			}
		}
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code != "57P01" {
			l.t.Error(err)
		}
		if conn != nil {
			_ = conn.Close(ctx)
		}
	}
}

// An era that is not committed leaves no partition, and one session at a time begins an era.
func TestAnEraBeginsAsAWhole(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn, other := l.connect(l.url), l.connect(pgtest.AsService(t, l.url))
	require.ErrorContains(t, second(conn.Exec(t.Context(), `SELECT add_event_partition('1 hour')`)), "a day at least")
	const old = `UPDATE event_partitions SET begins_at = begins_at - interval '2 days'`
	added := func(by *pgx.Conn) (yes bool) {
		require.NoError(t, by.QueryRow(t.Context(), `SELECT add_event_partition('1 day')`).Scan(&yes))
		return yes
	}
	l.exec(conn, old)
	require.False(t, added(conn), "there is no event")
	l.add(conn, l.tenant, 0)
	cut := l.connect(l.url)
	l.exec(cut, `BEGIN`)
	require.True(t, added(cut))
	require.False(t, added(other), "another one is at it")
	pid := cut.PgConn().PID()
	l.exec(conn, `SELECT pg_terminate_backend($1, 20000)`, pid)
	l.requireChain(conn)
	require.EqualValues(t, 1, l.value(conn, `SELECT era FROM event_ledger`))

	open, _ := l.record(other)
	_, err := conn.Exec(t.Context(), `SELECT add_event_partition('1 day')`)
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr)
	require.Equal(t, "55P03", pgErr.Code, "an event is being recorded")
	require.NoError(t, open.Commit(t.Context()))
	require.True(t, added(other), "the role of the service may do it")
	require.False(t, added(other), "the era is young")
	l.requireChain(conn)
	for _, sql := range []string{`DELETE FROM events_2`, `UPDATE events_2 SET type = 'OTHER'`, `TRUNCATE events_2`} {
		requireDenied(t, conn, sql)
		requireDenied(t, other, sql)
	}
	requireDenied(t, other, `SELECT FROM events_2`)
}

func second[A any](_ A, err error) error { return err }

// A partition is dropped when none of its events must stay, and readers with an earlier cursor are refused.
func TestOldPartitionsAreDropped(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	l.exec(conn, `INSERT INTO tenants (id, code, name, plan, namespace, created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, 'north', 'North', 'FREE', 'north', $1, now(), $1, now())`, l.tenant)
	ids := l.add(conn, l.tenant, 400, 300, 60)
	start := l.requireRead(domain.EventCursor{}, ids[0], ids[1], ids[2])
	l.exec(conn, `SELECT begin_event_partition()`)
	later := l.add(conn, l.tenant, 50)
	l.exec(conn, `SELECT begin_event_partition()`)
	last := l.add(conn, l.tenant, 45)
	drop := func(days int) (n *int64) {
		t.Helper()
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT n FROM drop_event_partition(now() - make_interval(days => $1))`, days).Scan(&n))
		return n
	}
	require.ErrorContains(t, second(conn.Exec(t.Context(), `SELECT drop_event_partition(now() - interval '29 days')`)), "30 days")
	require.Nil(t, drop(30), "webhooks and counts have read nothing yet")
	l.passAll(conn)
	require.Nil(t, drop(100), "an event is young")
	replica := l.connect(l.url)
	l.exec(replica, `SET session_replication_role = replica`)
	l.exec(replica, `INSERT INTO webhook_backlogs (subscription_id, tenant_id, era, xid, position, payload_version) VALUES ($1, $1, 1, '1', 0, 'B')`, l.tenant)
	require.Nil(t, drop(30), "an endpoint that is held has read nothing yet")
	l.exec(replica, `UPDATE webhook_backlogs SET era = $1, xid = $2, position = $3`, start.Era, start.Transaction, start.Position)
	l.exec(replica, `INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_era, event_type, payload_version, state, created_at, queued_at)
VALUES ($1, $1, $2, $1, 1, 'PROCESS.CREATED', 'B', 'PENDING', now(), now())`, ids[1], l.tenant)
	require.Nil(t, drop(30), "a delivery is kept")
	l.exec(replica, `DELETE FROM webhook_deliveries`)
	reading, err := l.connect(l.url).Begin(t.Context())
	require.NoError(t, err)
	_, err = reading.Exec(t.Context(), `SELECT count(*) FROM events`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT drop_event_partition(now() - interval '30 days')`)
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr)
	require.Equal(t, "55P03", pgErr.Code, "a reader has the partition")
	require.NoError(t, reading.Rollback(t.Context()))
	require.NotNil(t, drop(30))
	l.requireChain(conn)
	l.requireRead(start, later[0], last[0])
	missed := func(after domain.EventCursor) bool {
		missed, err := events.Missed(t.Context(), l.Reader(), persistence.AdministrationScope{Tenants: []uuid.UUID{l.tenant}}, after)
		require.NoError(t, err)
		return missed
	}
	require.False(t, missed(start))
	require.True(t, missed(domain.EventCursor{Era: 1, Transaction: start.Transaction, Position: start.Position - 1}))
	require.Nil(t, drop(30), "the endpoint has not read it")
	l.exec(replica, `DELETE FROM webhook_backlogs`)
	require.NotNil(t, drop(30))
	require.Nil(t, drop(30), "events are recorded in it")
	require.True(t, missed(start))
	l.requireRead(domain.EventCursor{}, last[0])
}

// The retention of the installation drops partitions, and deletes no rows for tenants without a shorter one. Doctors see how far it is.
func TestRetentionDropsPartitions(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	l.exec(conn, `INSERT INTO tenants (id, code, name, plan, namespace, created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, 'north', 'North', 'FREE', 'north', $1, now(), $1, now())`, l.tenant)
	l.add(conn, l.tenant, 400, 300)
	l.exec(conn, `ANALYZE events_1`)
	l.exec(conn, `UPDATE event_partitions SET begins_at = now() - interval '20 days'`)
	bounds := retention.Bounds{domain.RetainEvents: 100 * 24 * time.Hour}
	state := func() retention.State {
		s, err := retention.ReadState(t.Context(), l.Reader())
		require.NoError(t, err)
		return s
	}
	require.Equal(t, 20*24*time.Hour, time.Since(*state().LastBegan).Round(time.Hour))
	before := time.Now().Add(-bounds[domain.RetainEvents])
	added, err := retention.AddPartition(t.Context(), l.DB, bounds)
	require.NoError(t, err)
	require.True(t, added)
	require.Nil(t, state().LastBegan, "it has no events")
	l.add(conn, l.tenant, 200, 0)
	l.passAll(conn)
	found, err := retention.FindPartitions(t.Context(), l.Reader(), before)
	require.NoError(t, err)
	require.Equal(t, retention.Partitions{Count: 1, Events: 2}, found)

	remover := maintenance.NewRemover(maintenance.RemoverOptions{DB: l.DB, Bounds: bounds, Clock: time.Now, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { remover.Run(ctx) })
	require.Eventually(t, func() bool { return remover.Removed(domain.RetainEvents) == 2 }, 20*time.Second, time.Millisecond)
	cancel()
	running.Wait()
	require.Zero(t, remover.Faults())
	l.requireChain(conn)
	require.EqualValues(t, 1, state().Partitions)
	require.EqualValues(t, 2, l.value(conn, `SELECT count(*) FROM events WHERE type = 'PROCESS.CREATED'`))
	require.EqualValues(t, 1, l.value(conn, `SELECT count(*) FROM events WHERE type = 'EVENTS.REMOVED' AND details->>'estimatedCount' = '2'`))
	require.Zero(t, l.value(conn, `SELECT count(*) FROM retention_turns`))

	require.NoError(t, retention.Plan(t.Context(), l.DB, nil, time.Now()))
	l.exec(conn, `INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, 'Tenant', 'north', $1, '{}', '{"retention":{"events":60}}', $1, now(), $1, now())`, l.tenant)
	require.NoError(t, retention.Plan(t.Context(), l.DB, bounds, time.Now()))
	part, err := retention.RemoveDue(t.Context(), l.DB, bounds, time.Now())
	require.NoError(t, err)
	require.EqualValues(t, 1, part.Removed, "a tenant with a shorter retention deletes rows")
}

// Followers of the log read only partitions with new events, under every kind of plan.
func TestFollowersLeaveOutPartitions(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	for range 3 {
		l.add(conn, l.tenant, 0)
		l.exec(conn, `SELECT begin_event_partition()`)
	}
	caller := domain.Caller{PrincipalID: l.tenant, Memberships: []domain.Membership{{TenantID: l.tenant}}}
	const scans = `SELECT coalesce(sum(seq_scan + idx_scan), 0) FROM pg_stat_user_tables WHERE relname ~ ('^events_[' || $1 || ']$')`
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		l.passAll(conn)
		l.exec(conn, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = `+mode+`', current_database()); END $$`)
		for name, read := range map[string]func(*persistence.DB, domain.EventCursor) error{
			"counts": func(db *persistence.DB, _ domain.EventCursor) error { return second(db.CountEvents(t.Context(), 10)) },
			"webhooks": func(db *persistence.DB, _ domain.EventCursor) error {
				return second(webhooks.ExchangeDeliveries(t.Context(), db, webhooks.DeliveryExchange{FanOut: 10, ScanAll: true, Now: time.Now()}))
			},
			"ledger": func(db *persistence.DB, after domain.EventCursor) error {
				return second(events.ListAfter(t.Context(), db.Reader(), after, 10))
			},
			"hub": func(db *persistence.DB, after domain.EventCursor) error {
				return second(events.ListNew(t.Context(), db.Reader(), after, 10))
			},
			"feed": func(db *persistence.DB, after domain.EventCursor) error {
				return second(events.ListFeed(t.Context(), db.Reader(), caller, after, 10, nil))
			},
			"totals": func(db *persistence.DB, _ domain.EventCursor) error {
				conn := l.connect(l.url)
				defer func() { _ = conn.Close(t.Context()) }()
				return second(conn.Exec(t.Context(), `SELECT item_counts_now($1), process_counts_now($1), artifact_counts_now($1)`, caller.TenantIDs()))
			},
		} {
			after, err := events.End(t.Context(), l.Reader())
			require.NoError(t, err)
			l.add(conn, l.tenant, 0)
			l.exec(conn, `SELECT pg_stat_force_next_flush()`)
			l.exec(conn, `SELECT pg_stat_clear_snapshot()`)
			old, last := l.value(conn, scans, "1-3"), l.value(conn, scans, "4")
			// Connections report their reads when they end.
			db := pgtest.Open(t, l.url)
			require.NoError(t, read(db, after), name)
			db.Close()
			require.Eventually(t, func() bool {
				l.exec(conn, `SELECT pg_stat_clear_snapshot()`)
				return l.value(conn, scans, "4") > last
			}, time.Minute, time.Millisecond, name)
			require.Equal(t, old, l.value(conn, scans, "1-3"), "%s, %s", name, mode)
		}
	}
}
