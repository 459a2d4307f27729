package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPagesSection runs the sections of pages in a short form.
func TestPagesSection(t *testing.T) {
	t.Parallel()
	var report, progress bytes.Buffer
	args := []string{"--only", "pages,administration", "--rounds", "1", "--requests", "2", "--administered", "2", "--page-tasks", "500"}
	require.NoError(t, run(t.Context(), args, &report, &progress), progress.String())
	for _, p := range consolePages() {
		require.Contains(t, report.String(), "page "+p.name+",")
	}
	for _, p := range administrationPages() {
		require.Contains(t, report.String(), "first page of "+p.name)
	}
}
