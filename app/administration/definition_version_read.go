package administration

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// FindDefinitionUse returns how the process definitions among the resources are used,
// by their ids. The caller has read the resources.
func (s *Service) FindDefinitionUse(
	ctx context.Context, resources []resource.Stored,
) (map[uuid.UUID]domain.DefinitionUse, error) {
	var ids []uuid.UUID
	for i := range resources {
		if resources[i].Kind == resource.KindProcessDefinition {
			ids = append(ids, resources[i].ID)
		}
	}
	use := make(map[uuid.UUID]domain.DefinitionUse, len(ids))
	if len(ids) == 0 {
		return use, nil
	}
	found, err := s.store.Reader.ListDefinitionUse(ctx, ids)
	for _, u := range found {
		use[u.ID] = u
	}
	return use, err
}

// DefinitionVersion is a version of a process definition as the manifest that
// publishes it again, with the rights of now: versions have none. DataStructures are
// the schemas that the version pins, by their codes.
type DefinitionVersion struct {
	resource.Document

	DataStructures map[string]json.RawMessage
}

// RetrieveDefinitionVersion returns a version of a process definition that the
// caller administers, or NOT_FOUND.
func (s *Service) RetrieveDefinitionVersion(
	ctx context.Context, call domain.Call, key ResourceKey, number int,
) (*DefinitionVersion, error) {
	found, err := s.RetrieveResource(ctx, call, key)
	if err != nil {
		return nil, err
	}
	current, isDefinition := found.Spec.(*resource.ProcessDefinitionSpec)
	if !isDefinition {
		return nil, domain.NotFound("version")
	}
	pinned, err := s.store.Reader.GetPinnedDefinition(ctx, found.ID, number)
	if err != nil {
		return nil, err
	}
	return unpinItems(found.Document, current, pinned)
}

// unpinItems is the inverse of configuration.version.
func unpinItems(
	document resource.Document, current *resource.ProcessDefinitionSpec, pinned *persistence.PinnedDefinition,
) (*DefinitionVersion, error) {
	var content pinnedProcess
	if err := json.Unmarshal(pinned.Spec, &content); err != nil {
		return nil, fmt.Errorf("reading a version of %s: %w", displayKey(document.Key()), err)
	}
	spec := &resource.ProcessDefinitionSpec{
		Name: pinned.Name, State: resource.StatePublished, SubjectTemplate: content.SubjectTemplate,
		MetadataSchema: content.MetadataSchema, MetadataUISchema: content.MetadataUISchema, MetadataIndexes: content.MetadataIndexes,
		EntitySchema: content.EntitySchema, EntityUISchema: content.EntityUISchema, Elements: content.Elements,
		DataStructures: slices.Sorted(maps.Keys(content.DataStructures)), UserActions: content.UserActions,
		Permissions: current.Permissions,
	}
	if e := pinned.Engine; e.WorkflowType != "" {
		spec.Engine = &resource.EngineSpec{
			WorkflowType: e.WorkflowType, TaskQueue: e.TaskQueue, SignalShape: e.SignalShape, EncryptionKey: e.EncryptionKey,
			Runner: pinned.Runner,
		}
	}
	place := func(item resource.ItemSpec) int {
		return slices.IndexFunc(current.Items, func(now resource.ItemSpec) bool { return now.Code == item.Code })
	}
	for _, text := range pinned.Items {
		var item resource.ItemSpec
		if err := json.Unmarshal(text, &item); err != nil {
			return nil, fmt.Errorf("reading an item of a version of %s: %w", displayKey(document.Key()), err)
		}
		if now := place(item); now >= 0 {
			item.Candidates, item.Viewers = current.Items[now].Candidates, current.Items[now].Viewers
		}
		spec.Items = append(spec.Items, item)
	}
	// A version does not have the order of its items: they are listed in the present order, removed ones last.
	slices.SortStableFunc(spec.Items, func(a, b resource.ItemSpec) int {
		last := len(current.Items) + 1
		return cmp.Compare(cmp.Or(place(a)+1, last), cmp.Or(place(b)+1, last))
	})
	document.Spec = spec
	return &DefinitionVersion{Document: document, DataStructures: content.DataStructures}, nil
}
