package app

import (
	"context"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Download is a document with its bytes. The caller calls Deliver before it
// sends the first byte, and closes Content.
type Download struct {
	domain.Document
	Content io.ReadSeekCloser

	// deliver records the download.
	deliver func(ctx context.Context) error
}

// Deliver records the download, in one round trip. The bytes must not be sent
// if it fails.
func (d *Download) Deliver(ctx context.Context) error { return d.deliver(ctx) }

// Disposition offers the document for saving under its name (RFC 6266).
func (d *Download) Disposition() string { return blobstore.ContentDisposition(d.Name) }

// DownloadProcessDocument (B20) returns a document of a process, or of an
// action that was invoked on it, if both are visible to the caller. It is named
// by a whole reference or by the address within. Errors: VALIDATION for a text
// that is neither, NOT_FOUND, DOCUMENT_EXPIRED.
func (s *Service) DownloadProcessDocument(
	ctx context.Context, call domain.Call, process uuid.UUID, uri string,
) (*Download, error) {
	return s.downloadAt(ctx, call, uri, func(id uuid.UUID) (*domain.Document, error) {
		return s.store.Reader.GetDocumentOfProcess(ctx, call.Caller, process, id, s.now())
	})
}

// DownloadBusinessArtifactDocument (B45) is DownloadProcessDocument for a
// business artifact.
func (s *Service) DownloadBusinessArtifactDocument(
	ctx context.Context, call domain.Call, artifact uuid.UUID, uri string,
) (*Download, error) {
	return s.downloadAt(ctx, call, uri, func(id uuid.UUID) (*domain.Document, error) {
		return s.store.Reader.GetDocumentOfBusinessArtifact(ctx, call.Caller, artifact, id, s.now())
	})
}

// DownloadTaskDocument (A30) returns a document of the process of a task
// visible to the caller, if the task refers to it or the document is visible to
// the caller otherwise. It is named as in DownloadProcessDocument. Errors:
// VALIDATION, NOT_FOUND.
func (s *Service) DownloadTaskDocument(
	ctx context.Context, call domain.Call, task uuid.UUID, uri string,
) (*Download, error) {
	return s.downloadAt(ctx, call, uri, func(id uuid.UUID) (*domain.Document, error) {
		return s.store.Reader.GetDocumentOfTask(ctx, call.Caller, task, id, s.now())
	})
}

// DownloadDocument returns a document by its address alone, if a resource that
// refers to it or its owner is visible to the caller. Every text that does not
// lead to such a document is NOT_FOUND; DOCUMENT_EXPIRED is for the result of
// an action that has expired.
func (s *Service) DownloadDocument(ctx context.Context, call domain.Call, uri string) (*Download, error) {
	at, ok := kuflowref.ParseDocumentURI(uri)
	if !ok {
		return nil, domain.NotFound("document")
	}
	owner := domain.DocumentOwner{Kind: documentOwner(at.Owner), ID: at.OwnerID}
	d, err := s.store.Reader.GetDocumentAt(ctx, call.Caller, owner, at.DocumentID, s.now())
	if err != nil {
		return nil, err
	}
	if !isAt(d, at) {
		return nil, domain.NotFound("document")
	}
	return s.openDownload(ctx, call, d)
}

func (s *Service) downloadAt(
	ctx context.Context, call domain.Call, uri string, get func(uuid.UUID) (*domain.Document, error),
) (*Download, error) {
	at, ok := kuflowref.ParseDocumentURI(uri)
	if !ok {
		return nil, domain.InvalidField(domain.FieldDocument, "refers to no document of this service")
	}
	d, err := get(at.DocumentID)
	if err != nil {
		return nil, err
	}
	if !isAt(d, at) {
		return nil, domain.NotFound("document")
	}
	return s.openDownload(ctx, call, d)
}

// openDownload gives access to the bytes of a document.
func (s *Service) openDownload(ctx context.Context, call domain.Call, d *domain.Document) (*Download, error) {
	// The bytes are opened first, because a missing blob cannot be reported
	// after the answer has begun.
	if _, err := s.documents.Size(ctx, blobstore.KeyOf(d)); err != nil {
		return nil, fmt.Errorf("downloading document %s: %w", d.ID, err)
	}
	return &Download{
		Document: *d, Content: s.documents.ReadSeeker(ctx, blobstore.KeyOf(d), d.Size),
		deliver: func(ctx context.Context) error {
			return s.recordEvent(ctx, call, domain.DocumentEvent(domain.EventDocumentDownloaded, d, call.PrincipalID, s.now()))
		},
	}, nil
}

// isAt reports whether a document is the one at an address, down to its owner.
func isAt(d *domain.Document, at kuflowref.URI) bool {
	return d.ID == at.DocumentID && d.OwnerID == at.OwnerID && uriOwner(d.OwnerKind) == at.Owner
}

// documentOwner returns the kind of owner that a word in the address of a document is
// for.
func documentOwner(word kuflowref.Owner) domain.DocumentOwnerKind {
	switch word {
	case kuflowref.OwnerProcess:
		return domain.DocumentOfProcess
	case kuflowref.OwnerBusinessArtifact:
		return domain.DocumentOfArtifact
	case kuflowref.OwnerProcessActionValue:
		return domain.DocumentOfProcessAction
	case kuflowref.OwnerBusinessArtifactActionValue:
		return domain.DocumentOfArtifactAction
	}
	return ""
}
