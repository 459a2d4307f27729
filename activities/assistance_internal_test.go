package activities

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// A step that panics fails without ending the process.
func TestHeartbeatsRecoverPanics(t *testing.T) {
	t.Parallel()
	err := runWithHeartbeats(t.Context(), func() error { panic("broken") })
	require.ErrorContains(t, err, "the step panicked: broken")
	errStep := errors.New("the step fails")
	require.Equal(t, errStep, runWithHeartbeats(t.Context(), func() error { return errStep }))
	require.NoError(t, runWithHeartbeats(t.Context(), func() error { return nil }))
}
