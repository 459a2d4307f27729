package app

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// NewBusinessArtifact contains the input of CreateBusinessArtifact. The
// definition is named by its id, or by tenant and code; the tenant may be left
// out where the code is clear without it. Data is a JSON object or nil.
type NewBusinessArtifact struct {
	ID         *uuid.UUID
	Definition DefinitionKey
	Data       json.RawMessage
}

// isOfDefinition reports whether a is of the definition, and so of the tenant, of
// the artifact to create.
func (in *NewBusinessArtifact) isOfDefinition(a *domain.BusinessArtifact) bool {
	key := in.Definition
	if key.TenantID != nil && *key.TenantID != a.TenantID {
		return false
	}
	if key.ID != nil {
		return *key.ID == a.Definition.ID
	}
	return key.Code == a.Definition.Code
}

// CreateBusinessArtifact (B35) creates a business artifact and reports whether
// it is new: with an id that is taken already, the artifact that has it is
// returned as it is. Data that violates the schema is stored with its
// violations.
//
// It requires the Editor or the Manager permission on the definition. Errors:
// DEFINITION_NOT_FOUND, ACCESS_DENIED, CONFLICT for an id that an artifact of
// another definition, or one the caller does not see, has already.
func (s *Service) CreateBusinessArtifact(
	ctx context.Context, call domain.Call, in NewBusinessArtifact,
) (artifact *domain.BusinessArtifact, created bool, err error) {
	if in.Definition.ID == nil && in.Definition.Code == "" {
		return nil, false, domain.InvalidField(
			domain.FieldArtifactDefinition, "is required, or else businessArtifactDefinitionCode")
	}
	id, now := idOr(in.ID), s.now()
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, now, nil, in.Data)
		if err != nil {
			return nil, err
		}
		prereqs, vals, err := persistence.Both(ctx, tx, persistence.PrepareArtifact(call.Caller, id, in.Definition), l.readValues())
		if err != nil {
			return nil, err
		}
		if prereqs.Existing != nil {
			if !prereqs.ExistingVisible || !in.isOfDefinition(prereqs.Existing) {
				_, right := selectCreatable(prereqs.Definitions)
				return nil, idTaken(right)
			}
			artifact, created = prereqs.Existing, false
			return nil, nil
		}
		found, err := selectCreatable(prereqs.Definitions)
		if err != nil {
			return nil, err
		}
		created = true
		artifact, err = s.addArtifact(ctx, vals, id, found.ArtifactDefinitionState, in.Data)
		return vals.events, err
	})
	if err != nil {
		return nil, false, err
	}
	return artifact, created, nil
}

// selectCreatable picks the definition that the caller may create artifacts of.
func selectCreatable(found []persistence.FoundArtifactDefinition) (persistence.FoundArtifactDefinition, error) {
	var none persistence.FoundArtifactDefinition
	if len(found) > 1 {
		return none, domain.InvalidField(domain.FieldTenant, "is required: several of your tenants have this definition")
	}
	if len(found) == 0 {
		return none, &domain.Error{
			Kind: domain.KindNotFound, Code: domain.CodeDefinitionNotFound, Message: "business artifact definition not found",
		}
	}
	if !found[0].Rights.Edits {
		return none, domain.Denied("the Editor permission on the business artifact definition is required")
	}
	return found[0], nil
}

// addArtifact creates an artifact of a definition that is in the state, and
// stays so until the transaction ends.
func (s *Service) addArtifact(
	ctx context.Context, vals *values, id uuid.UUID, state persistence.ArtifactDefinitionState, data json.RawMessage,
) (*domain.BusinessArtifact, error) {
	d, err := s.artifactDefinitions.get(ctx, vals.tx, state)
	if err != nil {
		return nil, err
	}
	schemas, err := d.schemas()
	if err != nil {
		return nil, err
	}
	a := &domain.BusinessArtifact{
		ID: id, TenantID: d.TenantID, Definition: d.ArtifactDefinitionRef, Audit: domain.NewAudit(vals.caller.PrincipalID, vals.now),
	}
	if a.Data, err = vals.prepareInitial(ctx, artifactSite(a), schemas.data, data); err != nil {
		return nil, err
	}
	indexed, err := d.indexedValues(a.Data)
	if err != nil {
		return nil, err
	}
	vals.record(domain.ArtifactEvent(domain.EventArtifactCreated, a, vals.caller.PrincipalID, vals.now))
	return a, vals.tx.InsertBusinessArtifact(a, indexed)
}
