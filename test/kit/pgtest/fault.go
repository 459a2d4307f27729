package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Fault is a state in which a database refuses changes.
type Fault struct {
	// Begin and End are statements. After them all other sessions are terminated if Sessions is set.
	Begin, End []string
	Sessions   bool
}

// ReadOnly returns the fault of a database that was made read-only, as a demoted primary is.
func ReadOnly() Fault {
	return Fault{
		Begin: []string{`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`},
		End: []string{
			`SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE`,
			`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$`,
		},
		Sessions: true,
	}
}

// DiskFull returns the fault of a full disk: changes of tables fail as PostgreSQL reports it.
func DiskFull() Fault {
	const tables = `FOR place IN SELECT c.oid::regclass FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition LOOP`
	return Fault{
		Begin: []string{
			`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				RAISE EXCEPTION 'could not extend file "base/1/1": No space left on device' USING ERRCODE = '53100'; END $$`,
			`DO $$ DECLARE place regclass; BEGIN ` + tables + `
				EXECUTE format('CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION disk_full()', place);
			END LOOP; END $$`,
			`CREATE FUNCTION disk_full_table() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
				RAISE EXCEPTION 'could not create file "base/1/1": No space left on device' USING ERRCODE = '53100'; END $$`,
			`CREATE EVENT TRIGGER disk_full ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION disk_full_table()`,
		},
		End: []string{`DROP FUNCTION disk_full CASCADE`, `DROP FUNCTION disk_full_table CASCADE`},
	}
}

// Apply begins the fault in the database at url, and returns the function that ends it.
func (f Fault) Apply(tb testing.TB, url string) (end func()) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	run := func(statements []string) {
		for _, sql := range statements {
			_, err := conn.Exec(context.Background(), sql)
			require.NoError(tb, err)
		}
	}
	run(f.Begin)
	if f.Sessions {
		run([]string{`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`})
	}
	return func() { run(f.End) }
}
