package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// seeker reads a blob from its current offset. The blob is opened at the first Read after a move, so that moving is
// free.
type seeker struct {
	ctx    context.Context
	store  *Store
	key    Key
	size   int64
	offset int64
	open   io.ReadCloser // at offset; nil until the next Read
	closed bool
}

// ReadSeeker returns a reader of a blob of the given size from its record. It supports Seek, for ranges. The first Read
// opens the blob and returns fs.ErrNotExist for a missing one. A blob shorter than size ends in io.ErrUnexpectedEOF.
// The context has to live as long as the reader; the reader is for one goroutine, which closes it.
func (s *Store) ReadSeeker(ctx context.Context, key Key, size int64) io.ReadSeekCloser {
	return &seeker{ctx: ctx, store: s, key: key, size: size}
}

// Seek moves to an offset. It may lie behind the end, where Read returns io.EOF.
func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += s.offset
	case io.SeekEnd:
		offset += s.size
	default:
		return 0, errors.New("moving in a document: unknown origin")
	}
	if offset < 0 {
		return 0, errors.New("moving in a document: the offset is negative")
	}
	if offset == s.offset {
		return offset, nil
	}
	s.offset = offset
	return offset, s.closeRange()
}

// Read reads from the offset.
func (s *seeker) Read(p []byte) (int, error) {
	switch {
	case s.closed:
		return 0, errors.New("reading a document: the reader is closed")
	case s.offset >= s.size:
		return 0, io.EOF
	}
	if s.open == nil {
		r, err := s.store.NewReader(s.ctx, s.key, s.offset, s.size-s.offset)
		if err != nil {
			return 0, err
		}
		s.open = r
	}
	n, err := s.open.Read(p)
	s.offset += int64(n)
	switch {
	case errors.Is(err, io.EOF) && s.offset < s.size:
		err = io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF) && n > 0:
		err = nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("reading document %s: %w", s.key, err)
	}
	return n, err
}

// Close closes the reader. Repeating it has no effect.
func (s *seeker) Close() error {
	s.closed = true
	return s.closeRange()
}

func (s *seeker) closeRange() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	if err != nil {
		return fmt.Errorf("closing document %s: %w", s.key, err)
	}
	return nil
}
