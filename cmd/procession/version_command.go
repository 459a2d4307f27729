package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/server"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version, the commit and its time, and the version of Go", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "procession %s %s %s/%s\n", server.BuildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
