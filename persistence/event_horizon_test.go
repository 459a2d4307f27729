package persistence_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Only transactions that have recorded events in this database delay later events.
func TestTransactionsWithoutEventsDelayNone(t *testing.T) {
	t.Parallel()
	const unsettled = 5 * time.Second
	for name, c := range map[string]struct {
		elsewhere bool
		sql       []string
		ends      string
	}{
		"of another database":        {elsewhere: true, sql: []string{`BEGIN`, `CREATE TABLE foreign_rows (id int)`}},
		"with events of another one": {elsewhere: true, sql: []string{`BEGIN`, recordAny}},
		"prepared in another one":    {elsewhere: true, sql: []string{`BEGIN`, recordAny, `PREPARE TRANSACTION '%s'`}, ends: `ROLLBACK PREPARED '%s'`},
		"idle":                       {sql: []string{`BEGIN`, `SELECT pg_current_xact_id()`}},
		"in a subtransaction":        {sql: []string{`BEGIN`, `SAVEPOINT a`, `CREATE TEMP TABLE rows (id int)`, `SAVEPOINT b`, `SELECT pg_current_xact_id()`}},
		"on a table of another application": {
			sql: []string{`CREATE TABLE foreign_rows (id int)`, `BEGIN`, `INSERT INTO foreign_rows VALUES (1)`},
		},
		"on a table of the service": {sql: []string{`BEGIN`, `UPDATE webhook_cursor SET position = position`}},
		"with events rolled back":   {sql: []string{`BEGIN`, `SELECT pg_current_xact_id()`, `SAVEPOINT a`, recordAny, `ROLLBACK TO a`}},
		"with a shared lock of its own": {sql: []string{
			`BEGIN`, `SELECT pg_current_xact_id(), pg_advisory_xact_lock_shared(1701209710), pg_advisory_xact_lock(5, 1)`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			url := l.url
			if c.elsewhere {
				url = pgtest.URL(t)
			}
			foreign, id := l.connect(url), uuid.NewString()
			for _, sql := range c.sql {
				_, err := foreign.Exec(t.Context(), strings.ReplaceAll(sql, "%s", id))
				require.NoError(t, err)
			}
			var want []uuid.UUID
			after := domain.EventCursor{}
			for range 3 {
				tx, id := l.record(l.connect(l.url))
				require.NoError(t, tx.Commit(t.Context()))
				want = append(want, id)
				var batch events.Batch
				require.Eventually(t, func() bool {
					_, batch = l.read(after, 10)
					return len(batch.Events) == 1 && !batch.Pending
				}, unsettled, time.Millisecond)
				after = batch.Next
			}
			// A transaction of the server that ends during a read holds back the last events of that read.
			var ids []uuid.UUID
			require.Eventually(t, func() bool {
				ids, _ = l.read(domain.EventCursor{}, 10)
				return len(ids) >= len(want)
			}, unsettled, time.Millisecond)
			require.Equal(t, want, ids)
			if c.ends != "" {
				_, err := foreign.Exec(t.Context(), strings.ReplaceAll(c.ends, "%s", id))
				require.NoError(t, err)
			}
		})
	}
}

const recordAny = `INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
VALUES (gen_random_uuid(), gen_random_uuid(), 'PROCESS.CREATED', 'PROCESS', gen_random_uuid(), gen_random_uuid(), now())`

// A prepared transaction is no session, and holds the horizon like any other writer.
func TestPreparedWritersHoldTheHorizon(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn, name := l.connect(l.url), uuid.NewString()
	for _, sql := range []string{`BEGIN`, recordAny, `PREPARE TRANSACTION '` + name + `'`} {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	tx, _ := l.record(conn)
	require.NoError(t, tx.Commit(t.Context()))
	ids, batch := l.read(domain.EventCursor{}, 10)
	require.Empty(t, ids)
	require.True(t, batch.Pending)
	h, err := events.ReadHorizon(t.Context(), l.Reader())
	require.NoError(t, err)
	require.Equal(t, name, h.Oldest.Application)
	require.Zero(t, h.Oldest.PID)
	require.Positive(t, h.Oldest.Age)
	_, err = conn.Exec(t.Context(), `COMMIT PREPARED '`+name+`'`)
	require.NoError(t, err)
	ids, _ = l.read(domain.EventCursor{}, 10)
	require.Len(t, ids, 2)
}

func TestReadHorizon(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	h, err := events.ReadHorizon(t.Context(), l.Reader())
	require.NoError(t, err)
	require.Equal(t, events.Horizon{}, h)
	conn := l.connect(l.url + "&application_name=import")
	first, _ := l.record(conn)
	second, _ := l.record(l.connect(l.url))
	require.NoError(t, second.Commit(t.Context()))
	// The service may not read the activity of other roles.
	for _, url := range []string{l.url, pgtest.AsService(t, l.url)} {
		h, err = events.ReadHorizon(t.Context(), pgtest.Open(t, url).Reader())
		require.NoError(t, err)
		require.Positive(t, h.Lag)
		require.Equal(t, "import", h.Oldest.Application)
		require.Equal(t, int32(conn.PgConn().PID()), h.Oldest.PID)
		require.Equal(t, url == l.url, h.Oldest.Age > 0)
	}
	require.NoError(t, first.Rollback(t.Context()))
	require.Eventually(t, func() bool {
		h, err = events.ReadHorizon(t.Context(), l.Reader())
		return err == nil && h == events.Horizon{}
	}, time.Minute, time.Millisecond)
}

// Later isolation levels have no snapshot after the lock of the writer.
func TestEventsAreRecordedInReadCommitted(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	_, err := l.connect(l.url).Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ; `+recordAny)
	require.ErrorContains(t, err, "READ COMMITTED")
}

// Backends of writers are killed, the whole server too, while foreign transactions begin and end: a reader gets every committed
// event once, in the order in which later readers get them.
func TestAReaderMissesNothingWhileServersAreKilled(t *testing.T) {
	t.Parallel()
	const writers, crashes = 6, 4
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-horizon-") //nolint:usetesting // PostgreSQL may run as another user
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: dir, Fast: true, CacheDir: pgcluster.CacheDir(), Settings: []string{"restart_after_crash=on", "synchronous_commit=on"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Stop(context.WithoutCancel(t.Context())) })
	db := pgtest.OpenWithin(t, cluster.URL("postgres"), persistence.Limits{Requests: 2})
	require.NoError(t, db.Migrate(t.Context()))
	l := &ledger{DB: db, t: t, url: cluster.URL("postgres"), tenant: uuid.New()}

	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	for i := range writers + 2 {
		database := "postgres"
		if i >= writers {
			database = "template1"
		}
		done.Go(func() { writeUnderKills(ctx, cluster.URL(database), l.tenant, i < writers) })
	}
	got, after := []uuid.UUID{}, domain.EventCursor{}
	read := func() bool {
		batch, err := events.ListAfter(t.Context(), db.Reader(), after, 1+rand.IntN(20), domain.EventProcessCreated)
		if err != nil {
			return false
		}
		for _, e := range batch.Events {
			got = append(got, e.ID)
		}
		after = batch.Next
		return len(batch.Events) == 0 && !batch.Pending
	}
	for i := range crashes * 5 {
		until := len(got) + 40
		require.Eventually(t, func() bool { read(); return len(got) >= until }, time.Minute, time.Microsecond)
		killWriter(t, l.url, i%5 == 4)
	}
	stop()
	done.Wait()
	require.Eventually(t, read, time.Minute, time.Millisecond)
	var all []uuid.UUID
	require.Eventually(t, func() bool { // The pool may have another connection to the server before the last crash.
		batch, err := events.ListAfter(t.Context(), db.Reader(), domain.EventCursor{}, 1<<20, domain.EventProcessCreated)
		for _, e := range batch.Events {
			all = append(all, e.ID)
		}
		return err == nil
	}, time.Minute, time.Millisecond)
	require.Equal(t, all, got)
	var count int
	require.NoError(t, l.connect(l.url).QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&count))
	require.Len(t, got, count)
	slices.SortFunc(got, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	require.Len(t, slices.Compact(got), count)
}

// writeUnderKills runs transactions, with events or without, until ctx ends, and connects again whenever the connection breaks.
func writeUnderKills(ctx context.Context, url string, tenant uuid.UUID, withEvents bool) {
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			continue
		}
		for err == nil && ctx.Err() == nil {
			batch := &pgx.Batch{}
			batch.Queue(`SELECT pg_current_xact_id() FROM pg_sleep($1)`, rand.Float64()*0.003)
			if withEvents {
				for range 1 + rand.IntN(3) {
					batch.Queue(recordByHand, uuid.New(), tenant, time.Now())
				}
			}
			batch.Queue(`SELECT pg_sleep($1)`, rand.Float64()*0.003)
			err = conn.SendBatch(ctx, batch).Close()
			if rand.IntN(40) == 0 {
				// The client is gone without a word.
				_ = conn.PgConn().Conn().Close()
				break
			}
		}
		_ = conn.Close(context.WithoutCancel(ctx))
	}
}

// killWriter terminates the session of a writer at random, or kills its process, after which the server recovers.
func killWriter(t *testing.T, url string, crash bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		var pid int
		err = conn.QueryRow(t.Context(), `SELECT pid FROM event_writers WHERE pid <> pg_backend_pid() ORDER BY random() LIMIT 1`).Scan(&pid)
		if err != nil {
			return false
		}
		if crash {
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
		_, err = conn.Exec(t.Context(), `SELECT pg_terminate_backend($1)`, pid)
		return err == nil
	}, time.Minute, time.Millisecond)
}
