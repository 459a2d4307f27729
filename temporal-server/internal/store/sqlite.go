package store

import (
	"github.com/google/uuid"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"

	"github.com/procession-dev/procession/temporal-server/access"
)

// openSQLite returns the configuration of a database in memory. Temporal's plugin creates it with its schema at the first connection.
func openSQLite() *Store {
	db := config.DataStore{SQL: &config.SQL{
		PluginName: sqlite.PluginName,
		// In-memory databases of one process need distinct names.
		DatabaseName:      "temporal-" + uuid.NewString(),
		ConnectAttributes: map[string]string{"mode": "memory", "cache": "shared"},
	}}
	return &Store{
		Persistence: config.Persistence{
			DefaultStore:     mainStore,
			VisibilityStore:  mainStore,
			NumHistoryShards: 1,
			DataStores:       map[string]config.DataStore{mainStore: db},
		},
		Shared: access.NewMemoryStore(),
	}
}
