package persistence_test

import (
	"context"
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
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// ledger is a database with connections to record events by hand.
type ledger struct {
	*persistence.DB
	t      *testing.T
	url    string
	tenant uuid.UUID
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	url := pgtest.URL(t)
	return &ledger{DB: pgtest.Open(t, url), t: t, url: url, tenant: uuid.New()}
}

func (l *ledger) connect(url string) *pgx.Conn {
	l.t.Helper()
	conn, err := pgx.Connect(l.t.Context(), url)
	require.NoError(l.t, err)
	l.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(l.t.Context())) })
	return conn
}

const recordByHand = `INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, actor_id, occurred_at)
VALUES ($1, $2, $1, 'PROCESS.CREATED', 'PROCESS', $1, $1, $3)`

// record records an event in a transaction that stays open.
func (l *ledger) record(conn *pgx.Conn) (pgx.Tx, uuid.UUID) {
	l.t.Helper()
	tx, err := conn.Begin(l.t.Context())
	require.NoError(l.t, err)
	id := uuid.New()
	_, err = tx.Exec(l.t.Context(), recordByHand, id, l.tenant, time.Now())
	require.NoError(l.t, err)
	return tx, id
}

// read reads up to limit events from the cursor on.
func (l *ledger) read(after domain.EventCursor, limit int) ([]uuid.UUID, events.Batch) {
	l.t.Helper()
	batch, err := events.ListAfter(l.t.Context(), l.Reader(), after, limit, domain.EventProcessCreated)
	require.NoError(l.t, err)
	var ids []uuid.UUID
	for _, e := range batch.Events {
		ids = append(ids, e.ID)
	}
	return ids, batch
}

// requireRead requires the events after the cursor, once they are settled: other tests have transactions of
// their own in the same cluster.
func (l *ledger) requireRead(after domain.EventCursor, want ...uuid.UUID) domain.EventCursor {
	l.t.Helper()
	var batch events.Batch
	require.Eventually(l.t, func() bool {
		var ids []uuid.UUID
		ids, batch = l.read(after, len(want)+1)
		return len(ids) == len(want)
	}, 20*time.Second, time.Millisecond)
	for i, e := range batch.Events {
		require.Equal(l.t, want[i], e.ID)
	}
	return batch.Next
}

// An event that was recorded earlier and commits later holds back those after it: otherwise a reader past them
// would miss it.
func TestEventsAreReadInTheOrderOfTheirTransactions(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	before, err := events.End(t.Context(), l.Reader())
	require.NoError(t, err)
	first, a := l.record(l.connect(l.url))
	second, b := l.record(l.connect(l.url))
	third, c := l.record(l.connect(l.url))
	end, err := events.End(t.Context(), l.Reader())
	require.NoError(t, err)

	require.NoError(t, third.Commit(t.Context()))
	require.NoError(t, second.Commit(t.Context()))
	ids, batch := l.read(domain.EventCursor{}, 10)
	require.Empty(t, ids)
	require.True(t, batch.Pending)
	require.Equal(t, domain.EventCursor{}, batch.Next)
	require.NoError(t, first.Commit(t.Context()))

	next := l.requireRead(domain.EventCursor{}, a, b, c)
	l.requireRead(next)
	l.requireRead(before, a, b, c)
	// The end found earlier is ahead of every transaction that was open then.
	l.requireRead(end, a, b, c)

	// A rolled-back transaction leaves only a gap.
	rolledBack, _ := l.record(l.connect(l.url))
	after, d := l.record(l.connect(l.url))
	require.NoError(t, after.Commit(t.Context()))
	require.NoError(t, rolledBack.Rollback(t.Context()))
	l.requireRead(next, d)
	batch, err = events.ListAfter(t.Context(), l.Reader(), next, 1, domain.EventItemCreated)
	require.NoError(t, err)
	require.Empty(t, batch.Events)
}

// With transactions of all lengths, some ending in the opposite order, a reader that continues from its
// cursor gets every event once, in the order in which later readers get them.
func TestAReaderMissesNothing(t *testing.T) {
	t.Parallel()
	const writers, transactions = 8, 40
	l := newLedger(t)
	var done sync.WaitGroup
	for range writers {
		conn := l.connect(l.url)
		done.Go(func() {
			for range transactions {
				l.write(conn)
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		done.Wait()
		close(finished)
	}()
	var got []uuid.UUID
	after, ended := domain.EventCursor{}, false
	require.Eventually(t, func() bool {
		select {
		case <-finished:
			ended = true
		default:
		}
		ids, batch := l.read(after, 1+rand.IntN(7))
		got, after = append(got, ids...), batch.Next
		return ended && len(ids) == 0 && !batch.Pending
	}, time.Minute, time.Microsecond)
	all, _ := l.read(domain.EventCursor{}, 1<<20)
	require.Equal(t, all, got)
	var count int
	require.NoError(t, l.connect(l.url).QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&count))
	require.Len(t, got, count)
	require.Greater(t, count, writers*transactions/2)
}

// A transaction that waits for another's lock records after it, even if its own transaction id is lower.
func TestEventsOfOneResourceAreInTheirOrder(t *testing.T) {
	t.Parallel()
	const writers, transactions, resources = 6, 40, 3
	l := newLedger(t)
	conn := l.connect(l.url)
	_, err := conn.Exec(t.Context(), `CREATE TABLE counters AS SELECT n AS id, 0 AS count FROM generate_series(1, $1) n`, resources)
	require.NoError(t, err)
	var done sync.WaitGroup
	for range writers {
		conn := l.connect(l.url)
		done.Go(func() {
			for range transactions {
				l.count(conn, 1+rand.IntN(resources))
			}
		})
	}
	done.Wait()
	rows, err := conn.Query(t.Context(), `SELECT (details->>'id')::int, (details->>'count')::int FROM events ORDER BY era, xid, position`)
	require.NoError(t, err)
	counted := map[int]int{}
	var id, count int
	_, err = pgx.ForEachRow(rows, []any{&id, &count}, func() error {
		counted[id]++
		require.Equal(t, counted[id], count)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, rows.Err())
	require.Equal(t, writers*transactions, counted[1]+counted[2]+counted[3])
	var older int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE xid::text <> details->>'transaction'`).Scan(&older))
	require.Positive(t, older, "no transaction recorded after a later one")
}

// count increments a counter in a transaction that has written before it waits for the lock, and records that.
func (l *ledger) count(conn *pgx.Conn, id int) {
	ctx := l.t.Context()
	tx, err := conn.Begin(ctx)
	if !assertNoError(l.t, err) {
		return
	}
	var own string
	assertNoError(l.t, tx.QueryRow(ctx, `SELECT pg_current_xact_id()::text FROM pg_sleep($1)`, rand.Float64()*0.002).Scan(&own))
	_, err = tx.Exec(ctx, `SELECT FROM counters WHERE id = $1 FOR UPDATE`, id)
	assertNoError(l.t, err)
	_, err = tx.Exec(ctx, `UPDATE counters SET count = count + 1 WHERE id = $1`, id)
	assertNoError(l.t, err)
	_, err = tx.Exec(ctx, `INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at, details)
		SELECT $1, $2, 'PROCESS.CREATED', 'PROCESS', $1, $1, now(), json_build_object('id', id, 'count', count, 'transaction', $4::text)
		  FROM counters WHERE id = $3`, uuid.New(), l.tenant, id, own)
	assertNoError(l.t, err)
	assertNoError(l.t, tx.Commit(ctx))
}

// write records one to three events in a transaction that takes up to some milliseconds, and sometimes rolls it
// back.
func (l *ledger) write(conn *pgx.Conn) {
	ctx := l.t.Context()
	tx, err := conn.Begin(ctx)
	if !assertNoError(l.t, err) {
		return
	}
	for range 1 + rand.IntN(3) {
		_, err = tx.Exec(ctx, recordByHand, uuid.New(), l.tenant, time.Now())
		assertNoError(l.t, err)
		_, err = tx.Exec(ctx, `SELECT pg_sleep($1)`, rand.Float64()*0.004)
		assertNoError(l.t, err)
	}
	if rand.IntN(10) == 0 {
		assertNoError(l.t, tx.Rollback(ctx))
		return
	}
	assertNoError(l.t, tx.Commit(ctx))
}

// assertNoError is for goroutines other than the test's own.
func assertNoError(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// The service's role can only insert into the event log; its owner cannot change it by mistake either.
func TestTheLedgerIsAppendOnly(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	tx, id := l.record(l.connect(pgtest.AsService(t, l.url)))
	require.NoError(t, tx.Commit(t.Context()))
	conn := l.connect(pgtest.AsService(t, l.url))
	owner := l.connect(l.url)
	count := func() (n int) {
		require.NoError(t, owner.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE id = $1 AND type = 'PROCESS.CREATED'`, id).Scan(&n))
		return n
	}
	changes := []string{
		`UPDATE events SET type = 'OTHER'`,
		`UPDATE events_1 SET type = 'OTHER'`,
		`DELETE FROM events`,
		`DELETE FROM events_1`,
		`TRUNCATE events_1`,
		`DELETE FROM events WHERE false`,
		`TRUNCATE events`,
		`INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
			SELECT id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at FROM events
			ON CONFLICT (era, xid, position) DO UPDATE SET type = 'OTHER'`,
		`MERGE INTO events e USING events o ON e.id = o.id WHEN MATCHED THEN DELETE`,
	}
	schema := []string{
		`ALTER TABLE events DISABLE TRIGGER keep_events`,
		`DROP TRIGGER keep_events ON events`,
		`DROP TABLE events`,
		`CREATE TRIGGER t BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION keep_events()`,
		`CREATE RULE r AS ON INSERT TO events DO INSTEAD NOTHING`,
		`CREATE OR REPLACE FUNCTION keep_events() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
		`SELECT remove_old_events(gen_random_uuid(), '2020-01-01', 1)`,
		`SELECT begin_event_era()`,
		`SELECT begin_event_partition()`,
		`SELECT make_event_partition(9)`,
		`SELECT drop_event_partition('2020-01-01')`,
		`SELECT FROM events_1`,
		`DROP TABLE events_1`,
		`ALTER TABLE events DETACH PARTITION events_1`,
		`DELETE FROM event_partitions`,
		`UPDATE event_ledger SET era = 2`,
		`INSERT INTO event_ledger VALUES (2, false)`,
		`DELETE FROM goose_db_version`,
		`SET session_replication_role = replica`,
	}
	for _, sql := range append(append([]string{}, changes...), schema...) {
		requireDenied(t, conn, sql)
	}
	// The setting that the trigger checks does not replace the privilege.
	as, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = as.Exec(t.Context(), `SELECT set_config('procession.removing_events', pg_current_xact_id()::text, true)`)
	require.NoError(t, err)
	_, err = as.Exec(t.Context(), `DELETE FROM events`)
	require.ErrorContains(t, err, "permission denied")
	require.NoError(t, as.Rollback(t.Context()))
	for _, sql := range changes {
		requireDenied(t, owner, sql)
	}
	require.Equal(t, 1, count())
}

func requireDenied(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr, sql)
	require.Equal(t, "42501", pgErr.Code, "%s: %s", sql, pgErr.Message)
}

// A database that is restored in another cluster has events with transaction ids that are yet to come there.
func TestALedgerFromAnotherClusterBeginsAnEra(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	restored := uuid.New()
	_, err := conn.Exec(t.Context(), `INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at, xid)
		VALUES ($1, $2, 'PROCESS.CREATED', 'PROCESS', $1, $1, now(), '900000000000')`, restored, l.tenant)
	require.NoError(t, err)
	migrated, err := l.Migrated(t.Context())
	require.NoError(t, err)
	require.False(t, migrated)
	for range 2 {
		require.NoError(t, l.Migrate(t.Context()))
	}
	migrated, err = l.Migrated(t.Context())
	require.NoError(t, err)
	require.True(t, migrated)

	tx, added := l.record(conn)
	require.NoError(t, tx.Commit(t.Context()))
	next := l.requireRead(domain.EventCursor{}, restored, added)
	require.EqualValues(t, 2, next.Era)
	// A reader that had read to the end before gets the new events.
	l.requireRead(domain.EventCursor{Era: 1, Transaction: 900000000000, Position: 1 << 40}, added)
}
