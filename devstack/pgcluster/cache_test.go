package pgcluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/pgcluster"
)

// binariesWithout returns a directory with the server binary and an initdb that fails.
func binariesWithout(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	require.NoError(t, err)
	if path, err := exec.LookPath("postgres"); err == nil {
		found = []string{path}
	}
	require.NotEmpty(t, found)
	dir, err := os.MkdirTemp("", "pgcluster-binaries-") //nolint:usetesting // t.TempDir is closed to the account that runs PostgreSQL for root
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Symlink(found[len(found)-1], filepath.Join(dir, "postgres")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "initdb"), []byte("#!/bin/sh\necho initdb runs; exit 1\n"), 0o755))
	return dir
}

func TestClustersShareACache(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	// An interrupted program has left a part.
	require.NoError(t, os.MkdirAll(filepath.Join(cache, "new", "data"), 0o700))
	var clusters sync.WaitGroup
	for range 3 {
		dir := newDir(t)
		clusters.Go(func() {
			c, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: dir, Fast: true, CacheDir: cache})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() {
				if err := c.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
			if err != nil {
				t.Error(err)
				return
			}
			// Would fail on a directory that clusters share.
			if _, err := conn.Exec(t.Context(), "CREATE TABLE own (id int)"); err != nil {
				t.Error(err)
			}
			_ = conn.Close(t.Context())
		})
	}
	clusters.Wait()
	require.NoDirExists(t, filepath.Join(cache, "new"))

	binaries := binariesWithout(t)
	c := start(t, pgcluster.Options{Dir: newDir(t), CacheDir: cache, Binaries: binaries})
	defer stop(t, c)
	require.NoError(t, connect(t, c.URL("postgres")).Ping(t.Context()))
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: newDir(t), Binaries: binaries})
	require.ErrorContains(t, err, "initdb runs", "without a cache")
}
