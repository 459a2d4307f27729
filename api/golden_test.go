package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the bodies that tests see to testdata instead of comparing")

// requireGolden requires the body of an answer to be, white space apart, what
// the file of this name in testdata holds.
func requireGolden(t *testing.T, name string, got answer) {
	t.Helper()
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(got.body), "", "  "))
	path := filepath.Join("testdata", filepath.FromSlash(name)+".json")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, indented.Bytes(), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), indented.String())
}
