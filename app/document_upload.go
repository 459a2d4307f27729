package app

import (
	"context"
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DefaultMaxDocumentBytes is how large a document may be unless the
// configuration says otherwise.
const DefaultMaxDocumentBytes = 50 << 20

// Upload is a document as a client sends it.
type Upload struct {
	Name        string
	ContentType string
	Body        io.Reader
	// limit is how large the document may be beside what holds for all, 0 for no
	// more than that.
	limit int64
}

// UploadProcessDocument (B19) stores a temporary document of a running process.
// It takes the Manager permission or owning an open task of the process. Errors:
// VALIDATION for a content type that is none, PROCESS_FINISHED,
// DOCUMENT_TOO_LARGE.
func (s *Service) UploadProcessDocument(
	ctx context.Context, caller domain.Caller, process uuid.UUID, in Upload,
) (*domain.Document, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	site, err := s.reader.GetProcessSite(ctx, caller, process)
	if err != nil {
		return nil, err
	}
	if err := site.Attach(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: process}
	return s.receive(ctx, caller, site.Process.TenantID, owner, in, func(tx *persistence.Tx, _ *domain.Document) error {
		site, err := tx.ShareProcessSite(ctx, caller, process)
		if err != nil {
			return err
		}
		return site.Attach()
	})
}

// UploadBusinessArtifactDocument (B44) stores a temporary document of a business
// artifact. It takes the Editor permission. Errors: VALIDATION for a content type
// that is none, DOCUMENT_TOO_LARGE.
func (s *Service) UploadBusinessArtifactDocument(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, in Upload,
) (*domain.Document, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	site, err := s.reader.GetArtifactSite(ctx, caller, artifact)
	if err != nil {
		return nil, err
	}
	if err := site.Rights.RequireEditor(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: artifact}
	return s.receive(ctx, caller, site.TenantID, owner, in, func(tx *persistence.Tx, _ *domain.Document) error {
		site, err := tx.ShareArtifactSite(ctx, caller, artifact)
		if err != nil {
			return err
		}
		return site.Rights.RequireEditor()
	})
}

// errNotTaken ends an upload that came too late.
var errNotTaken = errors.New("the action is final")

// UploadProcessUserActionDocument (B14) completes an action that was invoked on
// a process with the document it delivers, and reports whether it did: an action
// that is final already stays as it is. The process may be finished. It takes the
// Manager permission. Errors: NOT_FOUND, INVALID_STATE for an action that
// delivers no document, VALIDATION, DOCUMENT_TOO_LARGE.
func (s *Service) UploadProcessUserActionDocument(
	ctx context.Context, caller domain.Caller, process, action uuid.UUID, in Upload,
) (p *domain.Process, taken bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	site, err := s.reader.GetActionSite(ctx, caller, process, action)
	if err != nil {
		return nil, false, err
	}
	if taken, err := deliver(site); err != nil || !taken {
		return nil, false, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcessAction, ID: action}
	_, err = s.receive(ctx, caller, site.Process.TenantID, owner, in, func(tx *persistence.Tx, d *domain.Document) error {
		site, err := tx.LockActionSite(ctx, caller, process, action)
		if err != nil {
			return err
		}
		taken, err := deliver(site)
		if err == nil && !taken {
			err = errNotTaken
		}
		if err != nil {
			return err
		}
		tx.DeliverProcessAction(site.Action, d)
		p = &site.Process
		return nil
	})
	if errors.Is(err, errNotTaken) {
		return nil, false, nil
	}
	return p, err == nil, err
}

// deliver completes the action of a site, if the caller may.
func deliver(site *persistence.ActionSite) (taken bool, err error) {
	if err := site.Process.Manage(site.Rights); err != nil {
		return false, err
	}
	if site.Action == nil {
		return false, domain.NotFound("user action")
	}
	return site.Action.Deliver()
}

// check refuses a content type that is none.
func (in *Upload) check() error {
	name, _, err := mime.ParseMediaType(in.ContentType)
	major, minor, _ := strings.Cut(name, "/")
	if err != nil || major == "" || minor == "" || strings.Contains(name, "*") {
		return domain.Invalid(domain.LocationQuery, "fileContentType", "is no media type")
	}
	return nil
}
