package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/deadline"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// definition is a version of a process definition, ready to be worked with.
type definition struct {
	*domain.ProcessDefinition
	metadata *jsondoc.Schema
	entity   *jsondoc.Schema
	elements map[string]*elementDefinition
	items    map[string]*itemDefinition
	// structures are the schemas of the data of messages, by their codes.
	structures map[string]*jsondoc.Schema
	// actions are in the order of the definition.
	actions []*userAction
	// due is the rule of the due date, nil for none.
	due *deadline.Rule
}

type itemDefinition struct {
	*domain.ItemDefinition
	data        *jsondoc.Schema
	contextData *jsondoc.Schema
	elements    map[string]*elementDefinition
	// due, followUp and priority are the rules of the plan of a task, nil for none.
	due, followUp, priority *deadline.Rule
}

// maxDefinitions bounds the versions of process definitions in memory, and the
// definitions of business artifacts.
const maxDefinitions = 1000

// definitionCache caches versions with their compiled schemas. Versions never
// change, so entries are never stale.
type definitionCache struct {
	versions *lru.Cache[uuid.UUID, *definition]
}

func newDefinitionCache() *definitionCache {
	// An error occurs only for a size below 1.
	versions, _ := lru.New[uuid.UUID, *definition](maxDefinitions)
	return &definitionCache{versions: versions}
}

// definitionSource reads a version of a process definition: a transaction, or a
// reader where there is none.
type definitionSource interface {
	GetDefinitionVersion(ctx context.Context, version uuid.UUID) (*domain.ProcessDefinition, error)
}

func (c *definitionCache) get(ctx context.Context, from definitionSource, version uuid.UUID) (*definition, error) {
	if cached, ok := c.versions.Get(version); ok {
		return cached, nil
	}
	source, err := from.GetDefinitionVersion(ctx, version)
	if err != nil {
		return nil, err
	}
	compiled, err := compileDefinition(source)
	if err != nil {
		return nil, fmt.Errorf("preparing process definition %s: %w", source.Code, err)
	}
	c.versions.Add(version, compiled)
	return compiled, nil
}

func compileDefinition(source *domain.ProcessDefinition) (*definition, error) {
	d := &definition{
		ProcessDefinition: source, items: make(map[string]*itemDefinition, len(source.Items)),
		structures: make(map[string]*jsondoc.Schema, len(source.Spec.DataStructures)),
	}
	var err error
	if d.metadata, err = jsondoc.Compile(source.Spec.MetadataSchema); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if d.entity, err = jsondoc.Compile(source.Spec.EntitySchema); err != nil {
		return nil, fmt.Errorf("entity: %w", err)
	}
	if d.elements, err = compileElements(source.Spec.Elements); err != nil {
		return nil, err
	}
	for i := range source.Items {
		item := &itemDefinition{ItemDefinition: &source.Items[i]}
		if item.data, err = jsondoc.Compile(item.Spec.DataSchema); err != nil {
			return nil, fmt.Errorf("data of %s: %w", item.Code, err)
		}
		if item.contextData, err = jsondoc.Compile(item.Spec.ContextDataSchema); err != nil {
			return nil, fmt.Errorf("context data of %s: %w", item.Code, err)
		}
		if item.elements, err = compileElements(item.Spec.Elements); err != nil {
			return nil, fmt.Errorf("elements of %s: %w", item.Code, err)
		}
		item.due, item.followUp, item.priority = newRule(item.Spec.Due), newRule(item.Spec.FollowUp), newRule(item.Spec.Priority)
		d.items[item.Code] = item
	}
	for code, schema := range source.Spec.DataStructures {
		if d.structures[code], err = jsondoc.Compile(schema); err != nil {
			return nil, fmt.Errorf("data structure %s: %w", code, err)
		}
	}
	d.due = newRule(source.Spec.Due)
	for i := range source.Spec.UserActions {
		d.actions = append(d.actions, newUserAction(&source.Spec.UserActions[i]))
	}
	return d, nil
}
