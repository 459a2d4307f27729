// Package storestest gives a test's Temporal the Cassandra and OpenSearch that the command test/stores has started. Without them it
// changes nothing.
package storestest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const (
	// folder is the variable that names the folder of settings.
	folder = "TEST_STORES"

	schemaTime = 5 * time.Minute
)

// UseLists stores the lists of workflows of a server in OpenSearch, and the rest in PostgreSQL.
func UseLists(tb testing.TB, o *temporalserver.Options) {
	tb.Helper()
	if os.Getenv(folder) == "" {
		return
	}
	if o.Store == temporalserver.StoreSQLite {
		// A new database each time, like memory.
		o.Store, o.DatabaseURL = temporalserver.StorePostgres, pgtest.URL(tb)
		o.Database = "temporal_" + nameOf(o.DatabaseURL)
	}
	useStores(tb, o, []string{"visibility.yaml"}, []string{"opensearch-index: " + nameOf(o.DatabaseURL) + "\n"})
}

// UseAll stores everything of a cluster in Cassandra and OpenSearch.
func UseAll(tb testing.TB, o *temporalserver.Options) {
	tb.Helper()
	if os.Getenv(folder) == "" {
		return
	}
	name := nameOf(o.DatabaseURL)
	o.Store, o.DatabaseURL = "", ""
	useStores(tb, o, []string{"store.yaml", "visibility.yaml"},
		[]string{"cassandra-keyspace: " + name + "\nhistory-shards: 4\n", "opensearch-index: " + name + "\n"})
}

// useStores gives a server the settings of the files in the folder, each followed by the text of the same position, and prepares its
// stores.
func useStores(tb testing.TB, o *temporalserver.Options, files, texts []string) {
	tb.Helper()
	var text []byte
	for i, file := range files {
		content, err := os.ReadFile(filepath.Join(os.Getenv(folder), file)) //nolint:gosec // the folder of the test
		require.NoError(tb, err)
		text = append(append(text, content...), texts[i]...)
	}
	o.Config = filepath.Join(tb.TempDir(), "stores.yaml")
	require.NoError(tb, os.WriteFile(o.Config, text, 0o600)) //nolint:gosec // a folder of the test
	ctx, cancel := context.WithTimeout(context.Background(), schemaTime)
	defer cancel()
	out, err := temporalserver.UpdateSchema(ctx, *o)
	require.NoError(tb, err)
	tb.Log(out)
}

// nameOf returns a name for the data of a server, the same whenever it starts on a database.
func nameOf(databaseURL string) string {
	sum := sha256.Sum256([]byte(databaseURL))
	return "t" + hex.EncodeToString(sum[:12])
}
