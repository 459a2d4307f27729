package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/events/dispatch"
)

const serveName = "serve"

// newServeCommand returns the command serve. delay returns the pauses between attempts at webhooks.
func newServeCommand(delay dispatch.Delay) *cobra.Command {
	return newConfiguredCommand(serveName, "Run the service until SIGTERM or SIGINT",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			return server.Serve(ctx, c, delay, c.NewLogger(cmd.ErrOrStderr()))
		})
}
