package cli_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestExportingAProcess(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const process = "01980000-0000-7000-8000-0000000000e1"
	w.ask(memberToken, http.MethodPost, "/v2024-06-14/processes",
		`{"id":"`+process+`","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`, http.StatusCreated)
	member, folder := w.as(memberToken), t.TempDir()
	file := filepath.Join(folder, "process.zip")
	export := func(args ...string) []string { return append([]string{"processes", "export"}, args...) }

	require.Empty(t, member.succeeds(export(process, "-o", file)...))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	requireExport(t, written, process)
	requireExport(t, []byte(member.succeeds(export(process, "-o", "-")...)), process)

	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	require.Contains(t, member.fails(cli.ExitUsage, export(process, "-o", file)...), "process.zip exists: name another file with -o")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(kept))
	unknown := uuid.NewString()
	require.Equal(t, "process "+unknown+" not found", member.fails(cli.ExitNotFound, export(unknown, "-o", file, "--force")...))
	require.Equal(t, "process "+process+" not found", w.as(w.operator).fails(cli.ExitNotFound, export(process, "-o", filepath.Join(folder, "none.zip"))...))
	member.fails(cli.ExitUsage, export(process, "-o", filepath.Join(folder, "missing", "process.zip"))...)
	kept, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(kept), "a failed export changes nothing")

	member.succeeds(export(process, "-o", file, "--force")...)
	written, err = os.ReadFile(file)
	require.NoError(t, err)
	requireExport(t, written, process)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "parts are removed")
}

// requireExport checks that a ZIP is the export of a process.
func requireExport(t *testing.T, content []byte, process string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	file, err := archive.Open("process.json")
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	require.Contains(t, string(text), process)
	require.Equal(t, "manifest.json", archive.File[len(archive.File)-1].Name)
}
