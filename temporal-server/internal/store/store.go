// Package store prepares Temporal's database and returns its configuration for the server.
package store

import (
	"context"
	"fmt"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/internal/options"
)

const (
	mainStore       = "main"
	visibilityStore = "visibility"
)

// Store is a prepared database. It has the schema of this build of Temporal.
type Store struct {
	// Persistence is the server's configuration for the database.
	Persistence config.Persistence

	// Shared is the store of the access rules, which the frontends of the cluster share.
	Shared access.Store

	release func() error
}

// Open prepares the database of opts. It returns an error if the database cannot be reached or changed, or if another server uses it. The
// caller must close the store after the server has stopped.
func Open(ctx context.Context, opts options.Options, logger log.Logger) (*Store, error) {
	if opts.Store == options.StorePostgres {
		store, err := openPostgres(ctx, opts, logger)
		if err != nil {
			return nil, fmt.Errorf("preparing the PostgreSQL store: %w", err)
		}
		return store, nil
	}
	return openSQLite(), nil
}

// Close releases the database for other servers.
func (s *Store) Close() error {
	if s.release == nil {
		return nil
	}
	return s.release()
}
