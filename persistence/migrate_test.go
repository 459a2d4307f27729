package persistence_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/persistence/migrations"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	require.NoError(t, db.Migrate(t.Context()))
	migrated, err := db.Migrated(t.Context())
	require.NoError(t, err)
	require.True(t, migrated)
}

// A database of the migrations before the baseline gets the schema of a new one, and keeps its rows.
func TestMigrateContinuesFromTheBaseline(t *testing.T) { //nolint:paralleltest // see connectToBaseline
	url := pgtest.URL(t)
	fresh := dumpSchema(t, url)
	conn := connectToBaseline(t, url)
	_, err := conn.Exec(t.Context(), `
INSERT INTO goose_db_version (version_id, is_applied) SELECT n, true FROM generate_series(1, 48) n WHERE n NOT IN (39, 45, 47, 48)`)
	require.NoError(t, err)
	rows, err := os.ReadFile("testdata/baseline_rows.sql")
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), string(rows))
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE business_artifact_index SET text_value = 'Straße', text_folded = 'STRAßE' WHERE field = 'name'`)
	require.NoError(t, err)
	before := countRows(t, conn)
	before["principals"] += 2 // the authors of the changes of directories and sign-ins

	require.NoError(t, pgtest.Open(t, url).Migrate(t.Context()))
	requireSameSchema(t, fresh, dumpSchema(t, url))
	after := countRows(t, conn)
	for table, n := range before {
		require.Equal(t, n, after[table], table)
	}
	requireSeparateTenants(t, conn)
	var keys []string
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT array_agg(DISTINCT text_folded) FROM business_artifact_index WHERE field = 'name'`).Scan(&keys))
	require.Equal(t, []string{"STRASSE"}, keys, "texts have their new keys")
}

func TestMigrateRefusesSchemasBeforeTheBaseline(t *testing.T) { //nolint:paralleltest // see connectToBaseline
	url := pgtest.URL(t)
	conn := connectToBaseline(t, url)
	_, err := conn.Exec(t.Context(), `
INSERT INTO goose_db_version (version_id, is_applied) VALUES (1, true), (46, true); DELETE FROM goose_db_version WHERE version_id > 46`)
	require.NoError(t, err)
	db := pgtest.Open(t, url)
	require.ErrorContains(t, db.Migrate(t.Context()), "the schema is at version 46, and this build migrates databases from version 49 on: "+
		"first run procession migrate of a build that ends at version 49")
	migrated, err := db.Migrated(t.Context())
	require.NoError(t, err)
	require.False(t, migrated)
}

// connectToBaseline gives the database at url the schema of the baseline, without rows, and connects to it. The long
// transaction holds up followers of the event log in all databases of the cluster, so tests that call it run alone.
func connectToBaseline(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC`)
	require.NoError(t, err)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	provider, err := migrations.NewProvider(db)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), migrations.Baseline)
	require.NoError(t, err)
	return conn
}

// countRows returns the number of rows of each table.
func countRows(t *testing.T, conn *pgx.Conn) map[string]int {
	t.Helper()
	rows, err := conn.Query(t.Context(),
		`SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'goose_db_version'`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	counts := map[string]int{}
	for _, table := range tables {
		var n int
		require.NoError(t, conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) FROM %s`, pgx.Identifier{table}.Sanitize())).Scan(&n))
		counts[table] = n
	}
	return counts
}
