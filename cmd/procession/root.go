package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/events/dispatch"
)

// Exit codes of the commands of the service itself.
const (
	exitUsage    = cli.ExitUsage
	exitConflict = cli.ExitConflict
)

func exitCode(err error) int {
	if _, ok := errors.AsType[config.UsageError](err); ok {
		return exitUsage
	}
	return cli.ExitCode(err)
}

// newRoot returns the root command. delay returns the pauses between attempts at webhooks.
func newRoot(delay dispatch.Delay) *cobra.Command {
	root := &cobra.Command{
		Use:   "procession",
		Short: "Process orchestration with a Temporal cluster",
		Long: "Process orchestration with a Temporal cluster: the service itself, and the commands that administer it.\n\n" +
			"Exit codes: 0 done, 2 invalid arguments, configuration or manifests, 3 not found, 4 denied,\n" +
			"5 conflict, 1 everything else. For diff, 1 also means that there are differences.",
		Version:       server.BuildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return config.UsageError{Err: config.ExplainFlag(err)} })
	cli.AddCommands(root, cli.Environment{LookupEnv: os.LookupEnv, Clock: time.Now})
	cli.AddGroup(
		root, "Run the service:",
		newServeCommand(delay), newDevCommand(), newDoctorCommand(), newConfigCommand(), newVersionCommand(),
	)
	cli.AddGroup(
		root, "Maintain an installation, with access to its database:",
		newMigrateCommand(), newBootstrapCommand(), newOperatorsCommand(), newPeopleCommand(), newPurgeCommand(), newDocumentsCommand(),
		newCertificateCommand(), newKeysCommand(), newCACommand(), newSealKeyCommand(),
	)
	return root
}

// runGroup is the RunE of a command that only groups others: it prints the help and refuses arguments.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.UnknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// newConfiguredCommand creates a command that has the settings of the service as flags.
func newConfiguredCommand(use, short string, run func(ctx context.Context, cmd *cobra.Command, c config.Config) error) *cobra.Command {
	var c config.Config
	cmd := &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.Load(cmd.Flags()); err != nil {
				if cmd.Name() == serveName {
					err = errors.Join(err, c.RequireService())
				}
				return config.UsageError{Err: err}
			}
			return run(cmd.Context(), cmd, c)
		},
	}
	bindSettings(&c, cmd)
	return cmd
}

// bindSettings adds the settings to the flags of a command. The help of serve lists all of them, the help of
// other commands the most common ones.
func bindSettings(c *config.Config, cmd *cobra.Command) {
	c.BindFlags(cmd.Flags())
	config.DeferFlags(cmd.Flags())
	if cmd.Name() == serveName {
		return
	}
	shown := []string{config.FileFlag, "database-url", "seal-key-file"}
	if cmd.Name() == "dev" {
		shown = append(shown, "listen", "listen-tls", "listen-health")
	}
	c.VisitSettings(func(f *pflag.Flag) {
		if !slices.Contains(shown, f.Name) {
			cmd.Flags().Lookup(f.Name).Hidden = true
		}
	})
	cmd.SetUsageTemplate(cmd.UsageTemplate() + "\nEvery setting is a flag here too: procession serve --help lists them.\n")
}

func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return config.UsageError{Err: err}
	}
	return nil
}
