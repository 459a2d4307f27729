package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/cmd/procession/server"
)

func newDoctorCommand() *cobra.Command {
	var c config.Config
	format := doctor.Format("text")
	cmd := &cobra.Command{
		Use: "doctor", Args: noArgs, Short: "Check the dependencies of the service",
		Long: "Checks the dependencies of the service with its configuration and advises how to fix problems. It changes no data.\n" +
			"Each check takes at most 5 seconds; checks that depend on a failed one are skipped.\n\n" +
			"Exit codes: 0 no check fails, though there may be warnings, 1 a check fails, 2 invalid arguments.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings := c.Load(cmd.Flags())
			options := server.DoctorOptions(c, time.Now)
			if settings != nil {
				options.Settings = settings
			}
			findings := doctor.Examine(cmd.Context(), options)
			if err := format.Write(cmd.OutOrStdout(), findings); err != nil {
				return err
			}
			return doctor.Failure(findings)
		},
	}
	bindSettings(&c, cmd)
	cmd.Flags().VarP(&format, "output", "o", "text or json")
	return cmd
}
