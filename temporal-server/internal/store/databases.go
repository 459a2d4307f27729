package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/server/common/config"
	postgresql "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/tools/sql"

	"github.com/procession-dev/procession/temporal-server/access/pgstore"
)

const (
	// Names of the schemas that Temporal's module embeds.
	mainSchema       = "postgresql/v12/temporal"
	visibilitySchema = "postgresql/v12/visibility"

	// rulesVersion is the version of the tables of the access rules.
	rulesVersion = "1.0"

	missingDatabase = "3D000"
	missingTable    = "42P01"
)

// database is a database of Temporal in PostgreSQL.
type database struct {
	stores *stores
	cfg    *config.SQL
	schema string
	// version of the schema for this build
	version string
	// finish runs after each update.
	finish func(ctx context.Context, url string) error
}

func (s *stores) mainDatabase() *database {
	return &database{
		stores: s, cfg: s.persistence.DataStores[mainStore].SQL, schema: mainSchema, version: postgresql.Version,
		finish: func(context.Context, string) error { return nil },
	}
}

func (s *stores) visibilityDatabase() *database {
	return &database{
		stores: s, cfg: s.persistence.DataStores[visibilityStore].SQL, schema: visibilitySchema, version: postgresql.VisibilityVersion,
		finish: limitIndexes,
	}
}

func (d *database) databaseURL() string   { return withDatabase(d.stores.base, d.cfg.DatabaseName) }
func (d *database) targetVersion() string { return d.version }
func (d *database) partName() string {
	return "database " + d.cfg.DatabaseName + " in PostgreSQL"
}

func (d *database) readVersion(ctx context.Context) (string, error) {
	var version string
	err := queryRow(ctx, d.databaseURL(), &version, `SELECT curr_version FROM schema_version WHERE version_partition = 0 AND db_name = $1`, d.cfg.DatabaseName)
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok && (failure.Code == missingDatabase || failure.Code == missingTable) {
		return "", nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return version, err
}

func (d *database) updatePart(ctx context.Context) error {
	conn, err := sql.NewConnection(d.cfg, d.stores.logger)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close()
	if err := applySchema(conn, d.schema, d.stores.logger); err != nil {
		return err
	}
	return d.finish(ctx, d.databaseURL())
}

// postgresRules are the tables of the access rules in the main database.
type postgresRules struct{ stores *stores }

func (r *postgresRules) targetVersion() string { return rulesVersion }
func (r *postgresRules) databaseURL() string {
	return withDatabase(r.stores.base, r.stores.opts.Database)
}

func (r *postgresRules) partName() string {
	return "access rules in database " + r.stores.opts.Database
}

func (r *postgresRules) readVersion(ctx context.Context) (string, error) {
	var ready bool
	err := queryRow(ctx, r.databaseURL(), &ready,
		`SELECT to_regclass($1::text || '.seal_key') IS NOT NULL AND to_regclass($1::text || '.queue_owner') IS NOT NULL`, pgstore.Schema)
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok && failure.Code == missingDatabase {
		return "", nil
	}
	if err != nil || !ready {
		return "", err
	}
	return rulesVersion, nil
}

func (r *postgresRules) updatePart(ctx context.Context) error {
	tables, err := pgstore.Open(ctx, r.databaseURL())
	if err != nil {
		return err
	}
	tables.Close()
	return nil
}

// queryRow reads one value from the database at a URL.
func queryRow(ctx context.Context, url string, value any, sql string, args ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return conn.QueryRow(ctx, sql, args...).Scan(value)
}
