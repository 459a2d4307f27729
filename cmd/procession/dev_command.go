package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/dev"
)

func newDevCommand() *cobra.Command {
	var o dev.Options
	cmd := newConfiguredCommand("dev", "Run the whole stack on this machine: PostgreSQL, Temporal, the service, demo data",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			return dev.Run(ctx, cmd.OutOrStdout(), c, o)
		})
	o.BindFlags(cmd.Flags())
	return cmd
}
