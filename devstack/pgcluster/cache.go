package pgcluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/procession-dev/procession/devstack/gobuild"
)

// keptCaches is how many data directories of other versions, of some 40 MB each, stay cached.
const keptCaches = 2

// CacheDir returns the directory for Options.CacheDir of tests: procession/postgresql in the user's cache directory, or
// an empty string for users without one.
func CacheDir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "procession", "postgresql")
}

// copyCached copies the data directory and the password of a fresh cluster from the cache, which is filled if necessary.
func (f *files) copyCached(ctx context.Context, fresh, binaries string, runAs *account, o Options) error {
	version, err := binaryVersion(ctx, binaries)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %q %v", version, initdbArgs(), runAs)))[:16]
	cached := filepath.Join(o.CacheDir, key)
	if !isCached(cached) {
		if err := f.fillCache(ctx, cached, fresh, binaries, runAs, o); err != nil {
			return err
		}
	}
	return errors.Join(
		copyTree(ctx, filepath.Join(cached, "data"), fresh),
		copyTree(ctx, filepath.Join(cached, "password"), f.passwordFile()),
	)
}

func isCached(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// fillCache puts a fresh cluster into the cache. Of several programs one does the work and the others wait for it.
func (f *files) fillCache(ctx context.Context, cached, fresh, binaries string, runAs *account, o Options) (err error) {
	if err := os.MkdirAll(o.CacheDir, 0o700); err != nil {
		return fmt.Errorf("making the cache of PostgreSQL clusters: %w", err)
	}
	lock, err := gobuild.Lock(ctx, o.CacheDir, func() {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if isCached(cached) {
		return nil
	}
	if err := f.runInitdb(ctx, fresh, binaries, runAs, o); err != nil {
		return err
	}
	// The directory appears under its name when it is complete.
	unfinished := filepath.Join(o.CacheDir, "new")
	if err := errors.Join(os.RemoveAll(unfinished), os.Mkdir(unfinished, 0o700)); err != nil {
		return fmt.Errorf("making the cache of PostgreSQL clusters: %w", err)
	}
	if err := errors.Join(
		copyTree(ctx, fresh, filepath.Join(unfinished, "data")),
		copyTree(ctx, f.passwordFile(), filepath.Join(unfinished, "password")),
		os.RemoveAll(fresh),
	); err != nil {
		return err
	}
	if err := os.Rename(unfinished, cached); err != nil {
		return fmt.Errorf("putting a PostgreSQL cluster into the cache: %w", err)
	}
	return gobuild.Prune(o.CacheDir, filepath.Base(cached), keptCaches)
}

// copyTree copies a file or directory with modes and owners.
func copyTree(ctx context.Context, from, to string) error {
	if out, err := exec.CommandContext(ctx, "cp", "-Rp", from, to).CombinedOutput(); err != nil { //nolint:gosec // paths of the cluster and of the cache
		return fmt.Errorf("copying %s: %w:\n%s", from, err, out)
	}
	return nil
}
