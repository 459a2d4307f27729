package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// artifactDefinition is a business artifact definition in a state, ready to be
// worked with.
type artifactDefinition struct {
	persistence.ArtifactDefinition
	indexes []domain.IndexedMember
	// schemas compiles, on first use, the schema of the data and the schemas of inputs by the codes of their actions.
	schemas func() (artifactSchemas, error)
}

type artifactSchemas struct {
	data   *jsondoc.Schema
	inputs map[string]*jsondoc.Schema
}

func newArtifactDefinition(source persistence.ArtifactDefinition) *artifactDefinition {
	return &artifactDefinition{
		ArtifactDefinition: source, indexes: source.Spec.IndexedMembers(),
		schemas: sync.OnceValues(func() (artifactSchemas, error) { return compileArtifact(source) }),
	}
}

func compileArtifact(source persistence.ArtifactDefinition) (artifactSchemas, error) {
	s := artifactSchemas{inputs: make(map[string]*jsondoc.Schema, len(source.Spec.Actions))}
	var err error
	if s.data, err = jsondoc.Compile(source.Spec.DataSchema); err != nil {
		return s, fmt.Errorf("preparing business artifact definition %s: data: %w", source.Code, err)
	}
	for i := range source.Spec.Actions {
		action := &source.Spec.Actions[i]
		if s.inputs[action.Code], err = jsondoc.Compile(action.InputSchema); err != nil {
			return s, fmt.Errorf("preparing business artifact definition %s: input of %s: %w", source.Code, action.Code, err)
		}
	}
	return s, nil
}

// indexedValues returns the indexed values of an artifact's data.
func (d *artifactDefinition) indexedValues(data *domain.JSONValue) ([]persistence.IndexedValue, error) {
	if data == nil {
		return nil, nil
	}
	return storage.IndexedValues(data.Value, d.indexes)
}

// maxSeen bounds the number of callers with cached lists of definitions.
const maxSeen = 10_000

// artifactDefinitionCache keeps the last state read of each definition, and the
// definitions that were visible to a caller at its last search. Callers must
// check in the same round trip as their other reads that the cached states are
// current.
type artifactDefinitionCache struct {
	byVersion *lru.Cache[uuid.UUID, *artifactDefinition]
	seen      *lru.Cache[string, []persistence.ArtifactDefinitionState]
}

func newArtifactDefinitionCache() *artifactDefinitionCache {
	// An error occurs only for a size below 1.
	definitions, _ := lru.New[uuid.UUID, *artifactDefinition](maxDefinitions)
	seen, _ := lru.New[string, []persistence.ArtifactDefinitionState](maxSeen)
	return &artifactDefinitionCache{byVersion: definitions, seen: seen}
}

// get returns the definition in the state of the transaction.
func (c *artifactDefinitionCache) get(
	ctx context.Context, tx *persistence.Tx, state persistence.ArtifactDefinitionState,
) (*artifactDefinition, error) {
	if cached := c.findCached(state); cached != nil {
		return cached, nil
	}
	source, err := tx.GetArtifactDefinition(ctx, state.TenantID, state.ID)
	if err != nil {
		return nil, err
	}
	return c.put(*source), nil
}

// getOfArtifact returns the definition of an artifact that is under lock.
func (c *artifactDefinitionCache) getOfArtifact(
	ctx context.Context, tx *persistence.Tx, a *persistence.LockedArtifact,
) (*artifactDefinition, error) {
	return c.get(ctx, tx, persistence.ArtifactDefinitionState{
		ArtifactDefinitionRef: a.Definition, TenantID: a.TenantID, ModifiedAt: a.DefinitionModifiedAt,
	})
}

func (c *artifactDefinitionCache) findCached(state persistence.ArtifactDefinitionState) *artifactDefinition {
	cached, ok := c.byVersion.Get(state.ID)
	if !ok || !cached.ModifiedAt.Equal(state.ModifiedAt) {
		return nil
	}
	return cached
}

func (c *artifactDefinitionCache) put(source persistence.ArtifactDefinition) *artifactDefinition {
	made := newArtifactDefinition(source)
	c.byVersion.Add(source.ID, made)
	return made
}

// cachedFor returns the definitions that the caller saw last, nil when that is not
// known.
func (c *artifactDefinitionCache) cachedFor(caller domain.Caller) []*artifactDefinition {
	states, ok := c.seen.Get(callerKey(caller))
	if !ok {
		return nil
	}
	definitions := make([]*artifactDefinition, len(states))
	for i, state := range states {
		if definitions[i] = c.findCached(state); definitions[i] == nil {
			return nil
		}
	}
	return definitions
}

// listVisible reads which definitions are visible to the caller.
func (c *artifactDefinitionCache) listVisible(
	ctx context.Context, reader *persistence.Reader, caller domain.Caller,
) ([]*artifactDefinition, error) {
	found, err := reader.ListArtifactDefinitions(ctx, caller)
	if err != nil {
		return nil, err
	}
	definitions := make([]*artifactDefinition, len(found))
	states := make([]persistence.ArtifactDefinitionState, len(found))
	for i := range found {
		states[i] = found[i].ArtifactDefinitionState
		if definitions[i] = c.findCached(states[i]); definitions[i] == nil {
			definitions[i] = c.put(found[i])
		}
	}
	c.seen.Add(callerKey(caller), states)
	return definitions, nil
}

// callerKey names a caller with the tenants for which its credential is valid.
func callerKey(caller domain.Caller) string {
	key := append([]byte(nil), caller.PrincipalID[:]...)
	for _, m := range caller.Memberships {
		key = append(key, m.TenantID[:]...)
	}
	return string(key)
}
