package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/access/pgstore"
	"github.com/procession-dev/procession/temporal-server/access/storetest"
	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/store"
)

func TestPostgresStoreIsSharedByFrontends(t *testing.T) {
	t.Parallel()
	databaseURL := newPostgres(t)
	first, err := pgstore.Open(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(first.Close)
	second, err := pgstore.Open(t.Context(), databaseURL)
	require.NoError(t, err)
	t.Cleanup(second.Close)
	storetest.Run(t, first)
	key, err := first.SealKey(t.Context())
	require.NoError(t, err)
	same, err := second.SealKey(t.Context())
	require.NoError(t, err)
	require.Equal(t, key, same)
	owner, known, err := second.Owner(t.Context(), "beta", "s1")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "b", owner)
	_, err = pgstore.Open(t.Context(), "postgres://u:hunter2@[bad/db")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
}

// A host that is paused in a transaction does not keep the others from its rows.
func TestAbandonedTransactionsEnd(t *testing.T) {
	t.Parallel()
	opts := newAuthorities(t).opts
	opts.Store, opts.Visibility, opts.DatabaseURL = options.StorePostgres, options.StorePostgres, newPostgres(t)
	opened, err := store.Open(t.Context(), opts, log.NewNoopLogger())
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	connect := opened.Persistence.DataStores[opened.Persistence.DefaultStore].SQL.Connect
	paused, err := connect(nil)
	require.NoError(t, err)
	defer func() { _ = paused.Close() }()
	other, err := connect(nil)
	require.NoError(t, err)
	defer func() { _ = other.Close() }()

	abandoned, err := paused.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	_, err = abandoned.ExecContext(t.Context(), `LOCK TABLE shards`)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	_, err = other.ExecContext(ctx, `UPDATE shards SET range_id = range_id`)
	require.NoError(t, err)
	require.Error(t, abandoned.Commit())
}
