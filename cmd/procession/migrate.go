package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/persistence"
)

func newMigrateCommand() *cobra.Command {
	var role string
	var status bool
	cmd := newConfiguredCommand("migrate", "Bring the database schema up to date",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			db, err := server.OpenDatabase(ctx, c)
			if err != nil {
				return err
			}
			defer db.Close()
			if status {
				return reportSchema(ctx, cmd, db)
			}
			if err := db.Migrate(ctx); err != nil {
				return err
			}
			if role != "" {
				if err := db.GrantTo(ctx, role); err != nil {
					return err
				}
			}
			return reportSchema(ctx, cmd, db)
		})
	cmd.Flags().StringVar(&role, "grant-to", "",
		"`role` of the service in the database, if it is not the owner: it is granted the privileges that it needs")
	cmd.Flags().BoolVar(&status, "status", false, "only print the version of the schema; exit code 1 if it is older than this build")
	return cmd
}

// reportSchema prints the version of the schema, and returns an error if it is older than this build.
func reportSchema(ctx context.Context, cmd *cobra.Command, db *persistence.DB) error {
	current, newest, err := db.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	if current < newest {
		return fmt.Errorf("the schema is at version %d, and this build needs %d: run procession migrate", current, newest)
	}
	text := fmt.Sprintf("the schema is at version %d", current)
	if current > newest {
		text += fmt.Sprintf(", newer than this build, which knows %d", newest)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}
