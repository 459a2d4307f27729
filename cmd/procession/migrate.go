package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/persistence"
)

func newMigrateCommand() *cobra.Command {
	var role string
	cmd := configured("migrate", "Bring the database schema up to date",
		func(ctx context.Context, _ *cobra.Command, c Config) error {
			db, err := openDatabase(ctx, c)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.Migrate(ctx); err != nil || role == "" {
				return err
			}
			return db.GrantTo(ctx, role)
		})
	cmd.Flags().StringVar(&role, "grant-to", "",
		"`role` of the database that the service works as, if it is not the owner: it is given what it needs")
	return cmd
}

// openDatabase opens the database of the configuration. The caller closes it.
func openDatabase(ctx context.Context, c Config) (*persistence.DB, error) {
	if err := c.requireDatabase(); err != nil {
		return nil, err
	}
	return persistence.Open(ctx, c.DatabaseURL, persistence.Limits{
		Requests: c.DatabaseConnections, Background: c.DatabaseBackgroundConnections, Streams: c.DatabaseStreamConnections,
		RequestTime: c.DatabaseStatementTimeout, ListMemory: c.ListMemoryBytes,
	})
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
			return errors.New("the database schema is older than this build, or restored from elsewhere: run procession migrate")
		}
	}
	return nil
}
