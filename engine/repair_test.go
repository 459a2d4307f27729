package engine_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// requireResets requires that each of two commands makes one run, however often it is executed.
func requireResets(t *testing.T, b fixture) {
	t.Helper()
	c := newCommand("listener")
	run := b.executeCommand(t, c)
	for i, parameters := range []domain.CommandParameters{{EngineRun: run, EventID: 4}, {Before: new(uuid.UUID)}} {
		reset := nextCommand(c, domain.CommandReset, run)
		reset.Parameters = &parameters
		require.Eventually(t, func() bool {
			_, err := b.Execute(t.Context(), reset)
			return err == nil
		}, time.Minute, 100*time.Millisecond, "the first workflow task ends")
		for range 3 {
			require.Equal(t, run, b.executeCommand(t, reset))
		}
		require.Eventually(t, func() bool {
			found, err := b.client.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
				Namespace: namespace, Query: "WorkflowId = '" + c.Run.WorkflowID + "'",
			})
			return err == nil && found.GetCount() == int64(i)+2
		}, time.Minute, 100*time.Millisecond)
	}
}
