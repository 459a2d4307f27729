package corpus_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var required = flag.Bool("corpus", false, "fail instead of skipping without the fetched packages")

// folder returns a folder that test/corpus/fetch writes. It skips the test if it is missing.
func folder(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs("../../.procession/corpus")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(root, "built", "complete")); err != nil {
		if *required {
			t.Fatal("the corpus is missing: run test/corpus/fetch")
		}
		t.Skip("the corpus is missing: run make corpus")
	}
	return filepath.Join(root, name)
}

// An entry is a published schema with values that were made of it, or an example of JSON Forms with its layout and value.
type entry struct {
	name             string
	schema, uiSchema json.RawMessage
	values           []json.RawMessage
}

// readSchemas returns the published schemas.
func readSchemas(t *testing.T) []entry {
	t.Helper()
	root := folder(t, "built")
	files, err := filepath.Glob(filepath.Join(root, "schemas", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 300)
	entries := make([]entry, len(files))
	for i, file := range files {
		e := &entries[i]
		e.name = filepath.Base(file)
		e.schema, err = os.ReadFile(file)
		require.NoError(t, err)
		readJSON(t, filepath.Join(root, "values", e.name), &e.values)
	}
	return entries
}

// readExamples returns the examples of JSON Forms.
func readExamples(t *testing.T) []entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder(t, "built"), "examples", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 60)
	var entries []entry
	for _, file := range files {
		var example struct {
			Schema, UISchema, Data json.RawMessage
		}
		readJSON(t, file, &example)
		e := entry{name: "example " + filepath.Base(file), schema: example.Schema, uiSchema: example.UISchema}
		if example.Data != nil {
			e.values = []json.RawMessage{example.Data}
		}
		entries = append(entries, e)
	}
	return entries
}

func readJSON(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to), file)
}
