package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/events/dispatch"
)

// The exit codes that commands of the service itself end with, beside 1.
const (
	exitUsage    = cli.ExitUsage
	exitConflict = cli.ExitConflict
)

// usageError is a mistake in how the program was called or configured.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return cli.ExitCode(err)
}

// newRoot returns the program. delay returns the pauses between attempts at webhooks.
func newRoot(delay dispatch.Delay) *cobra.Command {
	root := &cobra.Command{
		Use:   "procession",
		Short: "Process orchestration beside a Temporal cluster",
		Long: "Process orchestration beside a Temporal cluster: the service itself, and the commands that administer it.\n\n" +
			"Exit codes: 0 done, 2 called or configured wrongly or documents that are not valid, 3 not found, 4 denied,\n" +
			"5 conflict, 1 everything else. For diff, 1 also means that there are differences.",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          onlyCommands,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{explainFlag(err)} })
	cli.AddCommands(root, cli.Environment{LookupEnv: os.LookupEnv, Clock: time.Now})
	cli.AddGroup(
		root, "Run the service:",
		newServeCommand(delay), newDevCommand(), newDoctorCommand(), newConfigCommand(), newVersionCommand(),
	)
	cli.AddGroup(
		root, "Maintain an installation, with access to its database:",
		newMigrateCommand(), newBootstrapCommand(), newOperatorsCommand(), newPeopleCommand(), newPurgeCommand(),
		newCertificateCommand(), newKeysCommand(), newCACommand(), newSealKeyCommand(),
	)
	return root
}

// onlyCommands returns what a command does that is only there for its commands: it
// shows them, and refuses what is none of them.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.UnknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// configured creates a command whose flags are the settings of the service.
func configured(use, short string, run func(ctx context.Context, cmd *cobra.Command, c Config) error) *cobra.Command {
	var c Config
	cmd := &cobra.Command{
		Use: use, Short: short, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(cmd.Flags()); err != nil {
				return usageError{err}
			}
			return run(cmd.Context(), cmd, c)
		},
	}
	c.bindSettings(cmd)
	return cmd
}

// bindSettings adds the settings to the flags of a command. The help of serve lists them all, that of other commands
// those that they are given most often.
func (c *Config) bindSettings(cmd *cobra.Command) {
	c.bind(cmd.Flags())
	if cmd.Name() == "serve" {
		return
	}
	shown := []string{configFlag, "database-url", "seal-key-file"}
	if cmd.Name() == "dev" {
		shown = append(shown, "listen", "listen-tls", "listen-health")
	}
	c.visitSettings(func(f *pflag.Flag) {
		if !slices.Contains(shown, f.Name) {
			cmd.Flags().Lookup(f.Name).Hidden = true
		}
	})
	cmd.SetUsageTemplate(cmd.UsageTemplate() + "\nEvery setting is a flag here too: procession serve --help lists them.\n")
}

func noArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return usageError{err}
	}
	return nil
}

func newLogger(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
