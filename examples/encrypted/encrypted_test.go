package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/sdk/processiontest"
)

func TestTemporalReadsNothing(t *testing.T) {
	t.Parallel()
	s := processiontest.New(t, processiontest.Options{Register: registerWorkflow, Workflow: "FindingWorkflow", EncryptionKey: "findings"})
	s.When("WRITE", func(task *processiontest.Task) { task.Complete(finding{Patient: "Carol", Diagnosis: "sound"}) })
	s.When("READ", func(task *processiontest.Task) {
		require.JSONEq(t, `{"PATIENT":"Carol","DIAGNOSIS":"sound"}`, string(task.Item.Task.Data.Value))
		task.Complete(nil)
	})
	response, err := s.Run()
	require.NoError(t, err)
	require.Equal(t, "The finding of Carol was read", response.Message)
	sealed := 0
	for _, payload := range s.Payloads() {
		require.NotContains(t, payload, "Carol")
		require.NotContains(t, payload, "sound")
		if strings.HasPrefix(payload, "AES-256-GCM:") {
			sealed++
		}
	}
	require.GreaterOrEqual(t, sealed, 8, "arguments and results of four activities")
}
