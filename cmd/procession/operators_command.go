package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/persistence"
)

// These commands need access to the database instead of a token, because the last operator may have left.

func newOperatorsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "operators", Short: "List, add and remove operators, in the database", Args: cobra.ArbitraryArgs, RunE: runGroup,
		Long: "Operators may do everything in every tenant, and create tenants. These commands need the database of the service\n" +
			"and no token, so that they work when the last operator has left. Their changes are recorded as events.",
	}
	cmd.AddCommand(newOperatorsListCommand(), newOperatorsAddCommand(), onPerson("remove",
		"Remove the rights of an operator and revoke its tokens for all tenants", "is not an operator any more",
		func(ctx context.Context, s *administration.Service, email string) error {
			_, err := s.RemoveOperator(ctx, email)
			return err
		}))
	return cmd
}

func newPeopleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "people", Short: "Disable, enable and erase a person in all tenants, in the database", Args: cobra.ArbitraryArgs, RunE: runGroup,
		Long: "Disables a person in all tenants at once, within 10 seconds, and revokes access to the engine; the administrators\n" +
			"of a tenant do so for their tenant with spec.disabled of the User. A person who is disabled can be erased. The commands\n" +
			"need the database of the service.",
	}
	cmd.AddCommand(
		newDisableCommand(),
		onPerson("enable", "Enable a person again, except in tenants that disabled it", "is enabled",
			func(ctx context.Context, s *administration.Service, email string) error {
				_, err := s.DisablePerson(ctx, email, false)
				return err
			}),
		onPerson("erase", "Remove name, address and all other data of a disabled person, irreversibly", "is erased",
			func(ctx context.Context, s *administration.Service, email string) error {
				_, err := s.ErasePerson(ctx, email)
				return err
			}),
	)
	return cmd
}

// withOperations runs fn on the operations of the service, on its database.
func withOperations(ctx context.Context, c config.Config, fn func(s *administration.Service) error) error {
	db, err := server.OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer db.Close()
	return fn(newAdministration(db))
}

// newAdministration returns the operations of commands that use the database directly.
func newAdministration(db *persistence.DB) *administration.Service {
	return administration.New(administration.Options{Store: storage.New(storage.Options{DB: db, Clock: time.Now})})
}

func newOperatorsListCommand() *cobra.Command {
	return newConfiguredCommand("list", "List operators", func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		return withOperations(ctx, c, func(s *administration.Service) error {
			found, err := s.ListOperators(ctx)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "ID\tEMAIL\tNAME\tDISABLED")
			for _, p := range found {
				disabled := "no"
				if p.DisabledAt != nil {
					disabled = "yes"
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.ID, p.Email, p.Name, disabled)
			}
			return w.Flush()
		})
	})
}

func newOperatorsAddCommand() *cobra.Command {
	var email string
	var withToken bool
	cmd := newConfiguredCommand("add", "Make a user an operator", func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		if email == "" {
			return config.UsageError{Err: errors.New("--email is required")}
		}
		return withOperations(ctx, c, func(s *administration.Service) error {
			person, token, err := s.AddOperator(ctx, email, withToken)
			if err != nil {
				return err
			}
			if withToken {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), token.Reveal()); err != nil {
					return fmt.Errorf("printing the access token, which is lost now: %w", err)
				}
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s (%s) is an operator.\n", person.Email, person.ID)
			return err
		})
	})
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the user (required)")
	cmd.Flags().BoolVar(&withToken, "token", false,
		"print an access token of the user for all tenants, valid for 24 hours, also if the user is an operator already")
	return cmd
}

// onPerson creates a command that changes the person with an address.
func onPerson(use, short, done string, change func(context.Context, *administration.Service, string) error) *cobra.Command {
	return onPersonWith(use, short, done, func(ctx context.Context, _ *cobra.Command, s *administration.Service, email string) error {
		return change(ctx, s, email)
	})
}

// onPersonWith is onPerson for a change that reads and writes the streams of the command.
func onPersonWith(
	use, short, done string, change func(context.Context, *cobra.Command, *administration.Service, string) error,
) *cobra.Command {
	var email string
	cmd := newConfiguredCommand(use, short, func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
		if email == "" {
			return config.UsageError{Err: errors.New("--email is required")}
		}
		return withOperations(ctx, c, func(s *administration.Service) error {
			if err := change(ctx, cmd, s, email); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.ErrOrStderr(), email, done)
			return err
		})
	})
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the person (required)")
	return cmd
}
