package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
)

const (
	// copyBuffer is the memory of one upload.
	copyBuffer = 128 << 10
	// flushedDirs bounds the memory for directories known to be on the disk.
	flushedDirs = 16384
)

// directory keeps blobs in files. A document is received in a file of the
// directory "incoming", which moves to its place by a hard link: unlike a rename
// that never replaces a file, even when another process writes it. All access goes through an
// os.Root, so that a symbolic link cannot lead out.
type directory struct {
	root  *os.Root
	fsync bool
	// marked is set once the marker was found or written.
	marked atomic.Bool

	mu      sync.Mutex
	flushed map[string]struct{}
}

// openDirectory opens the directory of a file URL and tries it out.
func openDirectory(u *url.URL) (*directory, error) {
	fsync := true
	for param, values := range u.Query() {
		if param != "fsync" || values[0] != "on" && values[0] != "off" {
			return nil, fmt.Errorf("a file URL knows the parameter fsync (on, off) only, not %q", param)
		}
		fsync = values[0] == "on"
	}
	dir := filepath.Clean(u.Path)
	if err := makeDirectory(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &directory{root: root, fsync: fsync, flushed: make(map[string]struct{})}
	if err := d.makeDir(incomingDir); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if err := d.probeLinks(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// makeDirectory creates dir if it is missing, but not its parents: a missing parent is a volume that is not mounted.
func makeDirectory(dir string) error {
	err := os.Mkdir(dir, 0o700) //nolint:gosec // the operator names the directory
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(dir)) //nolint:gosec // as above
	if err != nil {
		return err
	}
	if err := errors.Join(parent.Sync(), parent.Close()); err != nil {
		return fmt.Errorf("flushing %s: %w", filepath.Dir(dir), err)
	}
	return nil
}

// probeLinks stores an empty file the way documents are stored, and removes it. Both
// names are the names of leftovers, for the sweeper to find after a crash.
func (d *directory) probeLinks() error {
	temp, name := leftoverName(uuid.Nil.String()), leftoverName(uuid.Nil.String())
	err := d.writeTemporary(temp, strings.NewReader(""))
	if err == nil {
		err = d.linkFile(temp, name)
	}
	if err != nil {
		_ = d.root.Remove(temp)
		return fmt.Errorf("trying the directory out: %w", err)
	}
	return errors.Join(d.root.Remove(temp), d.root.Remove(name))
}

func (d *directory) createBlob(_ context.Context, name string, body io.Reader) error {
	temp := leftoverName(path.Base(name))
	err := d.writeTemporary(temp, body)
	if err == nil {
		err = d.linkFile(temp, name)
	}
	// A file that cannot be removed stays for the sweeper. The document is stored
	// all the same, or the first error says why not.
	_ = d.root.Remove(temp)
	return err
}

// writeTemporary writes body to a new file and flushes it.
func (d *directory) writeTemporary(name string, body io.Reader) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	// Hiding all but Write keeps the file from choosing a buffer of its own.
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, body, make([]byte, copyBuffer))
	if err == nil && d.fsync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// linkFile gives the received file its name, and flushes the entries of the file and of the directories above it.
func (d *directory) linkFile(temp, name string) error {
	parent := path.Dir(name)
	if err := d.makeDir(parent); err != nil {
		return err
	}
	if err := d.root.Link(temp, name); err != nil {
		return err
	}
	if err := d.syncDirectory(parent); err != nil {
		return errors.Join(err, d.root.Remove(name))
	}
	return nil
}

// makeDir creates a directory and its parents. One that exists may have been
// created a moment ago by someone who has not flushed its entry yet, so the entry
// is flushed when this process first meets the directory.
func (d *directory) makeDir(name string) error {
	if name == "." {
		return nil
	}
	parent := path.Dir(name)
	if err := d.makeDir(parent); err != nil {
		return err
	}
	err := d.root.Mkdir(name, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		if d.isFlushed(name) {
			return nil
		}
	case err != nil:
		return err
	}
	if err := d.syncDirectory(parent); err != nil {
		return err
	}
	d.setFlushed(name)
	return nil
}

// syncDirectory writes the entries of a directory to the disk.
func (d *directory) syncDirectory(name string) error {
	if !d.fsync {
		return nil
	}
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *directory) isFlushed(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.flushed[name]
	return ok
}

func (d *directory) setFlushed(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.flushed) == flushedDirs {
		clear(d.flushed) // forgetting costs a flush, no more
	}
	d.flushed[name] = struct{}{}
}

func (d *directory) openBlob(_ context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if length < 0 {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, length), f}, nil
}

func (d *directory) blobSize(_ context.Context, name string) (int64, error) {
	info, err := d.root.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (d *directory) removeBlob(_ context.Context, name string) error {
	return d.root.Remove(name)
}

func (d *directory) checkReady(context.Context) error {
	_, err := d.root.Stat(incomingDir)
	if err == nil && d.marked.Load() {
		_, err = d.root.Stat(MarkerName)
	}
	return err
}

func (d *directory) close() error {
	return d.root.Close()
}
