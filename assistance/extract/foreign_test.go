package extract_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/assistance/extract"
)

var documents = flag.String("documents", "", "the folder of documents written by test/compat/office")

// TestForeignDocuments reads the documents of other programs.
func TestForeignDocuments(t *testing.T) {
	t.Parallel()
	if *documents == "" {
		t.Skip("make compat generates the documents")
	}
	list, err := os.ReadFile(filepath.Join(*documents, "wanted.json"))
	require.NoError(t, err)
	var wanted map[string]struct{ Has, Not []string }
	require.NoError(t, json.Unmarshal(list, &wanted))
	for name, want := range wanted {
		data, err := os.ReadFile(filepath.Join(*documents, name))
		require.NoError(t, err)
		text, err := read(t, name, "", string(data), extract.DefaultLimits())
		require.NoError(t, err, name)
		for _, part := range want.Has {
			require.Contains(t, text.Body, part, name)
		}
		for _, part := range want.Not {
			require.NotContains(t, text.Body, part, name)
		}
	}
}
