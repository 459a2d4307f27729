package app

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// UpdateProcessMetadata (B15) replaces the metadata of a running process. Data
// that violates the schema is stored with its violations. It requires the Manager
// permission; a finished process is refused with PROCESS_FINISHED.
func (s *Service) UpdateProcessMetadata(
	ctx context.Context, call domain.Call, id uuid.UUID, metadata json.RawMessage,
) (*domain.Process, error) {
	texts := []json.RawMessage{metadata}
	return s.changeProcess(ctx, call, id, texts, func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		value, err := vals.prepareReplacement(ctx, processSite(p, domain.SlotMetadata), d.metadata, p.Metadata, metadata)
		if err != nil {
			return nil, err
		}
		return saveMetadata(vals.change, p, d, value)
	})
}

// PatchProcessMetadata (B16) patches the metadata of a running process atomically, under the conditions of
// UpdateProcessMetadata. A patch that does not fit the metadata is PATCH_FAILED.
func (s *Service) PatchProcessMetadata(
	ctx context.Context, call domain.Call, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.Process, error) {
	return s.changeProcess(ctx, call, id, textsOf(patch), func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		if len(patch) == 0 {
			return nil, nil
		}
		value, err := vals.preparePatched(ctx, processSite(p, domain.SlotMetadata), d.metadata, p.Metadata, patch)
		if err != nil {
			return nil, err
		}
		return saveMetadata(vals.change, p, d, value)
	})
}

func saveMetadata(c *change, p *domain.Process, d *definition, value domain.JSONValue) (domain.Events, error) {
	p.SetMetadata(value, c.caller.PrincipalID, c.now)
	saved := domain.ProcessEvent(domain.EventProcessMetadataSaved, p, c.caller.PrincipalID, c.now).
		With("valid", strconv.FormatBool(value.Valid))
	return domain.Events{saved}, indexProcess(c.tx, p, d)
}

// UpdateProcessEntity (B17) replaces the entity of a running process, under the
// conditions of UpdateProcessMetadata.
func (s *Service) UpdateProcessEntity(
	ctx context.Context, call domain.Call, id uuid.UUID, entity json.RawMessage,
) (*domain.Process, error) {
	texts := []json.RawMessage{entity}
	return s.changeProcess(ctx, call, id, texts, func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		value, err := vals.prepareReplacement(ctx, processSite(p, domain.SlotEntity), d.entity, p.Entity, entity)
		if err != nil {
			return nil, err
		}
		return saveEntity(vals.change, p, value), nil
	})
}

// PatchProcessEntity (B18) patches the entity of a running process, under the
// conditions of PatchProcessMetadata.
func (s *Service) PatchProcessEntity(
	ctx context.Context, call domain.Call, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.Process, error) {
	return s.changeProcess(ctx, call, id, textsOf(patch), func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		if len(patch) == 0 {
			return nil, nil
		}
		value, err := vals.preparePatched(ctx, processSite(p, domain.SlotEntity), d.entity, p.Entity, patch)
		if err != nil {
			return nil, err
		}
		return saveEntity(vals.change, p, value), nil
	})
}

func saveEntity(c *change, p *domain.Process, value domain.JSONValue) domain.Events {
	p.SetEntity(value, c.caller.PrincipalID, c.now)
	return domain.Events{domain.ProcessEvent(domain.EventProcessEntitySaved, p, c.caller.PrincipalID, c.now).
		With("valid", strconv.FormatBool(value.Valid))}
}

// changeProcess changes a process that a Manager may write to. texts are the known parts of the new values. change
// returns the event to record, nil without a change.
func (s *Service) changeProcess(
	ctx context.Context, call domain.Call, id uuid.UUID, texts []json.RawMessage,
	change func(*values, *domain.Process, *definition) (domain.Events, error),
) (*domain.Process, error) {
	var process *domain.Process
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, s.now(), &id, texts...)
		if err != nil {
			return nil, err
		}
		locked, vals, err := persistence.Both(ctx, tx, persistence.LockProcess(call.Caller, id), l.readValues())
		if err != nil {
			return nil, err
		}
		process = locked.Process
		// The right is checked before the change: errors of the change describe the stored value.
		if err := process.CheckMayWrite(locked.Rights); err != nil {
			return nil, err
		}
		d, err := s.definitions.get(ctx, tx, process.Definition.Version)
		if err != nil {
			return nil, err
		}
		events, err := change(vals, process, d)
		if err != nil || events == nil {
			return nil, err
		}
		return events, tx.UpdateProcess(process)
	})
	return process, err
}
