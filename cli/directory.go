package cli

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newDirectoryCommand(env Environment) *cobra.Command {
	return newGroup("directory", "Connect a directory that provisions users and groups",
		newGroup("token", "Create, list and revoke the tokens of directories",
			newDirectoryTokenCreateCommand(env), newDirectoryTokenListCommand(env), newDirectoryTokenRevokeCommand(env)))
}

func newDirectoryTokenCreateCommand(env Environment) *cobra.Command {
	var tenant, name, expires string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "create", Args: requireArgs(), Short: "Create a token for a directory and print it, this once",
		Long: "Creates a token for a directory, such as Microsoft Entra ID or Okta, and prints it to standard output. The directory sends it to\n" +
			"/scim/v2, and provisions the users and groups of the tenant. Only owners create tokens.",
		Example: "  procession directory token create --tenant acme --name entra > token",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		expiresAt, err := parseExpiry(expires, env.Clock())
		if err != nil {
			return err
		}
		answer, err := s.IssueDirectoryToken(cmd.Context(), &oasadmin.IssueDirectoryTokenParams{Tenant: tenant},
			oasadmin.SecretIssueParams{Name: name, ExpiresAt: expiresAt})
		issued, err := receive[oasadmin.IssuedSecret](s, answer, err)
		if err != nil {
			return err
		}
		until := "and does not expire"
		if issued.ExpiresAt != nil {
			until = "and expires at " + timeText(*issued.ExpiresAt)
		}
		cmd.PrintErrf("The token %q works from now on %s. It is not shown again; its id is %s.\n", issued.Name, until, issued.ID)
		_, err = fmt.Fprintln(cmd.OutOrStdout(), issued.Value)
		return err
	})
	bindTenant(env, cmd, &tenant)
	cmd.Flags().StringVar(&name, "name", "", "`name` that distinguishes the token from others of the tenant; required")
	cmd.Flags().StringVar(&expires, "expires", "", "`when` it stops working: 90d, 12h, or a time such as 2027-01-31T00:00:00Z; by default in 365 days")
	_, _ = cmd.MarkFlagRequired("tenant"), cmd.MarkFlagRequired("name")
	return cmd
}

func newDirectoryTokenListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List the tokens of directories, without their values",
	}, listing[oasadmin.DirectoryToken]{
		rows: "tokens", tenant: tenantHelp,
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.DirectoryToken, int64, error) {
			if by.tenant == "" {
				return nil, 0, usageError("%s needs --tenant", cmd.CommandPath())
			}
			answer, err := s.FindDirectoryTokens(cmd.Context(), &oasadmin.FindDirectoryTokensParams{Tenant: by.tenant})
			list, err := receive[oasadmin.DirectoryTokenList](s, answer, err)
			return list.Content, 0, err
		},
		table: func(v view, found []oasadmin.DirectoryToken) {
			writeRow(v, "ID", "NAME", "AGE", "EXPIRES", "LAST USED")
			for _, token := range found {
				expires, used := "never", "never"
				if token.ExpiresAt != nil {
					expires = timeText(*token.ExpiresAt)
				}
				if token.LastUsedAt != nil {
					used = timeText(*token.LastUsedAt)
				}
				writeRow(v, token.ID.String(), token.Name, ageText(env.Clock(), token.CreatedAt), expires, used)
			}
		},
	})
}

func newDirectoryTokenRevokeCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "revoke ID", Args: requireArgs("the id of a token"), Short: "Revoke the token of a directory: it stops working within seconds",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		id, err := uuid.Parse(args[0])
		if err != nil {
			return usageError("ID must be the id of a token, as `directory token list` shows it")
		}
		answer, err := s.RevokeDirectoryToken(cmd.Context(), id, &oasadmin.RevokeDirectoryTokenParams{Tenant: tenant})
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s revoked\n", id)
		return err
	})
	bindTenant(env, cmd, &tenant)
	_ = cmd.MarkFlagRequired("tenant")
	return cmd
}
