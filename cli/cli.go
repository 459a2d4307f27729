// Package cli implements the commands that call a service: they start processes, work
// on tasks, apply manifests, list resources, issue secrets, handle incidents, explain
// user actions and show events. They call the REST API and the administration API with
// the rights of a token.
//
// Results go to standard output, messages to standard error. Commands do not retry
// failed requests.
package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Environment is the environment of commands besides their
// arguments and standard streams.
type Environment struct {
	// LookupEnv finds environment variables, as os.LookupEnv does.
	LookupEnv func(name string) (string, bool)
	Clock     func() time.Time
}

// AddCommands adds the commands to a root command, in groups of its help.
func AddCommands(root *cobra.Command, env Environment) {
	AddGroup(
		root, "Configure resources:", newApplyCommand(env), newDiffCommand(env),
		newGetCommand(env), newDescribeCommand(env), newEditCommand(env), newVersionsCommand(env), newDeleteCommand(env), newExportCommand(env), newExplainCommand(), newDefinitionsCommand(),
		newSecretsCommand(env), newDirectoryCommand(env), newSessionsCommand(env), newEncryptionKeysCommand(env), newRobotsCommand(env),
	)
	AddGroup(root, "Work on processes:", newStartCommand(env), newProcessesCommand(env), newTasksCommand(env), newNotificationsCommand(env))
	AddGroup(
		root, "Observe and operate:",
		newIncidentsCommand(env), newBulkCommand(env), newWorkCommand(env), newActionsCommand(env), newWorkersCommand(env), newTaskQueuesCommand(env),
		newWebhooksCommand(env), newReceiversCommand(env), newCalendarsCommand(env), newEventsCommand(env), newRightsCommand(env), newAccessCommand(env), newHealthCommand(env),
	)
	AddGroup(root, "Write workers:", newInitCommand(), newGenerateCommand())
	AddGroup(root, "Servers and signing in:", newContextCommand(env), newLoginCommand(env), newWhoamiCommand(env))
}

// AddGroup adds commands that the help of a root command lists under a title.
func AddGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// newServiceCommand turns cmd into a command that calls the service: it has the flags of the
// connection, and run is given the service.
func newServiceCommand(
	env Environment, cmd *cobra.Command, run func(cmd *cobra.Command, s *service, args []string) error,
) *cobra.Command {
	bindConnection(cmd.Flags())
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%w", err) })
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := env.connect(cmd.Context(), cmd.Flags())
		if err != nil {
			return err
		}
		return run(cmd, s, args)
	}
	return cmd
}

// requireArgs wants these arguments.
func requireArgs(names ...string) cobra.PositionalArgs {
	return requireArgsBetween(len(names), len(names), names...)
}

// requireArgsBetween wants so many of the arguments.
func requireArgsBetween(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return usageError("%s needs %s: see %[1]s --help", cmd.CommandPath(), names[len(args)])
		}
		if len(args) > most {
			return usageError("%s has no use for %q: see %[1]s --help", cmd.CommandPath(), args[most])
		}
		return nil
	}
}

// newGroup returns a command that is only there for its commands.
func newGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UnknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// UnknownCommand returns the failure of a command that has no command of that name. It
// suggests those with similar names.
func UnknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	text := fmt.Sprintf("%s has no command %q", cmd.CommandPath(), name)
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		text += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return usageError("%s", text)
}
