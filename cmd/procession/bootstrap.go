package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

func newBootstrapCommand() *cobra.Command {
	var first administration.FirstTenant
	cmd := newConfiguredCommand("bootstrap", "Create the first tenant and its administrator, once",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			if first.Code == "" || first.Email == "" {
				return config.UsageError{Err: errors.New("--tenant and --email are required")}
			}
			db, err := server.OpenDatabase(ctx, c)
			if err != nil {
				return err
			}
			defer db.Close()
			if err := server.PrepareSchema(ctx, db, c.Migrate); err != nil {
				return err
			}
			made, err := newAdministration(db).BootstrapTenant(ctx, first)
			if err != nil {
				return explainFirstTenant(err)
			}
			return printFirstTenant(cmd, first, made)
		})
	cmd.Long = "Creates the first tenant of a database and its first user, who owns the tenant and operates the service:\n" +
		"only operators may create tenants. The user's access token goes to standard output, and it cannot be shown again."
	flags := cmd.Flags()
	flags.StringVar(&first.Code, "tenant", "", "code of the tenant (required)")
	flags.StringVar(&first.Name, "tenant-name", "", "display name of the tenant; its code by default")
	flags.StringVar(&first.Email, "email", "", "e-mail address of the user (required)")
	flags.StringVar(&first.UserName, "name", "", "display name of the user; the address by default")
	return cmd
}

// explainFirstTenant replaces locations of an error by the flags.
func explainFirstTenant(err error) error {
	failure, ok := errors.AsType[*domain.Error](err)
	if !ok || len(failure.Details) == 0 {
		return err
	}
	flags := map[string]string{"/code": "tenant", "/name": "tenant-name", "/email": "email", "/userName": "name"}
	var wrong []error
	for _, d := range failure.Details {
		wrong = append(wrong, fmt.Errorf("--%s %s", flags[d.Location], d.Message))
	}
	return config.UsageError{Err: errors.Join(wrong...)}
}

// printFirstTenant writes the token alone to standard output, so that it can be redirected into a file.
func printFirstTenant(cmd *cobra.Command, first administration.FirstTenant, made *administration.BootstrappedTenant) error {
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), made.Token.Reveal()); err != nil {
		return fmt.Errorf("printing the access token, which is lost now: %w", err)
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "Created tenant %s (%s) and its owner %s (user %s, %s), who operates the service.\n"+
		"The access token on standard output is that user's. It is not shown again, and expires at %s: until then issue\n"+
		"another with: %s\n",
		first.Code, made.TenantID, first.Email, administration.FirstUserCode, made.UserID, made.ExpiresAt.Format(time.RFC3339),
		shell.Command("procession", "secrets", "issue", "user", administration.FirstUserCode, "--tenant", first.Code, "--name", "NAME"))
	return err
}
