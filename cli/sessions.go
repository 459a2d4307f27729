package cli

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newSessionsCommand(env Environment) *cobra.Command {
	return newGroup("sessions", "List and end the browser sessions of users", newSessionsListCommand(env), newSessionsEndCommand(env))
}

func newSessionsListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list USER", Args: requireArgs("the code of a user"), Short: "List the browsers that a user is signed in with",
	}, listing[oasadmin.Session]{
		rows: "sessions", tenant: tenantHelp,
		find: func(cmd *cobra.Command, s *service, args []string, by listFlags) ([]oasadmin.Session, int64, error) {
			if err := checkCode(args[0]); err != nil {
				return nil, 0, err
			}
			answer, err := s.FindUserSessions(cmd.Context(), args[0], &oasadmin.FindUserSessionsParams{Tenant: nonEmpty(by.tenant)})
			list, err := receive[oasadmin.SessionList](s, answer, err)
			return list.Content, 0, withName(err, resource.KindUser, args[0])
		},
		table: func(v view, found []oasadmin.Session) {
			writeRow(v, "ID", "SIGNED IN", "LAST USED", "UNTIL", "THROUGH", "BROWSER")
			for _, session := range found {
				through := "access token"
				if session.Issuer != nil {
					through = *session.Issuer
				}
				writeRow(v, session.ID.String(), timeText(session.CreatedAt), ageText(env.Clock(), session.LastUsedAt),
					timeText(session.ExpiresAt), through, session.UserAgent)
			}
		},
	})
}

func newSessionsEndCommand(env Environment) *cobra.Command {
	var tenant string
	var all bool
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "end USER [ID]", Args: cobra.RangeArgs(1, 2),
		Short: "Sign a user out of a browser, or with --all of all browsers",
		Long:  "Ends sessions of the console within seconds. Tokens of the user go on working: procession secrets revoke ends them.",
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		params := oasadmin.EndUserSessionsParams{Tenant: nonEmpty(tenant)}
		if all == (len(args) == 2) {
			return usageError("%s needs either the id of a session or --all", cmd.CommandPath())
		}
		if len(args) == 2 {
			id, err := uuid.Parse(args[1])
			if err != nil {
				return usageError("the id of a session must be a UUID: see procession sessions list")
			}
			params.ID = &id
		}
		answer, err := s.EndUserSessions(cmd.Context(), args[0], &params)
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return withName(err, resource.KindUser, args[0])
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "sessions of User/%s ended\n", args[0])
		return err
	})
	bindTenant(env, cmd, &tenant)
	cmd.Flags().BoolVar(&all, "all", false, "end all sessions of the user")
	return cmd
}
