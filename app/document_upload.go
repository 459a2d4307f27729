package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// UploadProcessDocument (B19) stores a temporary document of a process. It requires
// the Manager permission or owning an open task of the process; once the process
// is finished, it takes an open task that the caller may write to. Errors:
// VALIDATION for a content type that is none, PROCESS_FINISHED,
// DOCUMENT_TOO_LARGE.
func (s *Service) UploadProcessDocument(
	ctx context.Context, caller domain.Caller, process uuid.UUID, in storage.Upload,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, err := s.store.Reader.GetProcessSite(ctx, caller, process)
	if err != nil {
		return nil, err
	}
	if err := site.CheckMayAttach(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: process}
	return storage.Receive(ctx, s.uploads, caller, site.Process.TenantID, owner, in,
		func(*domain.Document) persistence.Read[*persistence.ProcessSite] {
			return persistence.ShareProcessSite(caller, process)
		},
		func(_ *persistence.Tx, _ *domain.Document, site *persistence.ProcessSite) (domain.Events, error) {
			return nil, site.CheckMayAttach()
		})
}

// UploadBusinessArtifactDocument (B44) stores a temporary document of a business
// artifact. It requires the Editor permission. Errors: VALIDATION for a content type
// that is none, INVALID_STATE for an artifact that is deleted, DOCUMENT_TOO_LARGE.
func (s *Service) UploadBusinessArtifactDocument(
	ctx context.Context, caller domain.Caller, artifact uuid.UUID, in storage.Upload,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, err := s.store.Reader.GetArtifactSite(ctx, caller, artifact)
	if err != nil {
		return nil, err
	}
	if err := site.CheckMayAttach(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: artifact}
	return storage.Receive(ctx, s.uploads, caller, site.TenantID, owner, in,
		func(*domain.Document) persistence.Read[*persistence.ArtifactSite] {
			return persistence.ShareArtifactSite(caller, artifact)
		},
		func(_ *persistence.Tx, _ *domain.Document, site *persistence.ArtifactSite) (domain.Events, error) {
			return nil, site.CheckMayAttach()
		})
}

// UploadDocument stores a temporary document of the process or the business
// artifact with the address. It is deleted after 2 hours unless it is linked by
// then. It has the conditions and errors of UploadProcessDocument and
// UploadBusinessArtifactDocument, and VALIDATION for a target that is neither.
func (s *Service) UploadDocument(
	ctx context.Context, caller domain.Caller, target string, in storage.Upload,
) (*domain.Document, error) {
	in.Lifetime = domain.TargetedLifetime
	at, _ := kuflowref.ParseResource(target)
	switch at.Kind {
	case kuflowref.ResourceProcess:
		return s.UploadProcessDocument(ctx, caller, at.ID, in)
	case kuflowref.ResourceBusinessArtifact:
		return s.UploadBusinessArtifactDocument(ctx, caller, at.ID, in)
	case kuflowref.ResourceProcessItem:
	}
	return nil, domain.InvalidField(domain.FieldTarget,
		"must be ku:process/{id} or ku:business-artifact/{id}")
}
