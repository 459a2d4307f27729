package corpus_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var required = flag.Bool("corpus", false, "fail instead of skipping without the fetched packages")

// folder returns the folder of an unpacked archive. It skips the test if it was not fetched.
func folder(t *testing.T, archive string) string {
	t.Helper()
	root, err := filepath.Abs("../../.procession/corpus")
	require.NoError(t, err)
	path := filepath.Join(root, archive+".d")
	if _, err := os.Stat(filepath.Join(root, archive+".complete")); err != nil {
		if *required {
			t.Fatalf("%s is missing: run test/corpus/fetch", archive)
		}
		t.Skip("the corpus is missing: run make corpus")
	}
	return path
}
