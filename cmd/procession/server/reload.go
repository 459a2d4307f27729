package server

import (
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// reloadCheck is the minimum interval between checks of files.
const reloadCheck = time.Second

// reloader holds a value that is read from files. It reads them again when they change, and is safe for concurrent use.
type reloader[T any] struct {
	// name is the value in the log.
	name  string
	files []string
	read  func() (T, error)
	log   *slog.Logger

	mu      sync.Mutex
	checked time.Time
	seen    []fileState
	value   T
	// failure is the error of the last reload, which is logged once.
	failure string
}

// fileState contains properties of a file that change when it is replaced.
type fileState struct {
	modified time.Time
	size     int64
}

// newReloader reads the files for the first time.
func newReloader[T any](name string, read func() (T, error), log *slog.Logger, files ...string) (*reloader[T], error) {
	r := &reloader[T]{name: name, files: files, read: read, log: log}
	if err := r.reload(); err != nil {
		return nil, err
	}
	return r, nil
}

// current returns the value. While the files cannot be read, or do not match because only one has been replaced, it returns
// the previous one.
func (r *reloader[T]) current() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.checked) >= reloadCheck {
		r.checked = now
		r.logFailure(r.reload())
	}
	return r.value
}

func (r *reloader[T]) logFailure(err error) {
	failure := ""
	if err != nil {
		failure = err.Error()
	}
	if failure != "" && failure != r.failure {
		r.log.Warn("files were not reloaded", slog.String("value", r.name), slog.String("error", failure))
	}
	r.failure = failure
}

// reload reads the files if they have changed.
func (r *reloader[T]) reload() error {
	var states []fileState
	for _, file := range r.files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		states = append(states, fileState{modified: info.ModTime(), size: info.Size()})
	}
	if slices.Equal(states, r.seen) {
		return nil
	}
	value, err := r.read()
	if err != nil {
		return err
	}
	if r.seen != nil {
		r.log.Info("files were reloaded", slog.String("value", r.name))
	}
	r.value, r.seen = value, states
	return nil
}
