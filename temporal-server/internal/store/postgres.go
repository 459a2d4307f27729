package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/iancoleman/strcase"
	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql/driver"

	"github.com/procession-dev/procession/temporal-server/access/pgstore"
	"github.com/procession-dev/procession/temporal-server/internal/options"
)

const (
	// ownerLock is the advisory lock that a running server holds on its main database ("processn" in ASCII).
	ownerLock = 0x70726f636573736e

	// ownerWait is the time for which a starting server waits for the previous one to release the lock.
	ownerWait = 15 * time.Second

	// setupLock is held while one process of a cluster prepares the databases; others wait for it for setupWait.
	setupLock = ownerLock + 1
	setupWait = time.Minute
)

func openPostgres(ctx context.Context, opts options.Options, logger log.Logger) (*Store, error) {
	base, err := url.Parse(opts.DatabaseURL)
	if err != nil {
		return nil, errors.New("the database URL is malformed") // the parse error would quote the password
	}
	if err := createDatabases(ctx, base, opts.Database, opts.VisibilityDatabase); err != nil {
		return nil, err
	}
	release, prepared, err := lockDatabase(ctx, base, opts.Database, opts.Split())
	if err != nil {
		return nil, err
	}
	main := sqlConfig(base, opts.Database, opts.DatabaseConnections)
	visibility := sqlConfig(base, opts.VisibilityDatabase, max(2, opts.DatabaseConnections/2))
	for _, schema := range []struct {
		cfg  *config.SQL
		name string
	}{{main, mainSchema}, {visibility, visibilitySchema}} {
		if err := migrate(schema.cfg, schema.name, logger); err != nil {
			return nil, errors.Join(fmt.Errorf("migrating database %s: %w", schema.cfg.DatabaseName, err), release())
		}
	}
	if err := limitIndexes(ctx, withDatabase(base, opts.VisibilityDatabase)); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing database %s: %w", opts.VisibilityDatabase, err), release())
	}
	stores := config.Persistence{
		DefaultStore:     mainStore,
		VisibilityStore:  visibilityStore,
		NumHistoryShards: int32(opts.HistoryShards), //nolint:gosec // options allow at most 16384
		DataStores: map[string]config.DataStore{
			mainStore:       {SQL: main},
			visibilityStore: {SQL: visibility},
		},
	}
	if err := identifyCluster(ctx, opts, stores, logger); err != nil {
		return nil, errors.Join(fmt.Errorf("identifying the cluster of database %s: %w", opts.Database, err), release())
	}
	shared, err := pgstore.Open(ctx, withDatabase(base, opts.Database))
	if err == nil {
		err = prepared(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("preparing the shared tables of frontends in database %s: %w", opts.Database, err), release())
	}
	return &Store{
		Persistence: stores,
		Shared:      shared,
		release:     func() error { shared.Close(); return release() },
	}, nil
}

// createDatabases creates the missing databases, one process at a time. A role without CREATEDB can use existing ones.
func createDatabases(ctx context.Context, base *url.URL, names ...string) error {
	conn, err := pgx.Connect(ctx, base.String())
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

// lockDatabase makes this process the only server on the database, by an advisory lock
// that ends with the process. Each server assumes that it owns all history shards.
// Processes of one cluster share the lock, and prepare the database one at a time,
// until they call prepared. release releases the database.
func lockDatabase(ctx context.Context, base *url.URL, database string, split bool) (release func() error, prepared func(context.Context) error, err error) {
	conn, err := pgx.Connect(ctx, withDatabase(base, database))
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to database %s: %w", database, err)
	}
	release = func() error { return conn.Close(context.WithoutCancel(ctx)) }
	prepared = func(context.Context) error { return nil }
	lock := `SELECT pg_try_advisory_lock($1)`
	if split {
		lock = `SELECT pg_try_advisory_lock_shared($1)`
	}
	if err := tryLock(ctx, conn, lock, ownerLock, ownerWait); err != nil {
		if errors.Is(err, errLocked) {
			err = fmt.Errorf("another temporal-server uses database %s: stop it, or choose other names with --database and --visibility-database", database)
		}
		return nil, nil, errors.Join(err, release())
	}
	if split {
		if err := tryLock(ctx, conn, `SELECT pg_try_advisory_lock($1)`, setupLock, setupWait); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("waiting for another process that prepares database %s: %w", database, err), release())
		}
		prepared = func(ctx context.Context) error {
			_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, int64(setupLock))
			return err
		}
	}
	return release, prepared, nil
}

var errLocked = errors.New("the lock is held")

// tryLock repeats a statement that tries to take a lock, until wait has passed.
func tryLock(ctx context.Context, conn *pgx.Conn, sql string, key int64, wait time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	retry := time.NewTicker(200 * time.Millisecond)
	defer retry.Stop()
	for {
		var locked bool
		if err := conn.QueryRow(ctx, sql, key).Scan(&locked); err != nil {
			return fmt.Errorf("locking the database: %w", err)
		}
		if locked {
			return nil
		}
		select {
		case <-retry.C:
		case <-waiting.Done():
			return errLocked
		}
	}
}

// sqlConfig returns Temporal's configuration of one database. Connections use the whole
// URL, because Temporal's own fields cannot express unix sockets, TLS settings and
// several hosts.
func sqlConfig(base *url.URL, database string, connections int) *config.SQL {
	dsn := withDatabase(base, database)
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

func withDatabase(base *url.URL, database string) string {
	u := *base
	u.Path, u.RawPath = "/"+database, ""
	query := u.Query()
	query.Del("dbname") // it would win over the path
	query.Del("database")
	u.RawQuery = query.Encode()
	return u.String()
}
