package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	driver "github.com/gocql/gocql"
	"github.com/google/uuid"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/nosql/nosqlplugin/cassandra/gocql"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/schema/cassandra"

	"github.com/procession-dev/procession/temporal-server/access/cassandrastore"
)

const (
	keyspaceSchema = "cassandra/temporal"
	systemKeyspace = "system"

	// lockTable has a row while a process prepares the keyspace.
	lockTable  = "procession_lock"
	createLock = `CREATE TABLE IF NOT EXISTS procession_lock (name text PRIMARY KEY, holder text)`
	takeLock   = `INSERT INTO procession_lock (name, holder) VALUES ('schema', ?) IF NOT EXISTS USING TTL 600`
	freeLock   = `DELETE FROM procession_lock WHERE name = 'schema' IF holder = ?`

	lockRetry = time.Second
)

// keyspace is the keyspace of Temporal in Cassandra.
type keyspace struct{ stores *stores }

func (k *keyspace) targetVersion() string { return cassandra.Version }
func (k *keyspace) partName() string {
	return "keyspace " + k.stores.opts.Cassandra.Keyspace + " in Cassandra"
}

func (k *keyspace) readVersion(context.Context) (string, error) {
	tables, err := k.stores.listTables()
	if err != nil || !slices.Contains(tables, "schema_version") {
		return "", err
	}
	session, err := k.stores.connectCassandra(k.stores.opts.Cassandra.Keyspace)
	if err != nil {
		return "", err
	}
	defer session.Close()
	version, err := (&keyspaceSchemaDB{session: session, keyspace: k.stores.opts.Cassandra.Keyspace}).ReadSchemaVersion()
	if errors.Is(err, driver.ErrNotFound) {
		return "", nil
	}
	return version, err
}

func (k *keyspace) updatePart(context.Context) error {
	session, err := k.stores.connectCassandra(k.stores.opts.Cassandra.Keyspace)
	if err != nil {
		return err
	}
	defer session.Close()
	db := &keyspaceSchemaDB{session: session, keyspace: k.stores.opts.Cassandra.Keyspace}
	return applySchema(db, keyspaceSchema, k.stores.logger)
}

// cassandraRules are the tables of the access rules in the keyspace.
type cassandraRules struct{ stores *stores }

func (r *cassandraRules) targetVersion() string { return rulesVersion }
func (r *cassandraRules) partName() string {
	return "access rules in keyspace " + r.stores.opts.Cassandra.Keyspace
}

func (r *cassandraRules) readVersion(context.Context) (string, error) {
	tables, err := r.stores.listTables()
	if err != nil {
		return "", err
	}
	for _, name := range cassandrastore.Tables() {
		if !slices.Contains(tables, name) {
			return "", nil
		}
	}
	return rulesVersion, nil
}

func (r *cassandraRules) updatePart(ctx context.Context) error {
	session, err := r.stores.connectCassandra(r.stores.opts.Cassandra.Keyspace)
	if err != nil {
		return err
	}
	defer session.Close()
	return cassandrastore.CreateTables(ctx, session)
}

// connectCassandra opens a session in a keyspace. The caller closes it.
func (s *stores) connectCassandra(name string) (gocql.Session, error) {
	cfg := *s.persistence.DataStores[mainStore].Cassandra
	cfg.Keyspace = name
	session, err := gocql.NewSession(func() (*driver.ClusterConfig, error) {
		return gocql.NewCassandraCluster(cfg, resolver.NewNoopResolver())
	}, s.logger, metrics.NoopMetricsHandler)
	if err != nil {
		return nil, fmt.Errorf("connecting to keyspace %s in Cassandra: %w", name, err)
	}
	return session, nil
}

// listTables returns the names of the tables in the keyspace, none if the keyspace does not exist.
func (s *stores) listTables() ([]string, error) {
	session, err := s.connectCassandra(systemKeyspace)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var names []string
	var name string
	iter := session.Query(`SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?`, s.opts.Cassandra.Keyspace).Iter()
	for iter.Scan(&name) {
		names = append(names, name)
	}
	if err := iter.Close(); err != nil {
		return nil, fmt.Errorf("listing the tables of keyspace %s: %w", s.opts.Cassandra.Keyspace, err)
	}
	return names, nil
}

// createKeyspace creates the keyspace and its table of locks, if they are missing.
func (s *stores) createKeyspace() error {
	tables, err := s.listTables()
	if err != nil || slices.Contains(tables, lockTable) {
		return err
	}
	session, err := s.connectCassandra(systemKeyspace)
	if err != nil {
		return err
	}
	defer session.Close()
	// The settings are checked: they contain no quotes.
	replicas := "replication_factor"
	if s.opts.Cassandra.Datacenter != "" {
		replicas = s.opts.Cassandra.Datacenter
	}
	db := &keyspaceSchemaDB{session: session, keyspace: s.opts.Cassandra.Keyspace}
	err = db.Exec(fmt.Sprintf(`CREATE KEYSPACE IF NOT EXISTS %s WITH replication = {'class': 'NetworkTopologyStrategy', '%s': %d}`,
		s.opts.Cassandra.Keyspace, replicas, s.opts.Cassandra.Replication))
	if err != nil {
		return fmt.Errorf("creating keyspace %s: %w", s.opts.Cassandra.Keyspace, err)
	}
	within, err := s.connectCassandra(s.opts.Cassandra.Keyspace)
	if err != nil {
		return err
	}
	defer within.Close()
	return (&keyspaceSchemaDB{session: within}).Exec(createLock)
}

// lockKeyspace creates the keyspace if it is missing, and makes this process the only one that prepares it, until unlock or for ten minutes.
func (s *stores) lockKeyspace(ctx context.Context) (unlock func() error, err error) {
	if err := s.createKeyspace(); err != nil { //nolint:contextcheck // Temporal's interface has none
		return nil, err
	}
	session, err := s.connectCassandra(s.opts.Cassandra.Keyspace)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // for people only
	holder := fmt.Sprintf("%s, process %d, %s", host, os.Getpid(), uuid.NewString())
	waiting, cancel := context.WithTimeout(ctx, setupWait)
	defer cancel()
	unlock = func() error {
		defer session.Close()
		_, err := session.Query(freeLock, holder).MapScanCAS(map[string]any{})
		return err
	}
	other := "" // the holder, when one was found
	for {
		found := map[string]any{}
		locked, err := session.Query(takeLock, holder).WithContext(waiting).MapScanCAS(found)
		if err == nil {
			other, _ = found["holder"].(string)
			if locked || other == holder {
				return unlock, nil
			}
		} else if waiting.Err() == nil || other == "" {
			// Cassandra may have applied the statement without an answer.
			return nil, errors.Join(fmt.Errorf("locking keyspace %s: %w", s.opts.Cassandra.Keyspace, err), unlock())
		}
		select {
		case <-time.After(lockRetry):
		case <-waiting.Done():
			return nil, errors.Join(fmt.Errorf("another process prepares keyspace %s: %s. The lock of a process that was killed ends after ten minutes",
				s.opts.Cassandra.Keyspace, other), unlock())
		}
	}
}
