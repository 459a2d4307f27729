package app

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// UpdateProcessMetadata (B15) replaces the metadata of a running process. Data
// that violates the schema is stored with its violations. It takes the Manager
// permission; a finished process is refused with PROCESS_FINISHED.
func (s *Service) UpdateProcessMetadata(
	ctx context.Context, caller domain.Caller, id uuid.UUID, metadata json.RawMessage,
) (*domain.Process, error) {
	return s.changeProcess(ctx, caller, id, func(p *domain.Process, d *definition) error {
		value, err := d.metadata.Validate(metadata)
		if err != nil {
			return err
		}
		p.SetMetadata(value, caller.PrincipalID, s.now())
		return nil
	})
}

// PatchProcessMetadata (B16) patches the metadata of a running process, all or
// nothing, under the conditions of UpdateProcessMetadata. PATCH_FAILED says
// that the patch does not fit the metadata.
func (s *Service) PatchProcessMetadata(
	ctx context.Context, caller domain.Caller, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.Process, error) {
	return s.changeProcess(ctx, caller, id, func(p *domain.Process, d *definition) error {
		if len(patch) == 0 {
			return nil
		}
		value, err := patched(d.metadata, p.Metadata, patch)
		if err != nil {
			return err
		}
		p.SetMetadata(value, caller.PrincipalID, s.now())
		return nil
	})
}

// UpdateProcessEntity (B17) replaces the entity of a running process, under the
// conditions of UpdateProcessMetadata.
func (s *Service) UpdateProcessEntity(
	ctx context.Context, caller domain.Caller, id uuid.UUID, entity json.RawMessage,
) (*domain.Process, error) {
	return s.changeProcess(ctx, caller, id, func(p *domain.Process, d *definition) error {
		value, err := d.entity.Validate(entity)
		if err != nil {
			return err
		}
		p.SetEntity(value, caller.PrincipalID, s.now())
		return nil
	})
}

// PatchProcessEntity (B18) patches the entity of a running process, under the
// conditions of PatchProcessMetadata.
func (s *Service) PatchProcessEntity(
	ctx context.Context, caller domain.Caller, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.Process, error) {
	return s.changeProcess(ctx, caller, id, func(p *domain.Process, d *definition) error {
		if len(patch) == 0 {
			return nil
		}
		value, err := patched(d.entity, p.Entity, patch)
		if err != nil {
			return err
		}
		p.SetEntity(value, caller.PrincipalID, s.now())
		return nil
	})
}

// changeProcess changes a process that a Manager may write to.
func (s *Service) changeProcess(
	ctx context.Context, caller domain.Caller, id uuid.UUID, change func(*domain.Process, *definition) error,
) (*domain.Process, error) {
	var process *domain.Process
	err := s.write(ctx, func(tx *persistence.Tx) error {
		locked, err := tx.LockProcess(ctx, caller, id)
		if err != nil {
			return err
		}
		process = locked.Process
		// Before the change is looked at: what it says about the stored value must
		// not reach a caller who may not write.
		if err := process.Write(locked.Rights); err != nil {
			return err
		}
		d, err := s.definitions.get(ctx, tx, process.Definition.Version)
		if err != nil {
			return err
		}
		if err := change(process, d); err != nil {
			return err
		}
		return tx.UpdateProcess(process)
	})
	return process, err
}
