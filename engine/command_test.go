package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// Temporal shows the reason of a cancellation.
func TestReasonOfStop(t *testing.T) {
	t.Parallel()
	for kind, want := range map[domain.EngineRunKind]string{
		domain.RunKindProcess:        "the process is finished",
		domain.RunKindProcessAction:  "the action is canceled",
		domain.RunKindArtifactAction: "the action is canceled",
		domain.RunKindTaskRobot:      "the task is cancelled",
	} {
		require.Equal(t, want, stopReason(domain.EngineRun{Kind: kind}), kind)
	}
}
