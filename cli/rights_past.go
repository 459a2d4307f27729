package cli

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newRightsCommand(env Environment) *cobra.Command {
	var tenant, at string
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "rights CODE[/ITEM]", Args: requireArgs("the code of a process definition"),
		Short: "List the people who may use a process definition, now or at a time",
		Long: "Lists the users and applications that may start, see, manage and change processes of a definition, and claim and see its\n" +
			"items, with the groups through which they may. With --at it lists the people who could at that time, by the documents of\n" +
			"then, without the people who were disabled then.",
		Example: "  procession rights LOAN\n" +
			"  procession rights LOAN/REVIEW --at 2026-11-03T12:00\n" +
			"  procession rights export --at 30d > rights.csv",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindProcessDefinition, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		code, item, _ := strings.Cut(args[0], "/")
		if err := checkCode(code); err != nil {
			return err
		}
		moment, err := Moment("at", at, env.Clock())
		if err != nil {
			return err
		}
		params := oasadmin.FindPastRightsParams{Tenant: nonEmpty(tenant), Item: nonEmpty(item), At: moment}
		answer, err := s.FindPastRights(cmd.Context(), code, &params)
		found, err := receive[oasadmin.PastRights](s, answer, err)
		if err != nil {
			return notFound(err, resourceLabel(oasadmin.ResourceKindProcessDefinition, args[0], "", false))
		}
		if !out.isTable() {
			return out.write(cmd.Context(), cmd.OutOrStdout(), found, nil)
		}
		if moment != nil {
			cmd.PrintErrf("At %s:\n", found.At.Format(time.RFC3339))
		}
		if !found.Startable && item == "" {
			cmd.PrintErrln("No version is published: processes cannot be started.")
		}
		return out.writeTable(cmd.OutOrStdout(), view{}, func(v view) { pastRightsTable(v, found.Rights) })
	})
	cmd.AddCommand(newRightsExportCommand(env))
	bindTenant(env, cmd, &tenant)
	cmd.Flags().StringVar(&at, "at", "", "`when`: a time such as 2027-01-31T08:00 or 2027-01-31T00:00:00Z, or how long ago, such as 90m or 7d")
	out = bindOutput(cmd, formatTable, formatWide, formatJSON, formatYAML, formatJQ)
	return cmd
}

func pastRightsTable(v view, rights []oasadmin.PastRight) {
	v.writeTitles([]string{"MAY", "ITEM", "WHO", "NAME", "THROUGH"}, "ID")
	for _, r := range rights {
		item := cmp.Or(textOf(r.Item), "-")
		if r.Initiator {
			v.writeLine([]string{r.May, item, granteeNames([]resource.Grantee{{Role: resource.RoleProcessInitiator}}), "-", "-"}, "-")
		}
		everyone := r.Everyone != nil && *r.Everyone
		if everyone {
			v.writeLine([]string{r.May, item, granteeNames([]resource.Grantee{{Role: resource.RoleEveryone}}), "-", "-"}, "-")
		}
		for _, h := range r.Holders {
			through := "-"
			if h.Group != nil {
				through = "group " + *h.Group
			}
			v.writeLine([]string{r.May, item, strings.ToLower(string(h.Kind)) + " " + h.Code, h.Name, through}, h.ID.String())
		}
		if !r.Initiator && !everyone && len(r.Holders) == 0 {
			v.writeLine([]string{r.May, item, "none", "-", "-"}, "-")
		}
	}
}
