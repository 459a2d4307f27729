package store

import (
	"fmt"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/tools/common/schema"
	"go.temporal.io/server/tools/sql"
)

// Names of the schemas that Temporal's module embeds.
const (
	mainSchema       = "postgresql/v12/temporal"
	visibilitySchema = "postgresql/v12/visibility"
)

// migrate migrates an empty database, or any older version, to the schema of this
// build. Versions are applied one by one and recorded, so that an interrupted run
// continues at the next start.
func migrate(cfg *config.SQL, name string, logger log.Logger) error {
	conn, err := sql.NewConnection(cfg, logger)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close()
	if err := schema.NewSetupSchemaTask(conn, &schema.SetupConfig{InitialVersion: "0.0"}, logger).Run(); err != nil {
		return fmt.Errorf("creating the version tables: %w", err)
	}
	if err := schema.NewUpdateSchemaTask(conn, &schema.UpdateConfig{SchemaName: name}, logger).Run(); err != nil {
		return fmt.Errorf("updating schema %s: %w", name, err)
	}
	return nil
}
