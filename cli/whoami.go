package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newWhoamiCommand(env Environment) *cobra.Command {
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "whoami", Args: requireArgs(), Short: "Show the owner of the token",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		answer, err := s.RetrieveIdentity(cmd.Context())
		identity, err := receive[oasadmin.Identity](s, answer, err)
		if err != nil {
			return err
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), identity, func(v view) { identityTable(v, identity) })
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func identityTable(w io.Writer, identity oasadmin.Identity) {
	p := identity.Principal
	writeRow(w, "Name:", p.Name)
	writeRow(w, "Type:", string(p.Type))
	writeRow(w, "Id:", p.ID.String())
	if identity.Operator {
		writeRow(w, "Operator:", "yes, may create tenants")
	}
	for _, m := range identity.Memberships {
		writeRow(w, "Tenant:", fmt.Sprintf("%s (%s), %s", m.TenantCode, m.TenantName, m.Role))
	}
}
