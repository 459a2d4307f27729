package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// formerGrace is the longest wait for the shutdown of a server after the death of its owner.
	formerGrace = 30 * time.Second
	formerProbe = 20 * time.Millisecond
)

// awaitFormerServer cleans up after a killed run. Its server received the parent death signal:
// awaitFormerServer waits for its shutdown. After a power cut, or if process ids start again as in a container,
// the pid file may name an unrelated process and PostgreSQL would refuse to start. With the lock of the cluster
// held and no process in the data directory, the pid file is removed.
func (f *files) awaitFormerServer(ctx context.Context) error {
	pidFile := filepath.Join(f.dataDir(), "postmaster.pid")
	if _, err := os.Stat(pidFile); errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("looking for a former PostgreSQL server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, formerGrace)
	defer cancel()
	ticker := time.NewTicker(formerProbe)
	defer ticker.Stop()
	for {
		busy, err := hasProcesses(f.dataDir())
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil // No /proc: PostgreSQL's own judgement has to do.
		case err != nil:
			return err
		case !busy:
			if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("removing the pid file of a former PostgreSQL server: %w", err)
			}
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the former PostgreSQL server of %s to end: %w", f.dir, errors.Join(ErrInUse, ctx.Err()))
		}
	}
}

// hasProcesses reports whether a process works in dir, as every process of a
// PostgreSQL server does in its data directory.
func hasProcesses(dir string) (bool, error) {
	links, err := os.ReadDir("/proc")
	if err != nil {
		return false, fmt.Errorf("listing processes: %w", err)
	}
	for _, entry := range links {
		// Entries that are not processes, have just ended or are another user's
		// have no readable link; another user's server cannot have our data.
		cwd, err := os.Readlink(filepath.Join("/proc", entry.Name(), "cwd"))
		if err == nil && cwd == dir {
			return true, nil
		}
	}
	return false, nil
}
