package app

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// manyDefinitions has a definition of each version, and counts how often one is read.
type manyDefinitions struct{ read int }

func (m *manyDefinitions) GetDefinitionVersion(_ context.Context, version uuid.UUID) (*domain.ProcessDefinition, error) {
	m.read++
	return &domain.ProcessDefinition{DefinitionRef: domain.DefinitionRef{Version: version}}, nil
}

func TestDefinitionsInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	const versions = 3 * maxDefinitions
	processes, artifacts, source := newDefinitionCache(), newArtifactDefinitionCache(), &manyDefinitions{}
	often := uuid.New()
	for range versions {
		for _, version := range []uuid.UUID{often, uuid.New()} {
			found, err := processes.get(t.Context(), source, version)
			require.NoError(t, err)
			require.Equal(t, version, found.Version)
		}
		artifacts.put(persistence.ArtifactDefinition{
			ArtifactDefinitionState: persistence.ArtifactDefinitionState{
				ArtifactDefinitionRef: domain.ArtifactDefinitionRef{ID: uuid.New()},
			},
			Spec: &resource.BusinessArtifactDefinitionSpec{},
		})
	}
	require.Equal(t, versions+1, source.read, "what is in use stays")
	require.Equal(t, maxDefinitions, processes.versions.Len())
	require.Equal(t, maxDefinitions, artifacts.byVersion.Len())
}
