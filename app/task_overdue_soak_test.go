package app_test

import (
	"flag"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// openTasks is the number of open tasks next to which the due queue is read.
var openTasks = flag.Int("open-tasks", 20_000, "open tasks of TestDueQueueReadsWhatIsDue")

// seedOpenTasks copies the task $1 as $2 open tasks that are due in more than a year.
const seedOpenTasks = `
WITH made AS (
    INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version, item_definition_code,
                               task_state, created_by, created_at, last_modified_by, last_modified_at)
    SELECT gen_random_uuid(), i.tenant_id, i.process_id, i.process_definition_id, i.type, i.item_definition_id, i.item_version,
           i.item_definition_code, 'READY', i.created_by, i.created_at, i.last_modified_by, i.last_modified_at
      FROM process_items i, generate_series(1, $2) WHERE i.id = $1
    RETURNING id, tenant_id, item_definition_id)
INSERT INTO task_times (item_id, tenant_id, item_definition_id, due_at, priority, open, next_at)
SELECT m.id, m.tenant_id, m.item_definition_id, t.at, 2, true, t.at
  FROM made m, LATERAL (SELECT now() + interval '400 days' + random() * interval '100 days' AS at) t`

// The cost of a round of the due queue depends on the tasks that are due, not on the open ones.
func TestDueQueueReadsWhatIsDue(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	f := &deadlineFixture{t: t, url: url, Tenant: enginetest.Seed(t, db, "tenant", "Loan"), clocks: []time.Time{time.Now().UTC().Truncate(time.Microsecond)}}
	serve := func(db *persistence.DB) *app.Service {
		store := storage.New(storage.Options{DB: db, Clock: func() time.Time { return f.clocks[0] }})
		return app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	}
	f.replicas = []*app.Service{serve(db)}
	const due = 10
	tasks := f.newTasks(due, f.clocks[0].Add(time.Hour))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), seedOpenTasks, tasks[0].ID, *openTasks)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "ANALYZE task_times, process_items")
	require.NoError(t, err)
	rows := func() (n int64) {
		_, err := conn.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()")
		require.NoError(t, err)
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))
			FROM pg_stat_user_tables WHERE relname IN ('task_times', 'process_items')`).Scan(&n))
		return n
	}
	// Connections report their reads some time after they end.
	settled := func() (n int64) {
		require.Eventually(t, func() bool {
			before := n
			n = rows()
			return n == before
		}, time.Minute, 2*time.Second)
		return n
	}
	round := func(want int) (read int64) {
		before := settled()
		measured := pgtest.Open(t, url)
		service := serve(measured)
		const rounds = 20
		began := time.Now()
		handled := 0
		for range rounds {
			n, _, err := service.HandleDeadlines(t.Context())
			require.NoError(t, err)
			handled += n
		}
		t.Logf("%d open tasks, %d due: %v a round", *openTasks, want, time.Since(began)/rounds)
		require.Equal(t, want, handled)
		measured.Close()
		return settled() - before
	}
	db.Close()
	// The reads of the preparation may be reported late.
	const few = 500
	require.Less(t, round(0), int64(few))
	f.clocks[0] = f.clocks[0].Add(2 * time.Hour)
	require.Less(t, round(due), int64(few))
}
