package persistence_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Pages of counts have room for new versions of rows, so that updates write no index.
func TestCountsAreUpdatedInPlace(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	_, err := conn.Exec(t.Context(), `
INSERT INTO item_counts (tenant_id, process_definition_id, process_version, type, n)
SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'TASK', i FROM generate_series(1, 2000) i`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE item_counts SET n = n + 1 WHERE n % 5 = 0`)
	require.NoError(t, err)
	var updated, inPlace int
	require.Eventually(t, func() bool {
		_, err := conn.Exec(t.Context(), `SELECT pg_stat_force_next_flush(); SELECT pg_stat_clear_snapshot()`)
		require.NoError(t, err)
		require.NoError(t, conn.QueryRow(t.Context(),
			`SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'item_counts'`).Scan(&updated, &inPlace))
		return updated == 400
	}, 10*time.Second, 10*time.Millisecond)
	require.GreaterOrEqual(t, inPlace, 390)
}

// Autovacuum of the tables that are written most counts rows.
func TestAutovacuumCountsRows(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.URL(t))
	require.Subset(t, collect(t, conn, `
SELECT relname::text FROM pg_class WHERE relkind = 'r' AND EXISTS (
       SELECT 1 FROM unnest(reloptions) o WHERE o LIKE 'autovacuum_vacuum_scale_factor=%')`), []string{
		"counted_until", "engine_commands", "engine_runs", "engine_watermarks", "item_counts", "process_counts", "process_items",
		"processes", "webhook_cursor", "webhook_deliveries", "webhook_endpoints",
	})
}
