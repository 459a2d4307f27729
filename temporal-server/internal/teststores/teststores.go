// Package teststores gives tests the Cassandra and OpenSearch that the command test/stores of the root module has started.
package teststores

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

const (
	// folder is the variable that names the folder of settings.
	folder = "TEST_STORES"

	// Main is the file with the settings of Cassandra.
	Main = "store.yaml"
	// Lists is the file with the settings of OpenSearch.
	Lists = "visibility.yaml"
)

// Folder returns the folder of the stores, empty if there are none.
func Folder() string { return os.Getenv(folder) }

// Options returns the settings of stores, in files, with a keyspace and an index of its own. It skips the test if there are no stores.
func Options(t *testing.T, files []string, more ...string) options.Options {
	t.Helper()
	dir := Folder()
	if dir == "" {
		t.Skip("make test-cluster starts the stores")
	}
	var text []byte
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file)) //nolint:gosec // the folder of the test
		require.NoError(t, err)
		text = append(text, content...)
	}
	path := filepath.Join(t.TempDir(), "stores.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600)) //nolint:gosec // a folder of the test
	args := append([]string{"--config", path}, more...)
	name := "t" + strings.ReplaceAll(uuid.NewString(), "-", "")
	for _, file := range files {
		if file == Main {
			args = append(args, "--cassandra-keyspace", name)
		} else {
			args = append(args, "--opensearch-index", name)
		}
	}
	opts, err := options.ParseStores("schema", args, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	return opts
}
