package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/persistence"
)

// RetrieveBusinessArtifactAction (B41) returns an action on a business artifact
// visible to the caller, or NOT_FOUND.
func (s *Service) RetrieveBusinessArtifactAction(
	ctx context.Context, call domain.Call, artifact, action uuid.UUID,
) (*domain.BusinessArtifactAction, error) {
	return s.store.Reader.GetBusinessArtifactAction(ctx, call.Caller, artifact, action, s.now())
}

// PreparedArtifact is the value that a CREATE_BUSINESS_ARTIFACT action starts
// from.
type PreparedArtifact struct {
	Definition domain.ArtifactDefinitionRef
	Value      json.RawMessage
}

// PrepareBusinessArtifactCreateArtifact (B43) computes the initial value of a CREATE_BUSINESS_ARTIFACT action on the
// artifact, without storing it. It requires the permissions to invoke the action, or else returns ACCESS_DENIED. An
// action of another type is refused with INVALID_STATE, an unknown code with DEFINITION_NOT_FOUND.
func (s *Service) PrepareBusinessArtifactCreateArtifact(
	ctx context.Context, call domain.Call, artifact uuid.UUID, code string,
) (*PreparedArtifact, error) {
	source, err := s.store.Reader.GetArtifactActionSource(ctx, call.Caller, artifact, code)
	if err != nil {
		return nil, err
	}
	if err := checkPreparable(source); err != nil {
		return nil, err
	}
	if source.Action.Type != domain.ArtifactActionCreateArtifact {
		return nil, domain.Conflict(domain.CodeInvalidState, "the action is not one that creates a business artifact")
	}
	var visible []persistence.FoundArtifactDefinition
	if source.Created != nil {
		visible = append(visible, *source.Created)
	}
	created, err := selectCreatableByAction(visible)
	if err := cmp.Or(err, source.Artifact.CheckKept()); err != nil {
		return nil, err
	}
	value, err := prefillMetadata(source.Artifact.Data, source.Action.Prefill)
	if err != nil {
		return nil, err
	}
	return &PreparedArtifact{Definition: created.ArtifactDefinitionRef, Value: value}, nil
}

// checkPreparable checks the right to invoke the action, and that there is one. Callers check the rights that its type
// demands next, and last that the artifact is not deleted.
func checkPreparable(source *persistence.ArtifactActionSource) error {
	if err := source.Rights.RequireEditor(); err != nil || source.Action != nil {
		return err
	}
	return cmp.Or(source.Artifact.CheckKept(), unknownArtifactAction())
}

// PreparedProcess contains the form with which a START_PROCESS action begins.
type PreparedProcess struct {
	DefinitionID uuid.UUID
	Metadata     json.RawMessage
}

// PrepareBusinessArtifactStartProcess computes the initial metadata of a START_PROCESS action on the artifact, without
// storing it. It requires the permissions to invoke the action, or else returns ACCESS_DENIED. An action of another
// type is refused with INVALID_STATE, an unknown code with DEFINITION_NOT_FOUND, and a process definition without a
// version to start with DEFINITION_NOT_PUBLISHED.
func (s *Service) PrepareBusinessArtifactStartProcess(
	ctx context.Context, call domain.Call, artifact uuid.UUID, code string,
) (*PreparedProcess, error) {
	source, err := s.store.Reader.GetArtifactActionSource(ctx, call.Caller, artifact, code)
	if err != nil {
		return nil, err
	}
	if err := checkPreparable(source); err != nil {
		return nil, err
	}
	if source.Action.Type != domain.ArtifactActionStartProcess {
		return nil, domain.Conflict(domain.CodeInvalidState, "the action is not one that starts a process")
	}
	started, err := selectStartable(source.Started)
	if err != nil {
		return nil, startDefinitionError(err)
	}
	if err := source.Artifact.CheckKept(); err != nil {
		return nil, err
	}
	metadata, err := prefillMetadata(source.Artifact.Data, source.Action.Prefill)
	if err != nil {
		return nil, err
	}
	return &PreparedProcess{DefinitionID: started.ID, Metadata: metadata}, nil
}

// prefillMetadata returns the object with the members of data under the names that
// prefill maps them to, byte for byte. Members that data does not have are
// omitted.
func prefillMetadata(data *domain.JSONValue, prefill map[string]string) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if data != nil {
		if err := json.Unmarshal(data.Value, &members); err != nil {
			return nil, fmt.Errorf("reading the data of a business artifact: %w", err)
		}
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for _, name := range slices.Sorted(maps.Keys(prefill)) {
		value, ok := members[prefill[name]]
		if !ok {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(jsontext.Quote(name))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
