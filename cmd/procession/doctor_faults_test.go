package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// oldDatabase returns one that lacks the latest migration.
func oldDatabase(t *testing.T) string {
	t.Helper()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), `DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	require.NoError(t, err)
	return url
}

func anotherSealKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seal.key")
	_, err := authn.LoadOrCreateSealKey(path)
	require.NoError(t, err)
	return path
}

// exposedCopy copies a file to one that every user of the machine can read.
func exposedCopy(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	exposed := filepath.Join(t.TempDir(), "exposed.key")
	require.NoError(t, os.WriteFile(exposed, content, 0o600))
	require.NoError(t, os.Chmod(exposed, 0o644))
	return exposed
}
