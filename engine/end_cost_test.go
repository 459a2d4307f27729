package engine_test

import (
	"flag"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

var visibilityRows = flag.Int("visibility-rows", 2000, "open and kept workflows in Temporal, for the cost of looks")

// The rows read by a scan do not depend on the number of open or kept workflows.
func TestListsOfEndsReadLittle(t *testing.T) {
	t.Parallel()
	databases := pgtest.URL(t)
	stack := enginetest.New(t, pgtest.Open(t, databases))
	stack.Database = databases
	stack.Start()
	e := stack.Engine()
	require.NoError(t, e.EnsureNamespace(t.Context(), namespace))
	described, err := stack.Client(namespace).WorkflowService().DescribeNamespace(t.Context(),
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	require.NoError(t, err)

	at, err := url.Parse(databases)
	require.NoError(t, err)
	at.Path = "/temporal_visibility"
	conn, err := pgx.Connect(t.Context(), at.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	seedVisibility(t, conn, described.GetNamespaceInfo().GetId())

	read := func() (rows int64) {
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0)
			FROM pg_stat_user_tables WHERE relname = 'executions_visibility'`).Scan(&rows))
		return rows
	}
	before, looks := read(), int64(0)
	// Counts of rows are updated at most once a second, and lists are limited to ten a
	// second.
	for began := time.Now(); time.Since(began) < 3*time.Second || read() == before; looks++ {
		var found []engine.Closed
		for _, kind := range append(engine.OtherEnds(), engine.EndCompleted) {
			retryLimited(t, func() (err error) {
				found, _, err = e.ListClosed(t.Context(), namespace, kind, nil)
				return err
			})
		}
		require.Len(t, found, 50)
		retryLimited(t, func() error {
			running, err := e.ListRunning(t.Context(), namespace, []string{"open-1", "open-2", "kept-1"})
			require.True(t, err != nil || len(running) == 2)
			return err
		})
	}
	perLook := (read() - before) / looks
	t.Logf("%d rows read per look, of %d open and %d kept workflows", perLook, *visibilityRows, *visibilityRows)
	require.Less(t, perLook, int64(1000))
}

// retryLimited calls f until it is within Temporal's limits.
func retryLimited(t *testing.T, f func() error) {
	t.Helper()
	require.Eventually(t, func() bool {
		err := f()
		require.True(t, err == nil || engine.RateLimited(err), "%v", err)
		return err == nil
	}, 10*time.Second, 50*time.Millisecond)
}

// seedVisibility inserts open and ended workflows. Many are inserted without the
// indexes of attributes that they do not have.
func seedVisibility(t *testing.T, conn *pgx.Conn, namespaceID string) {
	t.Helper()
	if *visibilityRows > 100_000 {
		_, err := conn.Exec(t.Context(), `DO $$ DECLARE i text; BEGIN
			FOR i IN SELECT indexname FROM pg_indexes WHERE tablename = 'executions_visibility'
				AND indexname NOT IN ('default_idx', 'by_status', 'by_workflow_id', 'by_temporal_namespace_division')
				AND indexname NOT LIKE '%pkey' LOOP
				EXECUTE 'DROP INDEX ' || quote_ident(i);
			END LOOP; END $$`)
		require.NoError(t, err)
	}
	for kind, ended := range map[string]string{"open": "NULL", "kept": "now() AT TIME ZONE 'UTC' - n * interval '10 ms'"} {
		status := map[string]int{"open": 1, "kept": 2}[kind]
		_, err := conn.Exec(t.Context(), `INSERT INTO executions_visibility (namespace_id, run_id, start_time, execution_time,
				workflow_id, workflow_type_name, status, close_time, history_length, encoding, task_queue)
			SELECT $1, gen_random_uuid()::text, now() AT TIME ZONE 'UTC' - interval '1 day', now() AT TIME ZONE 'UTC' - interval '1 day',
			       $2::text || '-' || n, 'loan', $3, `+ended+`, 10, 'Proto3', 'loans'
			  FROM generate_series(1, $4::int) n`, namespaceID, kind, status, *visibilityRows)
		require.NoError(t, err)
	}
	_, err := conn.Exec(t.Context(), `VACUUM ANALYZE executions_visibility`)
	require.NoError(t, err)
}
