package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/persistence"
)

// OpenDatabase opens the database of the configuration. The caller closes it.
func OpenDatabase(ctx context.Context, c config.Config, sealKeys ...string) (*persistence.DB, error) {
	if err := c.RequireDatabase(); err != nil {
		return nil, err
	}
	return persistence.Open(ctx, c.DatabaseURL, persistence.Limits{
		Requests: c.DatabaseConnections, Background: c.DatabaseBackgroundConnections, Streams: c.DatabaseStreamConnections,
		RequestTime: c.DatabaseStatementTimeout, ListMemory: c.ListMemoryBytes, DirectURL: c.DatabaseDirectURL, SealKeys: sealKeys,
	})
}

// PrepareSchema migrates or checks the schema at start, as configured.
func PrepareSchema(ctx context.Context, db *persistence.DB, mode string) error {
	switch mode {
	case config.MigrateAuto:
		return db.Migrate(ctx)
	case config.MigrateCheck:
		current, err := db.Migrated(ctx)
		if err != nil {
			return fmt.Errorf("checking the schema: %w", err)
		}
		if !current {
			return errors.New("the database schema is older than this build, or restored from elsewhere: run procession migrate")
		}
	}
	return nil
}
