package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThroughputSections runs the sections with pgbench scripts, in a short form,
// and the section of lists, with the same build as baseline.
func TestThroughputSections(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "procession")
	require.NoError(t, buildService(t.Context(), binary))

	var report, progress bytes.Buffer
	args := []string{"--only", "creates,pairs,engine,list,ends", "--items", "1000", "--processes", "20", "--list-tenants", "2", "--requests", "2", "--seconds", "1", "--rounds", "1", "--clients", "2", "--samples", "4", "--visibility-rows", "2000", "--rest", "1", "--baseline", binary}
	require.NoError(t, run(t.Context(), args, &report, &progress), progress.String())
	for _, row := range []string{
		"POST /processes, manual ", "POST /processes, manual, beside the baseline", "POST /processes, manual, CPU of the service",
		"claim + complete a task ", "claim + complete a task, beside the baseline", "claim + complete a task, CPU of the service",
		"list, 1 k items, manager, processes", "list, 1 k items, candidate of 1 %, newest first",
		"workflow returns → process COMPLETED visible, 500 open and 1500 ended workflows ",
		"processes whose workflow waits for one task ", "processes whose workflow waits for one task, CPU per process, service",
		"list, 1 k items, initiator of 1 % ", "list, 1 k items, after 1 s of writes and an open transaction, baseline",
	} {
		require.Contains(t, report.String(), row)
	}
}

func TestIdleTenantsBesideAStandIn(t *testing.T) {
	t.Parallel()
	var report, progress bytes.Buffer
	args := []string{"--only", "idle", "--stand-in", "--tenants", "20", "--rest", "1"}
	require.NoError(t, run(t.Context(), args, &report, &progress), progress.String())
	require.Contains(t, report.String(), "idle, 20 tenants without runs ")
	require.Contains(t, report.String(), "idle, 20 tenants with 10 open runs each ")
	_, err := parseOptions([]string{"--stand-in", "--only", "engine,idle"}, &progress)
	require.ErrorContains(t, err, "--stand-in needs --only idle")
}
