package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThroughputSections runs the sections with pgbench scripts, in a short form,
// with the same build as baseline.
func TestThroughputSections(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "procession")
	require.NoError(t, buildService(t.Context(), binary))

	var report, progress bytes.Buffer
	args := []string{"--only", "creates,pairs", "--seconds", "1", "--rounds", "1", "--clients", "2", "--baseline", binary}
	require.NoError(t, run(t.Context(), args, &report, &progress), progress.String())
	for _, row := range []string{
		"POST /processes, manual ", "POST /processes, manual, beside the baseline", "POST /processes, manual, CPU of the service",
		"claim + complete a task ", "claim + complete a task, beside the baseline", "claim + complete a task, CPU of the service",
	} {
		require.Contains(t, report.String(), row)
	}
}
