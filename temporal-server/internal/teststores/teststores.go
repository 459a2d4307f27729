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
	// Both is the file with the settings of both.
	Both = "both.yaml"
)

// Folder returns the folder of the stores, empty if there are none.
func Folder() string { return os.Getenv(folder) }

// Options returns the settings of stores, in a file, with a keyspace and an index of its own. It skips the test if there are no stores.
func Options(t *testing.T, file string, more ...string) options.Options {
	t.Helper()
	if Folder() == "" {
		t.Skip("make test-cluster starts the stores")
	}
	args := append([]string{"--config", filepath.Join(Folder(), file)}, more...)
	name := "t" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if file != Lists {
		args = append(args, "--cassandra-keyspace", name)
	}
	if file != Main {
		args = append(args, "--opensearch-index", name)
	}
	opts, err := options.ParseStores("schema", args, func(string) (string, bool) { return "", false }, io.Discard)
	require.NoError(t, err)
	return opts
}
