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

// Upload is a file to be stored as a document.
type Upload struct {
	File   File
	Tenant uuid.UUID
	Owner  domain.DocumentOwner
	// Admit returns a read that checks whether the document may be stored, queues the statements that belong to it, and
	// returns their events.
	Admit func(*domain.Document) persistence.Read[domain.Events]
}

// Receive stores a document: first its bytes, then the record, unless Admit refuses it. After a failure the bytes are
// removed at once if the record is certain not to be stored, and otherwise left to the sweep. A document beyond the
// limits of the tenant or the caller is a CONFLICT.
func (s *Documents) Receive(ctx context.Context, call domain.Call, u Upload) (*domain.Document, error) {
	d := &domain.Document{
		ID: domain.NewID(), TenantID: u.Tenant, OwnerKind: u.Owner.Kind, OwnerID: u.Owner.ID, BlobID: uuid.New(),
		Name: blobstore.FileName(u.File.Name), ContentType: blobstore.ContentType(u.File.ContentType), CreatedBy: call.PrincipalID,
	}
	stored, err := s.Blobs.Put(ctx, blobstore.KeyOf(d), u.File.Body, min(s.MaxBytes, cmp.Or(u.File.Limit, s.MaxBytes)))
	if err != nil {
		return nil, BlobError(ctx, err)
	}
	d.Size, d.SHA256 = stored.Size, stored.SHA256
	d.CreatedAt = s.Store.Now()
	expiresAt := d.CreatedAt.Add(cmp.Or(u.File.Lifetime, u.Owner.Kind.Lifetime()))
	d.ExpiresAt = &expiresAt
	err = s.Store.Write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		tx.InsertDocument(d)
		uploaded := domain.DocumentEvent(domain.EventDocumentUploaded, d, call.PrincipalID, d.CreatedAt)
		events, use, err := persistence.Both(ctx, tx, u.Admit(d), persistence.CountTemporaryDocuments(d))
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
	var refusal *domain.Error
	return errors.Is(err, domain.ErrActionFinal) || errors.As(err, &refusal) && refusal.Kind != domain.KindUnavailable
}

// BlobError returns a failure of the blob store as an unavailable
// dependency.
func BlobError(ctx context.Context, err error) error {
	var failure *domain.Error
	if errors.As(err, &failure) || ctx.Err() != nil {
		return err
	}
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
		Message: "the storage of documents is not available", Cause: err,
	}
}
