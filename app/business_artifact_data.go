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

// UpdateBusinessArtifactData (B38) replaces the data of a business artifact.
// Data that violates the schema is stored with its violations. It takes the
// Editor or the Manager permission.
func (s *Service) UpdateBusinessArtifactData(
	ctx context.Context, call domain.Call, id uuid.UUID, data json.RawMessage,
) (*domain.BusinessArtifact, error) {
	return s.changeArtifact(ctx, call, id, []json.RawMessage{data},
		func(vals *values, a *domain.BusinessArtifact, schema *jsondoc.Schema) (domain.JSONValue, error) {
			return vals.prepareReplacement(ctx, artifactSite(a), schema, a.Data, data)
		})
}

// PatchBusinessArtifactData (B39) patches the data of a business artifact atomically, under the conditions of
// UpdateBusinessArtifactData. A patch that does not fit the data is PATCH_FAILED; an empty patch leaves it unchanged.
func (s *Service) PatchBusinessArtifactData(
	ctx context.Context, call domain.Call, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.BusinessArtifact, error) {
	if len(patch) == 0 {
		return s.changeArtifact(ctx, call, id, nil, nil)
	}
	return s.changeArtifact(ctx, call, id, textsOf(patch),
		func(vals *values, a *domain.BusinessArtifact, schema *jsondoc.Schema) (domain.JSONValue, error) {
			return vals.preparePatched(ctx, artifactSite(a), schema, a.Data, patch)
		})
}

// changeArtifact stores the data returned by change in an artifact that the caller may write to; nil leaves it
// unchanged. texts are the known parts of the data.
func (s *Service) changeArtifact(
	ctx context.Context, call domain.Call, id uuid.UUID, texts []json.RawMessage,
	change func(*values, *domain.BusinessArtifact, *jsondoc.Schema) (domain.JSONValue, error),
) (*domain.BusinessArtifact, error) {
	var artifact *domain.BusinessArtifact
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, s.now(), &id, texts...)
		if err != nil {
			return nil, err
		}
		locked, vals, err := persistence.Both(ctx, tx, persistence.LockArtifact(call.Caller, id), l.readValues())
		if err != nil {
			return nil, err
		}
		artifact = locked.BusinessArtifact
		// The right is checked before the change: errors of the change describe the stored value.
		if err := artifact.CheckMayWrite(locked.Rights); err != nil || change == nil {
			return nil, err
		}
		d, err := s.artifactDefinitions.getOfArtifact(ctx, tx, locked)
		if err != nil {
			return nil, err
		}
		schemas, err := d.schemas()
		if err != nil {
			return nil, err
		}
		data, err := change(vals, artifact, schemas.data)
		if err != nil {
			return nil, err
		}
		artifact.SetData(data, call.PrincipalID, vals.now)
		indexed, err := d.indexedValues(artifact.Data)
		if err != nil {
			return nil, err
		}
		saved := domain.ArtifactEvent(domain.EventArtifactDataSaved, artifact, call.PrincipalID, vals.now).
			With("valid", strconv.FormatBool(data.Valid))
		return domain.Events{saved}, tx.UpdateBusinessArtifact(artifact, indexed)
	})
	if err != nil {
		return nil, err
	}
	return artifact, nil
}
