package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

func newSecretsCommand(env Environment) *cobra.Command {
	return newGroup("secrets", "Issue, list and revoke secrets",
		newSecretsIssueCommand(env), newSecretsListCommand(env), newSecretsRevokeCommand(env))
}

// secretOwner finds out whom a secret belongs to.
func secretOwner(args []string) (oasadmin.SecretOwnerKind, string, error) {
	kind, err := parseKind(args[0])
	if err != nil {
		return "", "", err
	}
	if !canHaveSecrets(kind) {
		return "", "", usageError("a %s has no secrets: users, applications and webhook subscriptions have some", kind)
	}
	return oasadmin.SecretOwnerKind(kind), args[1], checkCode(args[1])
}

func newSecretsIssueCommand(env Environment) *cobra.Command {
	var tenant, secretName, expires string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "issue KIND CODE", Args: requireArgs("a kind of resource", "a code"),
		Short: "Issue a secret and print it, this once",
		Long: "Issues a secret, which is valid at once together with existing ones, and prints it to standard output. It cannot be\n" +
			"shown again. Applications send it with their id; that of a user is a personal access token for this tenant.",
		Example: "  procession secrets issue application loan-worker --name 2026-03 --expires 90d > secret\n" +
			"  procession secrets issue webhook events --name rotated",
		ValidArgsFunction: completeSecretOwner(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		kind, code, err := secretOwner(args)
		if err != nil {
			return err
		}
		if secretName == "" {
			return usageError("%s needs --name, to distinguish the secret from others", cmd.CommandPath())
		}
		body := oasadmin.SecretIssueParams{Name: secretName}
		if body.ExpiresAt, err = parseExpiry(expires, env.Clock()); err != nil {
			return err
		}
		answer, err := s.IssueSecret(cmd.Context(), kind, code, &oasadmin.IssueSecretParams{Tenant: nonEmpty(tenant)}, body)
		issued, err := receive[oasadmin.IssuedSecret](s, answer, err)
		if err != nil {
			return withName(err, resource.Kind(kind), code)
		}
		until := "and does not expire"
		if issued.ExpiresAt != nil {
			until = "and expires at " + timeText(*issued.ExpiresAt)
		}
		cmd.PrintErrf("The secret %q of %s/%s works from now on %s. It is not shown again; its id is %s.\n",
			issued.Name, kind, code, until, issued.ID)
		_, err = fmt.Fprintln(cmd.OutOrStdout(), issued.Value)
		return err
	})
	bindTenant(env, cmd, &tenant)
	cmd.Flags().StringVar(&secretName, "name", "", "`name` that distinguishes the secret from others of the same owner; required")
	cmd.Flags().StringVar(&expires, "expires", "", "`when` it stops working: 90d, 12h, or a time such as 2027-01-31T00:00:00Z; without it the service\n"+
		"decides: by default 90 days for tokens of users, 365 days for secrets of applications, no end for webhook subscriptions")
	return cmd
}

// parseExpiry parses an expiry: a duration, which may be in days, or a time. An empty text
// means never.
func parseExpiry(text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // never is a time to expire
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return &at, nil
	}
	lasts, err := parseDuration(text)
	if err != nil || lasts <= 0 {
		return nil, usageError("--expires must be a duration such as 90d or 12h, or a time such as 2027-01-31T00:00:00Z")
	}
	at := now.Add(lasts).UTC().Truncate(time.Second)
	return &at, nil
}

// parseDuration reads a duration, which may be in days.
func parseDuration(text string) (time.Duration, error) {
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

func newSecretsListCommand(env Environment) *cobra.Command {
	return listCommand(env, &cobra.Command{
		Use: "list KIND CODE", Args: requireArgs("a kind of resource", "a code"),
		Short:             "List secrets, without their values",
		ValidArgsFunction: completeSecretOwner(env),
	}, listing[oasadmin.Secret]{
		rows: "secrets", tenant: tenantHelp,
		find: func(cmd *cobra.Command, s *service, args []string, by listFlags) ([]oasadmin.Secret, int64, error) {
			kind, code, err := secretOwner(args)
			if err != nil {
				return nil, 0, err
			}
			found, err := s.findSecrets(cmd.Context(), kind, code, by.tenant)
			return found, 0, err
		},
		table: func(v view, found []oasadmin.Secret) { secretTable(v, "", found, env.Clock()) },
	})
}

// findSecrets lists the secrets of a resource.
func (s *service) findSecrets(
	ctx context.Context, kind oasadmin.SecretOwnerKind, code, tenant string,
) ([]oasadmin.Secret, error) {
	answer, err := s.FindSecrets(ctx, kind, code, &oasadmin.FindSecretsParams{Tenant: nonEmpty(tenant)})
	list, err := receive[oasadmin.SecretList](s, answer, err)
	return list.Content, withName(err, resource.Kind(kind), code)
}

func secretTable(w io.Writer, indent string, secrets []oasadmin.Secret, now time.Time) {
	if len(secrets) == 0 {
		writeRow(w, indent+"none")
		return
	}
	writeRow(w, indent+"ID", "NAME", "ORIGIN", "AGE", "EXPIRES")
	for _, secret := range secrets {
		origin, expires := "issued", "never"
		if secret.Declared {
			origin = "declared"
		}
		if secret.ExpiresAt != nil {
			expires = timeText(*secret.ExpiresAt)
		}
		writeRow(w, indent+secret.ID.String(), secret.Name, origin, ageText(now, secret.CreatedAt), expires)
	}
}

func newSecretsRevokeCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "revoke KIND CODE ID|NAME", Args: requireArgs("a kind of resource", "a code", "the id or the name of a secret"),
		Short:             "Revoke a secret: it stops working within seconds",
		ValidArgsFunction: completeSecretOwner(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		kind, code, err := secretOwner(args)
		if err != nil {
			return err
		}
		id, err := uuid.Parse(args[2])
		if err != nil {
			if id, err = s.secretNamed(cmd.Context(), kind, code, tenant, args[2]); err != nil {
				return err
			}
		}
		answer, err := s.RevokeSecret(cmd.Context(), kind, code, id, &oasadmin.RevokeSecretParams{Tenant: nonEmpty(tenant)})
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s revoked\n", id)
		return err
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}

// secretNamed finds the one secret with the name.
func (s *service) secretNamed(
	ctx context.Context, kind oasadmin.SecretOwnerKind, code, tenant, name string,
) (uuid.UUID, error) {
	all, err := s.findSecrets(ctx, kind, code, tenant)
	if err != nil {
		return uuid.Nil, err
	}
	var found []uuid.UUID
	for _, secret := range all {
		if secret.Name == name {
			found = append(found, secret.ID)
		}
	}
	switch len(found) {
	case 0:
		return uuid.Nil, &failure{
			kind: domain.KindNotFound, text: fmt.Sprintf("%s/%s has no secret %q", kind, code, name),
		}
	case 1:
		return found[0], nil
	default:
		return uuid.Nil, usageError("%s/%s has several secrets %q: use the id of one", kind, code, name)
	}
}
