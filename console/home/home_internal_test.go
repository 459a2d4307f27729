package home

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// Every first step that the user may take leads to a screen.
func TestFirstStepsHaveScreens(t *testing.T) {
	t.Parallel()
	steps := listSteps(t.Context(), domain.FirstSteps{Administers: true, MayStart: true})
	require.Len(t, steps, 4)
	for _, s := range steps {
		require.NotEmpty(t, s.Path, s.Text)
	}
}
