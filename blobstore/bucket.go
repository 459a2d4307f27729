package blobstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
)

// bucket keeps blobs in a bucket of gocloud.dev.
type bucket struct {
	bucket *blob.Bucket
	// prepare sets up the driver for one write.
	prepare func(as func(any) bool) error
}

func openMemory(u *url.URL) (*bucket, error) {
	if u.Host != "" || u.Path != "" || u.RawQuery != "" {
		return nil, errors.New("the URL of a store in memory is mem://")
	}
	return &bucket{bucket: memblob.OpenBucket(&memblob.Options{NoMD5: true})}, nil
}

func (b *bucket) createBlob(ctx context.Context, name string, body io.Reader) error {
	return b.translateError(b.bucket.Upload(ctx, name, body, &blob.WriterOptions{
		// The record of a document has its type; a bucket never serves it.
		ContentType: defaultContentType,
		IfNotExist:  true,
		BeforeWrite: b.prepare,
	}))
}

func (b *bucket) openBlob(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	r, err := b.bucket.NewRangeReader(ctx, name, offset, length, nil)
	if err != nil {
		return nil, b.translateError(err)
	}
	return r, nil
}

func (b *bucket) blobSize(ctx context.Context, name string) (int64, error) {
	attributes, err := b.bucket.Attributes(ctx, name)
	if err != nil {
		return 0, b.translateError(err)
	}
	return attributes.Size, nil
}

func (b *bucket) removeBlob(ctx context.Context, name string) error {
	return b.translateError(b.bucket.Delete(ctx, name))
}

func (b *bucket) listBlobs(ctx context.Context, token []byte, limit int) (objects []object, next []byte, err error) {
	if len(token) == 0 {
		token = blob.FirstPageToken
	}
	page, next, err := b.bucket.ListPage(ctx, token, limit, nil)
	if err != nil {
		return nil, nil, b.translateError(err)
	}
	for _, o := range page {
		objects = append(objects, object{name: o.Key, size: o.Size, modified: o.ModTime, regular: true})
	}
	return objects, next, nil
}

func (b *bucket) checkReady(ctx context.Context) error {
	ok, err := b.bucket.IsAccessible(ctx)
	if err == nil && !ok {
		err = errors.New("the bucket is not accessible")
	}
	return err
}

func (b *bucket) close() error {
	return b.bucket.Close()
}

// translateError converts the two errors that callers handle to errors of a file system.
func (b *bucket) translateError(err error) error {
	switch gcerrors.Code(err) { //nolint:exhaustive // the others are passed on
	case gcerrors.NotFound:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case gcerrors.FailedPrecondition:
		return fmt.Errorf("%w: %w", fs.ErrExist, err)
	default:
		return err
	}
}
