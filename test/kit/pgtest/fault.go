package pgtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// Fault is a state in which a database refuses changes.
type Fault struct {
	// Begin and End are statements, where %s is the name of the database. All other sessions are terminated after Begin if Sessions is set.
	Begin, End []string
	Sessions   bool
	// outside faults are begun from another database.
	outside bool
}

// Down returns the fault of a database that accepts no connections.
func Down() Fault {
	return Fault{
		Begin: []string{`ALTER DATABASE %s ALLOW_CONNECTIONS false`}, End: []string{`ALTER DATABASE %s ALLOW_CONNECTIONS true`},
		Sessions: true, outside: true,
	}
}

// ReadOnly returns the fault of a database that was made read-only, as a demoted primary is.
func ReadOnly() Fault {
	return Fault{
		Begin: []string{`ALTER DATABASE %s SET default_transaction_read_only = on`},
		End: []string{
			`SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE`,
			`ALTER DATABASE %s RESET default_transaction_read_only`,
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
	config, err := pgx.ParseConfig(url)
	require.NoError(tb, err)
	name := config.Database
	if f.outside {
		config.Database = "postgres"
	}
	conn, err := pgx.ConnectConfig(tb.Context(), config)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	run := func(statements []string) {
		for _, sql := range statements {
			sql = strings.ReplaceAll(sql, "DATABASE %s", "DATABASE "+pgx.Identifier{name}.Sanitize())
			_, err := conn.Exec(context.Background(), sql)
			// It locks many tables that others are writing to.
			for isDeadlock(err) {
				_, err = conn.Exec(context.Background(), sql)
			}
			require.NoError(tb, err)
		}
	}
	run(f.Begin)
	if f.Sessions {
		_, err := conn.Exec(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`, name)
		require.NoError(tb, err)
	}
	return func() { run(f.End) }
}

func isDeadlock(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && failure.Code == "40P01"
}
