package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/access/pgstore"
	"github.com/procession-dev/procession/temporal-server/access/storetest"
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
