package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/persistence"
)

func newMigrateCommand() *cobra.Command {
	return configured("migrate", "Bring the database schema up to date",
		func(ctx context.Context, _ *cobra.Command, c Config) error {
			db, err := openDatabase(ctx, c)
			if err != nil {
				return err
			}
			defer db.Close()
			return db.Migrate(ctx)
		})
}

// openDatabase opens the database of the configuration. The caller closes it.
func openDatabase(ctx context.Context, c Config) (*persistence.DB, error) {
	if err := c.requireDatabase(); err != nil {
		return nil, err
	}
	return persistence.Open(ctx, c.DatabaseURL, c.DatabaseConnections)
}

// prepareSchema does at start what the configuration says about the schema.
func prepareSchema(ctx context.Context, db *persistence.DB, mode string) error {
	switch mode {
	case migrateAuto:
		return db.Migrate(ctx)
	case migrateCheck:
		current, err := db.Migrated(ctx)
		if err != nil {
			return fmt.Errorf("checking the schema: %w", err)
		}
		if !current {
			return errors.New("the database schema is older than this build: run procession migrate")
		}
	}
	return nil
}
