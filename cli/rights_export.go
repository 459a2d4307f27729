package cli

import (
	"io"
	"net/http"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newRightsExportCommand(env Environment) *cobra.Command {
	var tenant, person, group, kind, code, right, at string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "export", Args: cobra.NoArgs, Short: "Write who may do what as comma-separated values",
		Long: "Writes a row for each right of a user or an application on a definition, a data source or a robot, with the reason: the group\n" +
			"through which it is held, the right that implies it, or the role in the tenant. Administrators of a process definition get the\n" +
			"rights on it. Disabled people are left out.",
		Example: "  procession rights export > rights.csv\n" +
			"  procession rights export --person anna --right claim\n" +
			"  procession rights export --resource LOAN --at 2026-11-03T12:00",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		moment, err := Moment("at", at, env.Clock())
		if err != nil {
			return err
		}
		params := oasadmin.ExportRightsParams{
			Tenant: nonEmpty(tenant), Person: nonEmpty(person), Group: nonEmpty(group), Resource: nonEmpty(code), Right: nonEmpty(right), At: moment,
		}
		if kind != "" {
			found, err := parseKind(kind)
			if err != nil {
				return err
			}
			params.Kind = new(oasadmin.ResourceKind(found))
		}
		answer, err := s.ExportRights(cmd.Context(), &params)
		if err != nil || answer.StatusCode != http.StatusOK {
			_, err = receive[any](s, answer, err)
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		_, err = io.Copy(cmd.OutOrStdout(), answer.Body)
		return err
	})
	bindTenant(env, cmd, &tenant)
	flags := cmd.Flags()
	flags.StringVar(&person, "person", "", "only rights of the user or application with this id, `code`, e-mail or part of the name")
	flags.StringVar(&group, "group", "", "only rights held through the group with this `code`")
	flags.StringVar(&kind, "kind", "", "only rights on resources of this `kind`")
	flags.StringVar(&code, "resource", "", "only rights on the resource with this `code`")
	flags.StringVar(&right, "right", "", "only this `right`, such as \"start processes\"")
	flags.StringVar(&at, "at", "", "`when`: a time such as 2027-01-31T08:00 or 2027-01-31T00:00:00Z, or how long ago, such as 90m or 7d")
	return cmd
}
