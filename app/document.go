package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// discardTime bounds the removal of bytes that nothing came to refer to.
const discardTime = 10 * time.Second

// receive stores a document: first its bytes, which nobody can find before there
// is a record of them, then the record, under what admit has to say then. What a
// failure leaves of the bytes is removed at once where it is certain that the
// record was not stored, and otherwise left to the sweep. A document more than the
// tenant or the caller may have is a CONFLICT.
func (s *Service) receive(
	ctx context.Context, caller domain.Caller, tenant uuid.UUID, owner domain.DocumentOwner, in Upload,
	admit func(*persistence.Tx, *domain.Document) error,
) (*domain.Document, error) {
	d := &domain.Document{
		ID: domain.NewID(), TenantID: tenant, OwnerKind: owner.Kind, OwnerID: owner.ID, BlobID: uuid.New(),
		Name: blobstore.FileName(in.Name), ContentType: blobstore.ContentType(in.ContentType), CreatedBy: caller.PrincipalID,
	}
	stored, err := s.documents.Put(ctx, blobstore.KeyOf(d), in.Body, min(s.maxDocument, cmp.Or(in.limit, s.maxDocument)))
	if err != nil {
		return nil, storageError(ctx, err)
	}
	d.Size, d.SHA256 = stored.Size, stored.SHA256
	d.CreatedAt = s.now()
	expiresAt := d.CreatedAt.Add(cmp.Or(in.lifetime, owner.Kind.Lifetime()))
	d.ExpiresAt = &expiresAt
	err = s.write(ctx, func(tx *persistence.Tx) error {
		var all, own domain.DocumentUse
		if d.Temporary() {
			tx.CountTemporaryDocuments(tenant, caller.PrincipalID, d.CreatedAt, &all, &own)
		}
		tx.InsertDocument(d)
		tx.Record(domain.DocumentEvent(domain.EventDocumentUploaded, d, caller.PrincipalID, d.CreatedAt))
		if err := admit(tx, d); err != nil || !d.Temporary() {
			return err
		}
		return s.quotas.AdmitDocument(all, own, d.Size)
	})
	if err != nil && refused(err) {
		discard, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
		defer cancel()
		// What cannot be removed now is left to the sweep.
		_ = s.documents.Delete(discard, blobstore.KeyOf(d))
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// refused reports whether an operation itself ended the transaction. Whatever
// else ends one may have done so after the database had committed.
func refused(err error) bool {
	var known *domain.Error
	return errors.Is(err, domain.ErrActionFinal) || errors.As(err, &known) && known.Kind != domain.KindUnavailable
}

// storageError tells of a storage that fails as of a dependency that is not
// available.
func storageError(ctx context.Context, err error) error {
	var known *domain.Error
	if errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
		Message: "the storage of documents is not available", Cause: err,
	}
}

// fileOf is the reference to a document that values hold.
func fileOf(d *domain.Document) kuflowref.File {
	return kuflowref.File{URI: uriOf(d), Type: d.ContentType, Size: d.Size, Name: d.Name}
}

func uriOf(d *domain.Document) string {
	return kuflowref.URI{Owner: uriOwner(d.OwnerKind), OwnerID: d.OwnerID, DocumentID: d.ID}.String()
}

// DocumentURI is the text by which values and clients refer to a document.
func DocumentURI(d *domain.Document) string { return fileOf(d).String() }

// uriOwner is the word for a kind of owner in the address of a document.
func uriOwner(kind domain.DocumentOwnerKind) kuflowref.Owner {
	switch kind {
	case domain.DocumentOfProcess:
		return kuflowref.OwnerProcess
	case domain.DocumentOfArtifact:
		return kuflowref.OwnerBusinessArtifact
	case domain.DocumentOfProcessAction:
		return kuflowref.OwnerProcessActionValue
	case domain.DocumentOfArtifactAction:
		return kuflowref.OwnerBusinessArtifactActionValue
	case domain.DocumentOfRobot:
		// No value refers to one.
	}
	return ""
}
