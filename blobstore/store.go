// Package blobstore keeps the bytes of documents: a directory, an S3 bucket or memory, chosen by a URL.
//
// It stores keys, sizes, digests and modification times, without rights and records. A blob is written once and never
// changed. The order that keeps records and blobs together is the caller's: store the blob, then commit the record;
// remove the record, then delete the blob. A crash between the two steps leaves a blob without a record; a sweeper
// finds it by [Store.List].
//
// File names and content types come from clients and never reach the storage. [FileName], [ContentType] and
// [ContentDisposition] make them safe to keep and to send.
package blobstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
)

// Stored contains the properties of a stored blob.
type Stored struct {
	Size   int64 // in bytes
	SHA256 [sha256.Size]byte
}

// Store is a place for blobs. It is safe for concurrent use.
type Store struct {
	backend backend
}

// backend is one kind of storage. Names are slash-separated relative paths made
// by this package. A missing blob is reported as fs.ErrNotExist, an existing one
// that would be overwritten as fs.ErrExist.
type backend interface {
	// createBlob stores the bytes of body until io.EOF. The context is cancelled when body fails; the blob is not
	// stored then.
	createBlob(ctx context.Context, name string, body io.Reader) error
	// openBlob reads length bytes from offset, or everything from offset when length
	// is negative. The range lies within the blob.
	openBlob(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error)
	blobSize(ctx context.Context, name string) (int64, error)
	removeBlob(ctx context.Context, name string) error
	// listBlobs returns up to limit objects in a fixed order after token, and the token of the next page, empty at the
	// end.
	listBlobs(ctx context.Context, token []byte, limit int) (objects []object, next []byte, err error)
	checkReady(ctx context.Context) error
	close() error
}

// Open returns the store at a URL:
//
//   - file:///absolute/directory keeps every blob in a file. The directory is
//     created with mode 0700 when it is missing, its parents are not. It has to be on one file system
//     that knows hard links; Open tries that out. A stored document survives a
//     crash of the machine, because the file and its directory entries are
//     flushed before Put returns. With ?fsync=off it survives a crash of the
//     process only; Put is faster, which suits tests.
//   - s3://bucket keeps every blob in an object. It takes the parameters of
//     gocloud.dev/blob/s3blob (region, endpoint, use_path_style, ...) and prefix;
//     credentials come from the usual AWS sources, never from the URL. A service
//     that does not know AWS's checksums needs request_checksum_calculation and
//     response_checksum_validation set to when_required; all have to honour
//     If-None-Match on writes. Uploads cut off by a crash stay in the bucket as
//     incomplete multipart uploads, which List cannot see: give the bucket a
//     lifecycle rule that aborts them.
//   - mem:// keeps blobs in memory, for tests.
//
// The context is used for opening only. The caller closes the store.
func Open(ctx context.Context, location string) (*Store, error) {
	u, err := parseLocation(location)
	if err != nil {
		return nil, fmt.Errorf("opening the document store: the URL %w", err)
	}
	var b backend
	switch u.Scheme {
	case "file":
		b, err = openDirectory(u)
	case "s3":
		b, err = openS3(ctx, u)
	case "mem":
		b, err = openMemory(u)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the document store: %w", err)
	}
	return &Store{backend: b}, nil
}

// CheckURL returns an error unless Open can read the location. It does not open the store. The text completes a sentence about the location.
func CheckURL(location string) error {
	_, err := parseLocation(location)
	return err
}

func parseLocation(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	// The parser's own error repeats the URL, which may contain a secret.
	if err != nil || !slices.Contains([]string{"file", "s3", "mem"}, u.Scheme) {
		return nil, errors.New("must be file:///directory or s3://bucket?region=…")
	}
	if u.User != nil {
		return nil, errors.New("must not contain credentials")
	}
	if u.Scheme == "file" && (u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path)) {
		return nil, errors.New("needs an absolute path: file:///directory")
	}
	return u, nil
}

// Put stores the bytes of r until io.EOF as the blob key and returns its size and digest. Memory does not grow with the
// size of the document: a directory needs a buffer of 128 KiB, S3 at most four parts of 5 MiB, which bounds a document
// there to 48 GiB.
//
// After an error the blob is not stored. A document of more than limit bytes is refused as soon as the first byte too
// many arrives, with a domain.Error of kind KindTooLarge and code CodeDocumentTooLarge. An existing blob is never
// overwritten: the error is fs.ErrExist, and of two concurrent Puts of one key one succeeds. An error of r and a
// cancelled context are wrapped. The context is looked at before each Read; a Read that blocks is for the owner of r to
// end.
func (s *Store) Put(ctx context.Context, key Key, r io.Reader, limit int64) (Stored, error) {
	if err := key.checkParts(); err != nil {
		return Stored{}, fmt.Errorf("storing a document: %w", err)
	}
	if limit < 0 {
		return Stored{}, fmt.Errorf("storing document %s: limit %d is negative", key, limit)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body := newUpload(ctx, cancel, r, limit)
	err := s.backend.createBlob(ctx, key.blobName(), body)
	if body.err != nil {
		// The error of the storage hides the reason.
		err = body.err
	}
	if err != nil {
		return Stored{}, fmt.Errorf("storing document %s: %w", key, err)
	}
	return body.result(), nil
}

// NewReader reads length bytes of a blob from offset, or all from offset when length is negative. The range has to lie
// within the blob, otherwise the result is undefined. A missing blob is fs.ErrNotExist. The context has to live as long
// as the reader, which the caller closes.
func (s *Store) NewReader(ctx context.Context, key Key, offset, length int64) (io.ReadCloser, error) {
	if offset < 0 {
		return nil, fmt.Errorf("reading document %s: offset %d is negative", key, offset)
	}
	r, err := s.backend.openBlob(ctx, key.blobName(), offset, length)
	if err != nil {
		return nil, fmt.Errorf("reading document %s: %w", key, err)
	}
	return r, nil
}

// Size returns the size of a blob in bytes. A missing blob is fs.ErrNotExist.
func (s *Store) Size(ctx context.Context, key Key) (int64, error) {
	size, err := s.backend.blobSize(ctx, key.blobName())
	if err != nil {
		return 0, fmt.Errorf("measuring document %s: %w", key, err)
	}
	return size, nil
}

// Delete removes a blob. Removing one that does not exist is a success, so that
// an interrupted removal can be repeated. Readers that are open may fail or finish.
func (s *Store) Delete(ctx context.Context, key Key) error {
	if err := s.backend.removeBlob(ctx, key.blobName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting document %s: %w", key, err)
	}
	return nil
}

// Ready reports whether the storage answers. It only reads.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.backend.checkReady(ctx); err != nil {
		return fmt.Errorf("checking the document store: %w", err)
	}
	return nil
}

// Close releases the store. All operations must have ended.
func (s *Store) Close() error {
	if err := s.backend.close(); err != nil {
		return fmt.Errorf("closing the document store: %w", err)
	}
	return nil
}
