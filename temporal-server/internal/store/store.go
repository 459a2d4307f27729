// Package store prepares Temporal's databases and returns their configuration for the server.
package store

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/access/cassandrastore"
	"github.com/procession-dev/procession/temporal-server/access/pgstore"
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

	closers []func() error // run in reverse order
}

// Open opens the stores of opts. With the main store in PostgreSQL it creates and updates databases there if opts permit it. It returns an error that
// names the command if another store is missing or older, and an error if a store cannot be reached, or if another server uses it. The
// caller must close the store after the server has stopped.
func Open(ctx context.Context, opts options.Options, logger log.Logger) (_ *Store, err error) {
	if opts.Store == options.StoreSQLite {
		return openSQLite(), nil
	}
	s := &stores{opts: opts, logger: logger}
	if err := s.configure(); err != nil {
		return nil, err
	}
	opened := &Store{Persistence: s.persistence}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("preparing the stores: %w", err), opened.Close())
		}
	}()
	updates := opts.UpdateSchema && opts.Store == options.StorePostgres
	databases, others := s.parts()
	if updates {
		err = errors.Join(s.verifySchemas(ctx, others), s.createDatabases(ctx))
	} else {
		err = s.verifySchemas(ctx, append(databases, others...))
	}
	if err != nil {
		return nil, err
	}
	unlock := func() error { return nil }
	if opts.Store == options.StorePostgres {
		release, prepared, err := lockDatabase(ctx, s.base, opts.Database, opts.Split(), updates)
		if err != nil {
			return nil, err
		}
		opened.onClose(release)
		unlock = func() error { return prepared(ctx) }
	}
	if updates {
		err = s.updateSchemas(ctx, databases, func(string) {})
	}
	if err == nil {
		err = identifyCluster(ctx, opts, s.persistence, updates, logger)
	}
	if err == nil {
		err = s.openShared(ctx, opened)
	}
	if err == nil {
		err = unlock()
	}
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// openShared opens the store of the access rules, which is in the main store.
func (s *stores) openShared(ctx context.Context, opened *Store) error {
	if s.opts.Store == options.StorePostgres {
		shared, err := pgstore.Open(ctx, withDatabase(s.base, s.opts.Database))
		if err != nil {
			return fmt.Errorf("opening the shared tables of frontends in database %s: %w", s.opts.Database, err)
		}
		opened.Shared = shared
		opened.onClose(func() error { shared.Close(); return nil })
		return nil
	}
	session, err := s.connectCassandra(s.opts.Cassandra.Keyspace)
	if err != nil {
		return err
	}
	opened.Shared = cassandrastore.New(session)
	opened.onClose(func() error { session.Close(); return nil })
	return nil
}

func (s *Store) onClose(closer func() error) { s.closers = append(s.closers, closer) }

// Close releases the databases for other servers.
func (s *Store) Close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(errs...)
}
