// Package filelock holds a lock between processes by means of a file. The
// kernel drops the lock when its holder dies, so no lock is ever stale.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrHeld is returned by TryAcquire when another process, or another lock of
// this one, holds the file.
var ErrHeld = errors.New("lock is held by another process")

// retryEvery is how often Acquire looks whether the lock has become free.
const retryEvery = 200 * time.Millisecond

// Lock is a held lock.
type Lock struct {
	file *os.File
}

// TryAcquire takes the lock on path, creating the file with mode 0600 when it
// is missing. It returns ErrHeld at once when the lock is taken.
func TryAcquire(path string) (*Lock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the caller names its own lock file
	if err != nil {
		return nil, fmt.Errorf("opening lock file: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		closeErr := file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(ErrHeld, closeErr)
		}
		return nil, fmt.Errorf("locking %s: %w", path, errors.Join(err, closeErr))
	}
	return &Lock{file: file}, nil
}

// Acquire takes the lock on path and waits while it is held elsewhere, until
// ctx ends. The function onWait, which may be nil, is called once when there is
// something to wait for.
func Acquire(ctx context.Context, path string, onWait func()) (*Lock, error) {
	ticker := time.NewTicker(retryEvery)
	defer ticker.Stop()
	for {
		lock, err := TryAcquire(path)
		if !errors.Is(err, ErrHeld) {
			return lock, err
		}
		if onWait != nil {
			onWait()
			onWait = nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
		}
	}
}

// Release gives the lock back. The file stays: removing it would let two
// processes lock two different files of one name.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("releasing lock: %w", err)
	}
	return nil
}
