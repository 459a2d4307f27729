package server_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/server"
	"github.com/procession-dev/procession/temporal-server/internal/store"
)

// updateStores runs the command schema and returns its report.
func (w *testServer) updateStores(t *testing.T) []string {
	t.Helper()
	var lines []string
	require.NoError(t, store.Update(t.Context(), w.opts, log.NewNoopLogger(), func(line string) { lines = append(lines, line) }))
	return lines
}

// startError returns the error of a start.
func (w *testServer) startError(t *testing.T) error {
	t.Helper()
	srv, err := server.Start(t.Context(), w.opts, slog.New(slog.DiscardHandler), time.Now)
	if err == nil {
		require.NoError(t, srv.Stop())
	}
	return err
}

// Without --update-schema a server changes no schema, and names the command that does.
func TestSchemaIsUpdatedByTheCommand(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.opts.Store, w.opts.Visibility, w.opts.DatabaseURL = options.StorePostgres, options.StorePostgres, newPostgres(t)
	w.opts.UpdateSchema = false
	err := w.startError(t)
	require.ErrorContains(t, err, "database temporal in PostgreSQL is not set up: run temporal-server schema with the same settings")
	require.ErrorContains(t, err, "database temporal_visibility in PostgreSQL is not set up")

	require.Equal(t, []string{
		"database temporal in PostgreSQL: created with version 1.19",
		"access rules in database temporal: created with version 1.0",
		"database temporal_visibility in PostgreSQL: created with version 1.14",
		"cluster active with the number 1: recorded",
	}, w.updateStores(t))
	require.Equal(t, "database temporal in PostgreSQL: version 1.19 is up to date", w.updateStores(t)[0])

	execute(t, w.opts.DatabaseURL, "temporal", `UPDATE schema_version SET curr_version = '1.9'`)
	require.ErrorContains(t, w.startError(t),
		"database temporal in PostgreSQL has version 1.9, and this build needs 1.19: run temporal-server schema with the same settings")
	execute(t, w.opts.DatabaseURL, "temporal", `UPDATE schema_version SET curr_version = '1.18'`)
	require.Equal(t, "database temporal in PostgreSQL: updated from version 1.18 to 1.19", w.updateStores(t)[0])

	other := w.opts
	other.ClusterName = "other"
	require.ErrorContains(t, store.Update(t.Context(), other, log.NewNoopLogger(), func(string) {}), "belongs to the cluster active with the number 1")
	w.start(t)
	require.Len(t, w.updateStores(t), 4, "a running server does not prevent it")
	requireWorkflowFound(t, w)
}

func TestSchemaNeedsAStore(t *testing.T) {
	t.Parallel()
	err := store.Update(t.Context(), options.Options{Store: options.StoreSQLite}, log.NewNoopLogger(), func(string) {})
	require.ErrorContains(t, err, "--store sqlite has no schema to update")
}
