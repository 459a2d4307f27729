package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// SaveEntityDocument (A15) stores a temporary document for the entity of a
// running process, if the schema of the entity accepts it at the path. It requires
// the Manager permission. Errors: VALIDATION for a path where the schema has no
// document and for a content type that is none, DOCUMENT_TYPE, DOCUMENT_TOO_LARGE,
// PROCESS_FINISHED.
func (s *Service) SaveEntityDocument(
	ctx context.Context, call domain.Call, process uuid.UUID, schemaPath string, in storage.File,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	var tenant uuid.UUID
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		site, err := persistence.ShareProcessSite(call.Caller, process).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if err := site.Process.CheckMayWrite(site.Rights); err != nil {
			return nil, err
		}
		d, err := s.definitions.get(ctx, tx, site.Process.Definition.Version)
		if err != nil {
			return nil, err
		}
		tenant = site.Process.TenantID
		return nil, checkFits(&in, d.entity, schemaPath)
	})
	if err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: process}
	return s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: tenant, Owner: owner,
		Admit: func(*domain.Document) persistence.Read[domain.Events] {
			read := persistence.ShareProcessSite(call.Caller, process)
			return persistence.Then(read, func(_ *persistence.Tx, site *persistence.ProcessSite) (domain.Events, error) {
				return nil, site.Process.CheckMayWrite(site.Rights)
			})
		},
	})
}

// SaveTaskJSONFormsDocument (A29) is SaveEntityDocument for the form data of an
// open task. It requires owning the task or the Manager permission.
func (s *Service) SaveTaskJSONFormsDocument(
	ctx context.Context, call domain.Call, task uuid.UUID, schemaPath string, in storage.File,
) (*domain.Document, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, item, err := s.taskSite(ctx, call, task)
	if err != nil {
		return nil, err
	}
	if err := checkFits(&in, item.data, schemaPath); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: site.Item.ProcessID}
	return s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: site.Item.TenantID, Owner: owner,
		Admit: func(*domain.Document) persistence.Read[domain.Events] {
			read := persistence.ShareTaskSite(call.Caller, task)
			return persistence.Then(read, func(_ *persistence.Tx, site *persistence.TaskSite) (domain.Events, error) {
				return nil, site.Item.CheckMayWriteTask(site.Rights, call.PrincipalID)
			})
		},
	})
}

// checkFits refuses a document that the schema does not accept at a path, or that is
// larger than the schema allows.
func checkFits(in *storage.File, schema *jsondoc.Schema, path string) error {
	rule, ok := schema.DocumentAt(path)
	switch {
	case !ok:
		return domain.InvalidField(domain.FieldSchemaPath, "does not match any location in the schema")
	case !rule.IsDocument():
		return domain.InvalidField(domain.FieldSchemaPath, "names a place where the schema has no document: "+path)
	}
	stored := jsondoc.Stored{Name: blobstore.FileName(in.Name), Type: blobstore.ContentType(in.ContentType)}
	if !rule.Accepts(stored) {
		domainErr := domain.InvalidField(domain.FieldContentType, "is not one that the schema accepts")
		domainErr.Code, domainErr.Details[0].Code = domain.CodeDocumentType, domain.CodeDocumentType
		return domainErr
	}
	if size, bounded := rule.MaxSize(); bounded {
		in.Limit = max(size, 1)
	}
	return nil
}
