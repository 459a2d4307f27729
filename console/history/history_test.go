package history_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/domain"
)

func TestEveryTimelineEventHasASentence(t *testing.T) {
	t.Parallel()
	for _, of := range slices.Concat(domain.TimelineEventTypes(), domain.ArtifactEventTypes()) {
		event := &domain.TimelineEvent{Event: domain.Event{Type: of}}
		switch of { //nolint:exhaustive // other sentences do not depend on the kind of resource
		case domain.EventProcessActionCreated, domain.EventProcessActionStateChanged:
			event.ResourceKind = domain.ResourceProcessAction
		case domain.EventArtifactActionCreated, domain.EventArtifactActionStateChanged:
			event.ResourceKind = domain.ResourceArtifactAction
		}
		require.NotEqual(t, string(of), history.Sentence(t.Context(), event, nil), "console/history/history.go")
	}
}

// Only the state events of new processes and tasks are left out: other events of a running process have no previous state either.
func TestMomentsLeaveOutFirstStatesOnly(t *testing.T) {
	t.Parallel()
	for _, of := range domain.TimelineEventTypes() {
		for _, state := range []string{string(domain.ProcessRunning), string(domain.TaskReady)} {
			first := of == domain.EventProcessStateChanged || of == domain.EventItemTaskStateChanged || of == domain.EventProcessActionStateChanged
			shown := history.Moments([]domain.TimelineEvent{{Event: domain.Event{Type: of, State: state}}})
			require.Equal(t, first, len(shown) == 0, "%s to %s", of, state)
		}
	}
}
