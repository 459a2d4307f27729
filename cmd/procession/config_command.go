package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
)

func newConfigCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Print the configuration", RunE: runGroup}
	cmd.AddCommand(newConfiguredCommand("print", "Print the settings in force as YAML, without secrets",
		func(_ context.Context, cmd *cobra.Command, c config.Config) error {
			return printConfig(cmd, c)
		}))
	return cmd
}

func printConfig(cmd *cobra.Command, c config.Config) error {
	out, err := c.Redacted().YAML()
	if err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	_, err = cmd.OutOrStdout().Write(out)
	return err
}
