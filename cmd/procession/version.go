package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version, the commit and its time, and the version of Go", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "procession %s %s %s/%s\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// buildVersion returns the version of the module. A build from a checkout adds the commit, its time, and whether
// files were changed.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	built := map[string]string{}
	for _, setting := range info.Settings {
		built[setting.Key] = setting.Value
	}
	text := cmp.Or(info.Main.Version, "unknown")
	if built["vcs.revision"] == "" {
		return text
	}
	text += fmt.Sprintf(" (%s of %s", built["vcs.revision"], built["vcs.time"])
	if built["vcs.modified"] == "true" {
		text += ", with changes"
	}
	return text + ")"
}
