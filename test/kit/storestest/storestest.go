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
	useStores(tb, o, "visibility.yaml", "--opensearch-index", nameOf(o.DatabaseURL))
}

// UseAll stores everything of a cluster in Cassandra and OpenSearch.
func UseAll(tb testing.TB, o *temporalserver.Options) {
	tb.Helper()
	if os.Getenv(folder) == "" {
		return
	}
	name := nameOf(o.DatabaseURL)
	o.Store, o.DatabaseURL = "", ""
	useStores(tb, o, "both.yaml", "--cassandra-keyspace", name, "--opensearch-index", name, "--history-shards", "4")
}

// useStores gives a server the settings of a file in the folder and more, and prepares its stores.
func useStores(tb testing.TB, o *temporalserver.Options, file string, more ...string) {
	tb.Helper()
	o.More = append([]string{"--config", filepath.Join(os.Getenv(folder), file)}, more...)
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
