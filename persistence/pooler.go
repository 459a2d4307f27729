package persistence

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// execModeParameter is the parameter of a URL for the way in which statements are executed.
const execModeParameter = "default_query_exec_mode"

// avoidSessions makes connections execute unnamed statements, unless the URL says otherwise: a named one is part of the
// session that it was prepared in.
func avoidSessions(config *pgxpool.Config, url string) {
	parsed, err := pgconn.ParseConfig(url)
	if err == nil && parsed.RuntimeParams[execModeParameter] == "" {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
}

// RefusedByPooler reports whether a pooler refused a connection without a direct URL.
func RefusedByPooler(err error) bool { return pg.RefusedByPooler(err) }

// perTransaction returns the statement that puts settings in force until the end of the transaction.
func perTransaction(settings map[string]string) string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		set = append(set, fmt.Sprintf("set_config('%s', '%s', true)", name, settings[name]))
	}
	return "SELECT " + strings.Join(set, ", ")
}

// Route is the way in which a DB reaches its database.
type Route struct {
	// Direct reports whether there is a direct URL.
	Direct bool
	// Shared reports whether connections share sessions of the database, as those through a pooler in transaction mode
	// do, and DirectShared whether direct ones do.
	Shared, DirectShared bool
	// Apart reports whether the direct URL leads to another database.
	Apart bool
}

// Route finds out how connections reach the database.
func (db *DB) Route(ctx context.Context) (Route, error) {
	pooled := db.pool.Config().ConnConfig
	route := Route{Direct: db.pool.opening != ""}
	var here, there string
	var err error
	if route.Shared, here, err = probeSharing(ctx, pooled); err == nil && route.Direct {
		route.DirectShared, there, err = probeSharing(ctx, db.pools.direct)
		route.Apart = here != there
	}
	return route, pg.Translate("looking at connections", err)
}

const identifySession = `
SELECT pg_backend_pid(), concat_ws(' ', pg_postmaster_start_time(), d.oid)
  FROM pg_database d
 WHERE d.datname = current_database()`

// probeSharing reports whether two connections with the configuration are given the same session, or one of them two, and names
// the database.
func probeSharing(ctx context.Context, config *pgx.ConnConfig) (found bool, database string, err error) {
	// Others may take the session that would be given a second time.
	const rounds = 5
	var conns [2]*pgx.Conn
	for i := range conns {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return false, "", err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		conns[i] = conn
	}
	var sessions [2]uint32
	for range rounds {
		for i, conn := range conns {
			before := sessions[i]
			if err := conn.QueryRow(ctx, identifySession, pgx.QueryExecModeSimpleProtocol).Scan(&sessions[i], &database); err != nil {
				return false, "", err
			}
			found = found || before != 0 && before != sessions[i]
		}
		found = found || sessions[0] == sessions[1]
	}
	return found, database, nil
}
