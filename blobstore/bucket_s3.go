package blobstore

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // knows s3 URLs
)

const (
	// partSize is the smallest part S3 takes. It takes 10,000 of them.
	partSize = 5 << 20
	// abortTimeout bounds the removal of the parts of an upload that failed.
	abortTimeout = 30 * time.Second
)

// openS3 opens the bucket of an s3 URL. No request is made.
func openS3(ctx context.Context, u *url.URL) (*bucket, error) {
	opened, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, err
	}
	var client *s3.Client
	if !opened.As(&client) {
		return nil, errors.Join(errors.New("the bucket has no S3 client"), opened.Close())
	}
	uploads := transfermanager.New(client, func(o *transfermanager.Options) {
		o.PartSizeBytes = partSize
		// The manager buffers this much before it starts, and one part for each
		// unit of concurrency.
		o.MultipartUploadThreshold = partSize
		o.Concurrency = 1
		// Without it parts are removed with the context of the upload, which is
		// cancelled when a client goes away.
		o.FailTimeout = abortTimeout
		o.RequestChecksumCalculation = client.Options().RequestChecksumCalculation
	})
	prepare := func(as func(any) bool) error {
		var manager *transfermanager.Client
		if !as(&manager) {
			return errors.New("the bucket has no upload manager")
		}
		*manager = *uploads
		return nil
	}
	return &bucket{bucket: opened, prepare: prepare}, nil
}
