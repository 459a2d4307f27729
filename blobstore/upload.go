package blobstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/procession-dev/procession/domain"
)

// upload measures a document while the storage reads it. An error other than the end cancels the storage's context:
// some storages would otherwise keep the part received before.
type upload struct {
	ctx    context.Context
	cancel context.CancelFunc
	source io.Reader
	limit  int64
	size   int64
	digest hash.Hash
	err    error
}

func newUpload(ctx context.Context, cancel context.CancelFunc, source io.Reader, limit int64) *upload {
	return &upload{ctx: ctx, cancel: cancel, source: source, limit: limit, digest: sha256.New()}
}

// Read reads from the source. At most one byte beyond the limit is taken from it.
func (u *upload) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	if err := u.ctx.Err(); err != nil {
		return 0, u.keepError(fmt.Errorf("receiving it: %w", err))
	}
	room := u.limit - u.size
	if int64(len(p)) > room {
		p = p[:room+1]
	}
	n, err := u.source.Read(p)
	if int64(n) > room {
		return 0, u.keepError(tooLarge(u.limit))
	}
	u.digest.Write(p[:n])
	u.size += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, u.keepError(fmt.Errorf("receiving it: %w", err))
	}
	return n, err
}

func (u *upload) keepError(err error) error {
	u.err = err
	u.cancel()
	return err
}

func (u *upload) result() Stored {
	return Stored{Size: u.size, SHA256: [sha256.Size]byte(u.digest.Sum(nil))}
}

func tooLarge(limit int64) *domain.Error {
	return &domain.Error{
		Kind: domain.KindTooLarge, Code: domain.CodeDocumentTooLarge,
		Message: fmt.Sprintf("the document is larger than %d bytes", limit),
	}
}
