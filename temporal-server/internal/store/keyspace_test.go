package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/access/cassandrastore"
	"github.com/procession-dev/procession/temporal-server/access/storetest"
	"github.com/procession-dev/procession/temporal-server/internal/teststores"
)

// openKeyspace returns stores with a new keyspace.
func openKeyspace(t *testing.T) *stores {
	t.Helper()
	s := &stores{
		opts:   teststores.Options(t, teststores.Both),
		logger: log.NewNoopLogger(),
	}
	require.NoError(t, s.configure())
	require.NoError(t, s.createKeyspace())
	return s
}

// Two frontends share the store of the access rules in Cassandra.
func TestCassandraStoreIsSharedByFrontends(t *testing.T) {
	t.Parallel()
	s := openKeyspace(t)
	frontends := make([]*cassandrastore.Store, 2)
	for i := range frontends {
		session, err := s.connectCassandra(s.opts.Cassandra.Keyspace)
		require.NoError(t, err)
		t.Cleanup(session.Close)
		if i == 0 {
			require.NoError(t, cassandrastore.CreateTables(t.Context(), session))
			require.NoError(t, cassandrastore.CreateTables(t.Context(), session), "again")
		}
		frontends[i] = cassandrastore.New(session)
	}
	storetest.Run(t, frontends[0])
	key, err := frontends[0].SealKey(t.Context())
	require.NoError(t, err)
	same, err := frontends[1].SealKey(t.Context())
	require.NoError(t, err)
	require.Equal(t, key, same)
	owner, known, err := frontends[1].Owner(t.Context(), "beta", "s1")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "b", owner)
	requireNoLeftovers(t, s, frontends[0])
}

// requireNoLeftovers forgets everything and requires that only the table of the key has rows.
func requireNoLeftovers(t *testing.T, s *stores, store access.Store) {
	t.Helper()
	require.NoError(t, store.Forget(t.Context(), time.Now().Add(24*time.Hour)))
	session, err := s.connectCassandra(s.opts.Cassandra.Keyspace)
	require.NoError(t, err)
	defer session.Close()
	for _, table := range cassandrastore.Tables()[1:] {
		var rows int
		require.NoError(t, session.Query("SELECT count(*) FROM "+table).Scan(&rows))
		require.Zero(t, rows, table)
	}
}

// One process at a time prepares a keyspace.
func TestKeyspaceIsPreparedByOneProcess(t *testing.T) {
	t.Parallel()
	s := openKeyspace(t)
	unlock, err := s.lockKeyspace(t.Context())
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err = s.lockKeyspace(short)
	require.ErrorContains(t, err, "another process prepares keyspace "+s.opts.Cassandra.Keyspace)
	var second sync.WaitGroup
	second.Go(func() {
		again, err := s.lockKeyspace(t.Context())
		if err == nil {
			err = again()
		}
		if err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, unlock())
	second.Wait()
}
