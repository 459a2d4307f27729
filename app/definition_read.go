package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// DefinitionFilter narrows FindProcessDefinitions.
type DefinitionFilter = persistence.DefinitionFilter

// ArtifactDefinitionFilter narrows FindBusinessArtifactDefinitions.
type ArtifactDefinitionFilter = persistence.ArtifactDefinitionFilter

// ProcessDefinitionView is a version of a process definition as far as it is
// visible to a caller.
type ProcessDefinitionView struct {
	*domain.ProcessDefinition
	Published, Startable bool
	// Related are the ids of definitions that user actions start, by their codes.
	Related map[string]uuid.UUID
}

// FindProcessDefinitions returns a page of the process definitions that the caller may start or that have processes or
// items visible to the caller.
func (s *Service) FindProcessDefinitions(
	ctx context.Context, call domain.Call, filter DefinitionFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.DefinitionSummary], error) {
	return s.store.Reader.ListProcessDefinitions(ctx, call.Caller, filter, page, sort)
}

// RetrieveProcessDefinition returns the parts of a version of a process
// definition that are visible to the caller. A nil version means the published
// one, or the newest where none is published. It returns NOT_FOUND where no
// part is visible.
func (s *Service) RetrieveProcessDefinition(
	ctx context.Context, call domain.Call, id uuid.UUID, version *uuid.UUID,
) (*ProcessDefinitionView, error) {
	found, err := s.store.Reader.GetRelatedDefinition(ctx, call.Caller, id, version)
	if err != nil {
		return nil, err
	}
	view, visible := found.View(found.Relations)
	if !visible {
		return nil, domain.NotFound("process definition")
	}
	return &ProcessDefinitionView{
		ProcessDefinition: view, Published: found.Published, Startable: found.Startable,
		Related: found.Relations.Startable,
	}, nil
}

// ArtifactDefinitionView is a business artifact definition as far as it is visible
// to a caller.
type ArtifactDefinitionView struct {
	domain.ArtifactDefinitionSummary
	Spec *resource.BusinessArtifactDefinitionSpec
	// Actions are the actions that the caller may invoke.
	Actions []ArtifactActionView
}

// ArtifactActionView is an action on a business artifact. Started and Created are the definitions of its results.
type ArtifactActionView struct {
	*resource.ArtifactActionSpec
	Definition       domain.ActionDefinitionRef
	Started, Created *uuid.UUID
}

// FindBusinessArtifactDefinitions returns a page of the business artifact
// definitions that the caller has a permission on.
func (s *Service) FindBusinessArtifactDefinitions(
	ctx context.Context, call domain.Call, filter ArtifactDefinitionFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ArtifactDefinitionSummary], error) {
	return s.store.Reader.ListVisibleArtifactDefinitions(ctx, call.Caller, filter, page, sort)
}

// RetrieveBusinessArtifactDefinition returns a business artifact definition as it is
// now, with the actions that the caller may invoke, or NOT_FOUND where the caller has
// no permission on it.
func (s *Service) RetrieveBusinessArtifactDefinition(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*ArtifactDefinitionView, error) {
	found, err := s.store.Reader.GetRelatedArtifactDefinition(ctx, call.Caller, id)
	if err != nil {
		return nil, err
	}
	view := &ArtifactDefinitionView{Spec: found.Spec, ArtifactDefinitionSummary: domain.ArtifactDefinitionSummary{
		ArtifactDefinitionRef: found.ArtifactDefinitionRef, TenantID: found.TenantID, Name: found.Spec.TranslatedName(found.Code),
		Creatable: found.Rights.Edits,
	}}
	if !found.Rights.Edits {
		return view, nil
	}
	for i := range found.Spec.Actions {
		action := ArtifactActionView{ArtifactActionSpec: &found.Spec.Actions[i]}
		action.Definition = domain.NewActionDefinitionRef(found.ID, action.Code)
		if id, ok := found.Startable[action.ProcessDefinition]; ok {
			action.Started = &id
		}
		if id, ok := found.Creatable[action.BusinessArtifactDefinition]; ok {
			action.Created = &id
		}
		view.Actions = append(view.Actions, action)
	}
	view.Actions = slices.DeleteFunc(view.Actions, func(a ArtifactActionView) bool {
		return a.Type == domain.ArtifactActionStartProcess && a.Started == nil ||
			a.Type == domain.ArtifactActionCreateArtifact && a.Created == nil
	})
	return view, nil
}
