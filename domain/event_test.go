package domain_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestEventCursorsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []domain.EventCursor{
		{},
		{Era: 1, Transaction: 745, Position: 12},
		{Era: math.MaxInt32, Transaction: math.MaxInt64, Position: math.MaxInt64},
	} {
		read, err := domain.ParseEventCursor(c.String())
		require.NoError(t, err)
		require.Equal(t, c, read)
	}
	for _, text := range []string{
		"", "1", "1.2", "1.2.3.4", "1.2.", ".2.3", "-1.2.3", "+1.2.3", "01.2.3", "1.2.3 ", "1.0x2.3", "1.2_0.3",
		"2147483648.1.1", "1.9223372036854775808.1", "1.1.9223372036854775808", "a.b.c",
	} {
		_, err := domain.ParseEventCursor(text)
		require.Error(t, err, text)
	}
}

func TestResourcesOfTheConfigurationHaveKindsOfEvents(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]domain.EventResource{
		"Tenant": domain.ResourceTenant, "ProcessDefinition": "PROCESS_DEFINITION",
		"BusinessArtifactDefinition": "BUSINESS_ARTIFACT_DEFINITION",
	} {
		require.Equal(t, want, domain.ConfiguredResource(kind))
	}
}

// Adding a detail does not change the original event.
func TestDetailsAreAddedToACopy(t *testing.T) {
	t.Parallel()
	first := domain.Event{Type: domain.EventSecretIssued}.With("a", "1").With("none", "")
	second := first.With("b", "2")
	require.Equal(t, map[string]string{"a": "1"}, first.Details)
	require.Equal(t, map[string]string{"a": "1", "b": "2"}, second.Details)
	require.False(t, second.Public())
	require.True(t, domain.Event{Type: domain.EventItemCreated}.Public())
}
