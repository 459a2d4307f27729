package storage

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DefaultMaxDocumentBytes is the default limit of the size of a document.
const DefaultMaxDocumentBytes = 50 << 20

// discardTime bounds the removal of unreferenced bytes.
const discardTime = 10 * time.Second

// File is a document as a client sends it.
type File struct {
	Name        string
	ContentType string
	Body        io.Reader
	// Limit is a lower limit of the document's size than Documents.MaxBytes, 0 for none.
	Limit int64
	// Lifetime is how long the document is kept without a link, 0 for the
	// default of its owner.
	Lifetime time.Duration
}

// Check refuses a content type that is none.
func (in *File) Check() error {
	name, _, err := mime.ParseMediaType(in.ContentType)
	major, minor, _ := strings.Cut(name, "/")
	if err != nil || major == "" || minor == "" || strings.Contains(name, "*") {
		return domain.InvalidField(domain.FieldContentType, "is not a media type")
	}
	return nil
}

// Documents stores the documents that callers upload.
type Documents struct {
	Store *Store
	Blobs *blobstore.Store
	// MaxBytes is how large a document may be.
	MaxBytes int64
	// Quotas bound the documents that are not linked to a value yet. There are none
	// of robots.
	Quotas domain.Quotas
}

// Receive stores a document: first its bytes, then the record, unless admit refuses it because of the result of read.
// After a failure the bytes are removed at once if the record is certain not to be stored, and otherwise left to the
// sweep. A document beyond the limits of the tenant or the caller is a CONFLICT.
func Receive[T any](
	ctx context.Context, s *Documents, call domain.Call, tenant uuid.UUID, owner domain.DocumentOwner, in File,
	read func(*domain.Document) persistence.Read[T], admit func(*persistence.Tx, *domain.Document, T) (domain.Events, error),
) (*domain.Document, error) {
	d := &domain.Document{
		ID: domain.NewID(), TenantID: tenant, OwnerKind: owner.Kind, OwnerID: owner.ID, BlobID: uuid.New(),
		Name: blobstore.FileName(in.Name), ContentType: blobstore.ContentType(in.ContentType), CreatedBy: call.PrincipalID,
	}
	stored, err := s.Blobs.Put(ctx, blobstore.KeyOf(d), in.Body, min(s.MaxBytes, cmp.Or(in.Limit, s.MaxBytes)))
	if err != nil {
		return nil, BlobError(ctx, err)
	}
	d.Size, d.SHA256 = stored.Size, stored.SHA256
	d.CreatedAt = s.Store.Now()
	expiresAt := d.CreatedAt.Add(cmp.Or(in.Lifetime, owner.Kind.Lifetime()))
	d.ExpiresAt = &expiresAt
	err = s.Store.Write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		tx.InsertDocument(d)
		uploaded := domain.DocumentEvent(domain.EventDocumentUploaded, d, call.PrincipalID, d.CreatedAt)
		found, use, err := persistence.Both(ctx, tx, read(d), persistence.CountTemporaryDocuments(d))
		if err != nil {
			return nil, err
		}
		events, err := admit(tx, d, found)
		if err == nil && d.Temporary() {
			err = s.Quotas.AdmitDocument(use.All, use.Own, d.Size)
		}
		return append(domain.Events{uploaded}, events...), err
	})
	if err != nil && isRefusal(err) {
		discard, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
		defer cancel()
		// Remaining bytes are left to the sweep.
		_ = s.Blobs.Delete(discard, blobstore.KeyOf(d))
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// isRefusal reports whether an operation itself ended the transaction. Whatever
// else ends one may have done so after the database had committed.
func isRefusal(err error) bool {
	var known *domain.Error
	return errors.Is(err, domain.ErrActionFinal) || errors.As(err, &known) && known.Kind != domain.KindUnavailable
}

// BlobError returns a failure of the blob store as an unavailable
// dependency.
func BlobError(ctx context.Context, err error) error {
	var known *domain.Error
	if errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
		Message: "the storage of documents is not available", Cause: err,
	}
}
