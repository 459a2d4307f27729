package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// MarkerName is the file that tells a directory of documents from an empty one, such as the place of a volume that is not
// mounted.
const MarkerName = ".procession-documents"

// Marked reports whether the directory has a marker. Buckets need none: a missing one is not found empty.
func (s *Store) Marked() (bool, error) {
	d, ok := s.backend.(*directory)
	if !ok {
		return true, nil
	}
	_, err := d.root.Stat(MarkerName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the marker of the documents: %w", err)
	}
	d.marked.Store(true)
	return true, nil
}

// Mark writes the marker of a directory. From then on Ready requires it.
func (s *Store) Mark() error {
	d, ok := s.backend.(*directory)
	if !ok {
		return nil
	}
	temp := leftoverName(uuid.Nil.String())
	err := d.writeTemporary(temp, strings.NewReader("This directory contains the documents of Procession. Without this file the service does not start.\n"))
	if err == nil {
		err = d.linkFile(temp, MarkerName)
	}
	_ = d.root.Remove(temp)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("marking the directory of documents: %w", err)
	}
	d.marked.Store(true)
	return nil
}

// FreeBytes returns the space that is left for documents. It is false for a bucket.
func (s *Store) FreeBytes() (free uint64, known bool, err error) {
	d, ok := s.backend.(*directory)
	if !ok {
		return 0, false, nil
	}
	opened, err := d.root.Open(".")
	if err != nil {
		return 0, false, fmt.Errorf("reading the free space of documents: %w", err)
	}
	defer func() { _ = opened.Close() }()
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(opened.Fd()), &stat); err != nil {
		return 0, false, fmt.Errorf("reading the free space of documents: %w", &os.PathError{Op: "statfs", Path: opened.Name(), Err: err})
	}
	return stat.Bavail * uint64(stat.Bsize), true, nil //nolint:gosec // a block has a positive size
}

// Holds reports whether the store has these bytes under the key. It reads all of them.
func (s *Store) Holds(ctx context.Context, key Key, want Stored) (bool, error) {
	size, err := s.Size(ctx, key)
	if errors.Is(err, fs.ErrNotExist) || err == nil && size != want.Size {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r, err := s.NewReader(ctx, key, 0, -1)
	if err != nil {
		return false, err
	}
	defer func() { _ = r.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body := newUpload(ctx, cancel, r, want.Size)
	if _, err := io.Copy(io.Discard, body); err != nil {
		return false, fmt.Errorf("reading document %s: %w", key, err)
	}
	return body.result() == want, nil
}
