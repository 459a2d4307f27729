// Package gobuild builds programs into a cache of the user: the local stack and its
// tests build Temporal with it.
package gobuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a held lock is tried again.
const lockRetry = 200 * time.Millisecond

// Flags returns the flags of every build, so that builds share the cache of Go.
func Flags() []string {
	// Without -buildvcs=false a commit, or a checkout of another owner, would change or break a build without a
	// change of its key.
	return []string{"-trimpath", "-buildvcs=false", "-ldflags", "-s -w"}
}

// Command runs go in a directory. It ends in an orderly way with ctx.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // callers pass constants
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	// An interrupt lets go remove its temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Lock locks a cache between processes. While another process holds the lock it
// waits until ctx ends, and calls onWait once before.
func Lock(ctx context.Context, cacheDir string, onWait func()) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(cacheDir, "lock"))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		onWait()
		_, err = lock.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", cacheDir, err)
	}
	return lock, nil
}

// Prune removes the oldest builds, each a directory of the cache, other than that
// of key, and leaves so many of them.
func Prune(cacheDir, key string, kept int) error {
	entries, err := os.ReadDir(cacheDir)
	if err != nil {
		return fmt.Errorf("listing cached builds: %w", err)
	}
	type build struct {
		path string
		made time.Time
	}
	var builds []build
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !entry.IsDir() || entry.Name() == key {
			continue
		}
		builds = append(builds, build{path: filepath.Join(cacheDir, entry.Name()), made: info.ModTime()})
	}
	slices.SortFunc(builds, func(a, b build) int { return b.made.Compare(a.made) })
	for _, old := range builds[min(kept, len(builds)):] {
		if err := os.RemoveAll(old.path); err != nil {
			return fmt.Errorf("removing an old build: %w", err)
		}
	}
	return nil
}
