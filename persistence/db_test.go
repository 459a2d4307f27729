package persistence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	require.NoError(t, db.Migrate(t.Context()))
	migrated, err := db.Migrated(t.Context())
	require.NoError(t, err)
	require.True(t, migrated)
}
