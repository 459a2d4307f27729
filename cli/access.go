package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

func newAccessCommand(env Environment) *cobra.Command {
	return newGroup("access", "Look at tokens and certificates for the engine, issue and revoke them",
		newAccessListCommand(env), newAccessRevokeCommand(env), newAccessIssueCommand(env))
}

func newAccessListCommand(env Environment) *cobra.Command {
	var all bool
	var principal, kind string
	cmd := listCommand(env, &cobra.Command{
		Use: "list", Args: requireArgs(), Short: "List tokens and certificates for the engine, the newest first",
	}, listing[oasadmin.EngineAccess]{
		rows: "engine access", limit: 50, tenant: ofTenantHelp, table: accessTable,
		id: func(a oasadmin.EngineAccess) string { return a.ID.String() },
		people: func(cmd *cobra.Command, s *service, by listFlags, _ []oasadmin.EngineAccess) (map[uuid.UUID]string, error) {
			return s.findPeople(cmd.Context(), by.tenant)
		},
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.EngineAccess, int64, error) {
			params := oasadmin.FindEngineAccessParams{Size: &by.limit, Tenant: filterOf(by.tenant)}
			if !all {
				params.Active = new(true)
			}
			var err error
			if kind != "" {
				params.Kind = make([]oasadmin.EngineAccessKind, 1)
				if params.Kind[0], err = accessKind(kind); err != nil {
					return nil, 0, err
				}
			}
			if params.PrincipalID, err = s.principalFilter(cmd.Context(), "--principal", principal, by.tenant); err != nil {
				return nil, 0, err
			}
			answer, err := s.FindEngineAccess(cmd.Context(), &params)
			page, err := receive[oasadmin.EngineAccessPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
	})
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "also revoked and expired ones")
	f.StringVar(&principal, "principal", "", "only that of a user or an application: its `code`, e-mail address or id")
	f.StringVar(&kind, "kind", "", "only that of a `kind`: token or certificate")
	return cmd
}

// accessKind reads a kind of access.
func accessKind(text string) (oasadmin.EngineAccessKind, error) {
	switch text {
	case "token":
		return oasadmin.EngineAccessKindENGINETOKEN, nil
	case "certificate":
		return oasadmin.EngineAccessKindENGINECERTIFICATE, nil
	default:
		return "", usageError("--kind must be token or certificate")
	}
}

func accessTable(v view, found []oasadmin.EngineAccess) {
	v.writeTitles([]string{"ID", "KIND", "PRINCIPAL", "ISSUED", "EXPIRES", "REVOKED"}, "PRINCIPAL ID", "IDENTIFIER", "READ ONLY")
	for _, a := range found {
		revoked := "-"
		if a.RevokedAt != nil {
			revoked = timeText(*a.RevokedAt)
		}
		v.writeLine([]string{
			a.ID.String(), string(a.Kind), v.personName(&a.PrincipalID), timeText(a.IssuedAt), timeText(a.ExpiresAt), revoked,
		}, a.PrincipalID.String(), a.Identifier, strconv.FormatBool(a.ReadOnly))
	}
}

func newAccessRevokeCommand(env Environment) *cobra.Command {
	var tenant, principal string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "revoke [ID]", Args: requireArgsBetween(0, 1),
		Short: "Revoke a token or a certificate for the engine, or all of a principal or a tenant",
		Long: "Revokes one token or certificate, or all that --principal and --tenant name. Temporal refuses them within a minute,\n" +
			"also on connections that are open. Who is not disabled can ask for access again: to keep a person or a program out,\n" +
			"apply its User or Application with spec.disabled: true, which revokes its access to the engine as well.",
		Example: "  procession access revoke 01970000-0000-7000-8000-000000000001\n" +
			"  procession access revoke --principal bob@north.example --tenant north",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, s *service, args []string) error {
		var body oasadmin.EngineAccessRevokeParams
		var err error
		if len(args) == 1 {
			id, err := parseID(args[0], "the id")
			if err != nil {
				return err
			}
			body.ID = &id
		}
		if principal != "" {
			id, err := s.findPrincipal(cmd.Context(), "--principal", principal, tenant)
			if err != nil {
				return err
			}
			body.PrincipalID = &id
		}
		if tenant != "" {
			if body.TenantID, err = s.tenantID(cmd.Context(), tenant); err != nil {
				return err
			}
		}
		if body == (oasadmin.EngineAccessRevokeParams{}) {
			return usageError("%s needs an id, --principal or --tenant", cmd.CommandPath())
		}
		answer, err := s.RevokeEngineAccess(cmd.Context(), body)
		done, err := receive[oasadmin.EngineAccessRevocation](s, answer, err)
		if err != nil {
			return notFound(err, fmt.Sprintf("engine access %s", body.ID))
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d revoked\n", done.Revoked)
		return err
	})
	f := cmd.Flags()
	f.StringVar(&principal, "principal", "", "all of a user or an application: its `code`, e-mail address or id")
	f.StringVar(&tenant, "tenant", "", "all in the tenant with the `code`")
	completeTenants(env, cmd)
	return cmd
}

// parseID parses an id. argument names the text in errors.
func parseID(text, argument string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, usageError("%s: %q is not an id, such as 01970000-0000-7000-8000-000000000001", argument, text)
	}
	return id, nil
}

// tenantID finds the id of a tenant that the caller administers.
func (s *service) tenantID(ctx context.Context, code string) (*uuid.UUID, error) {
	answer, err := s.RetrieveResource(ctx, oasadmin.ResourceKindTenant, code, &oasadmin.RetrieveResourceParams{Tenant: &code})
	found, err := receive[oasadmin.Resource](s, answer, err)
	if err != nil {
		return nil, withName(err, resource.KindTenant, code)
	}
	return found.Metadata.ID, nil
}
