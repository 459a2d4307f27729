package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPagesSection runs the section of pages in a short form.
func TestPagesSection(t *testing.T) {
	t.Parallel()
	var report, progress bytes.Buffer
	args := []string{"--only", "pages", "--rounds", "1", "--requests", "2"}
	require.NoError(t, run(t.Context(), args, &report, &progress), progress.String())
	for _, p := range pages() {
		require.Contains(t, report.String(), "page "+p.name+",")
	}
}
