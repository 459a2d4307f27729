package store

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/iancoleman/strcase"
	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql/driver"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// abandonedTransaction is the time after which a transaction of a host that is paused or cut off ends: its locks keep the others from
// the workflows of the host.
const abandonedTransaction = 5 * time.Second

// createDatabases creates the missing databases in PostgreSQL, one process at a time. A role without CREATEDB can use existing ones.
func (s *stores) createDatabases(ctx context.Context) error {
	var names []string
	if s.opts.Store == options.StorePostgres {
		names = append(names, s.opts.Database)
	}
	if s.opts.Visibility == options.StorePostgres {
		names = append(names, s.opts.VisibilityDatabase)
	}
	if len(names) == 0 {
		return nil
	}
	conn, err := pgx.Connect(ctx, s.base.String())
	if err != nil {
		return fmt.Errorf("connecting with --database-url: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	// The end of the connection releases the lock.
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('databases of temporal-server', 0))`); err != nil {
		return fmt.Errorf("waiting for other processes: %w", err)
	}
	for _, name := range names {
		var exists bool
		err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&exists)
		if err != nil {
			return fmt.Errorf("looking for database %s: %w", name, err)
		}
		if exists {
			continue
		}
		_, err = conn.Exec(ctx, `CREATE DATABASE `+pgx.Identifier{name}.Sanitize())
		if err != nil {
			return fmt.Errorf("creating database %s: %w", name, err)
		}
	}
	return nil
}

// sqlConfig returns Temporal's configuration of one database. Connections use the whole
// URL, because Temporal's own fields cannot express unix sockets, TLS settings and
// several hosts.
func sqlConfig(base *url.URL, database string, connections int) *config.SQL {
	dsn := withDatabase(limitTransactions(base), database)
	return &config.SQL{
		PluginName:   postgresql.PluginNamePGX,
		DatabaseName: database,
		Connect: func(*config.SQL) (*sqlx.DB, error) {
			db, err := (&driver.PGXDriver{}).CreateConnection(dsn)
			if err != nil {
				return nil, fmt.Errorf("connecting to database %s: %w", database, err)
			}
			db.SetMaxOpenConns(connections)
			db.SetMaxIdleConns(connections)
			db.SetConnMaxIdleTime(time.Minute)
			db.MapperFunc(strcase.ToSnake) // Temporal's rows carry no db tags
			return db, nil
		},
	}
}

// limitTransactions returns a URL of connections that end idle transactions after abandonedTransaction, unless the URL has another limit.
func limitTransactions(base *url.URL) *url.URL {
	const limit = "idle_in_transaction_session_timeout"
	u := *base
	query := u.Query()
	if !query.Has(limit) {
		query.Set(limit, strconv.FormatInt(abandonedTransaction.Milliseconds(), 10))
	}
	u.RawQuery = query.Encode()
	return &u
}

func withDatabase(base *url.URL, database string) string {
	u := *base
	u.Path, u.RawPath = "/"+database, ""
	query := u.Query()
	query.Del("dbname") // it would win over the path
	query.Del("database")
	u.RawQuery = query.Encode()
	return u.String()
}
