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
	ctx context.Context, call domain.Call, process uuid.UUID, in storage.File,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, err := s.store.Reader.GetProcessSite(ctx, call.Caller, process)
	if err != nil {
		return nil, err
	}
	if err := site.CheckMayAttach(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: process}
	return s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: site.Process.TenantID, Owner: owner,
		Admit: func(*domain.Document) persistence.Read[domain.Events] {
			read := persistence.ShareProcessSite(call.Caller, process)
			return persistence.Then(read, func(_ *persistence.Tx, site *persistence.ProcessSite) (domain.Events, error) {
				return nil, site.CheckMayAttach()
			})
		},
	})
}

// UploadBusinessArtifactDocument (B44) stores a temporary document of a business
// artifact. It requires the Editor permission. Errors: VALIDATION for a content type
// that is none, INVALID_STATE for an artifact that is deleted, DOCUMENT_TOO_LARGE.
func (s *Service) UploadBusinessArtifactDocument(
	ctx context.Context, call domain.Call, artifact uuid.UUID, in storage.File,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, err := s.store.Reader.GetArtifactSite(ctx, call.Caller, artifact)
	if err != nil {
		return nil, err
	}
	if err := site.CheckMayAttach(); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfArtifact, ID: artifact}
	return s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: site.TenantID, Owner: owner,
		Admit: func(*domain.Document) persistence.Read[domain.Events] {
			read := persistence.ShareArtifactSite(call.Caller, artifact)
			return persistence.Then(read, func(_ *persistence.Tx, site *persistence.ArtifactSite) (domain.Events, error) {
				return nil, site.CheckMayAttach()
			})
		},
	})
}

// UploadDocument stores a temporary document of the process or the business
// artifact with the address. It is deleted after 2 hours unless it is linked by
// then. It has the conditions and errors of UploadProcessDocument and
// UploadBusinessArtifactDocument, and VALIDATION for a target that is neither.
func (s *Service) UploadDocument(
	ctx context.Context, call domain.Call, target string, in storage.File,
) (*domain.Document, error) {
	in.Lifetime = domain.TargetedLifetime
	at, _ := kuflowref.ParseResource(target)
	switch at.Kind {
	case kuflowref.ResourceProcess:
		return s.UploadProcessDocument(ctx, call, at.ID, in)
	case kuflowref.ResourceBusinessArtifact:
		return s.UploadBusinessArtifactDocument(ctx, call, at.ID, in)
	case kuflowref.ResourceProcessItem:
	}
	return nil, domain.InvalidField(domain.FieldTarget,
		"must be ku:process/{id} or ku:business-artifact/{id}")
}
