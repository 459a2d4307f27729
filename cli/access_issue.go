package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/shell"
	"github.com/procession-dev/procession/sdk/transport"
)

func newAccessIssueCommand(env Environment) *cobra.Command {
	var operator, own bool
	var tenant, folder, expires, address string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "issue --operator (--tenant CODE | --service)", Args: requireArgs(),
		Short: "Look into a namespace with Temporal's own tools, as an operator",
		Long: "Writes a token and a certificate, which read the namespace of one tenant, or that of the service's own workflows, for an\n" +
			"hour at most, into a folder that only its owner may read, and prints the commands of Temporal's command line that use them. What was issued is recorded, is\n" +
			"listed by `procession access list` and can be revoked. Workers get their access by themselves.",
		Example: "  procession access issue --operator --tenant north --expires 15m",
	}, func(cmd *cobra.Command, s *service, _ []string) error {
		if !operator || (tenant == "") != own {
			return usageError("%s needs --operator, and either --tenant or --service: only operators are issued access, to one namespace", cmd.CommandPath())
		}
		key, err := transport.NewKey()
		if err != nil {
			return err
		}
		body := oasadmin.OperatorAccessParams{Tenant: nonEmpty(tenant), CertificateSigningRequest: &key.Request}
		if body.ExpiresAt, err = parseExpiry(expires, env.Clock()); err != nil {
			return err
		}
		answer, err := s.IssueOperatorAccess(cmd.Context(), body)
		issued, err := receive[oasadmin.OperatorAccess](s, answer, err)
		if err != nil {
			return notFound(err, "tenant "+tenant)
		}
		if folder == "" {
			folder = "temporal-" + cmp.Or(tenant, "service")
		}
		if address == "" {
			address = valueOf(issued.Address)
		}
		if err := writeAccess(folder, issued, key); err != nil {
			return err
		}
		cmd.PrintErrf("Until %s this reads the namespace %s. To end it before: procession access revoke %s\n",
			timeText(issued.ExpiresAt), issued.Namespace, issued.TokenID)
		_, err = fmt.Fprint(cmd.OutOrStdout(), temporalCommands(folder, address, issued.Namespace))
		return err
	})
	f := cmd.Flags()
	f.BoolVar(&operator, "operator", false, "confirm the access of an operator; required")
	f.StringVar(&tenant, "tenant", "", "the `code` of the tenant")
	f.BoolVar(&own, "service", false, "the namespace of the service's own workflows")
	f.StringVar(&folder, "directory", "", "the `folder` to write to; temporal-CODE by default")
	f.StringVar(&expires, "expires", "", "`when` it stops working: 15m, or a time such as 2027-01-31T00:00:00Z; at most, and by default, in an hour")
	f.StringVar(&address, "address", "", "the `address` of Temporal in the commands; by default that which the service uses")
	completeTenants(env, cmd)
	return cmd
}

// Names of the files of access to the engine.
const (
	fileToken       = "token"
	fileAuthorities = "ca.pem"
	fileCertificate = "client.pem"
	fileKey         = "client-key.pem"
)

// writeAccess writes the access, and the key that was made for it, to files that only their owner may read. It replaces
// files of an earlier access.
func writeAccess(folder string, issued oasadmin.OperatorAccess, key transport.Key) error {
	if err := os.MkdirAll(folder, privateFolder); err != nil {
		return fmt.Errorf("writing the access: %w", err)
	}
	for name, text := range map[string]string{
		fileToken: issued.Token, fileAuthorities: issued.TLS.ServerRootCaCertificate,
		fileCertificate: issued.TLS.ClientCertificate, fileKey: string(key.Private),
	} {
		if err := writePrivate(filepath.Join(folder, name), text); err != nil {
			return fmt.Errorf("writing the access: %w", err)
		}
	}
	return nil
}

// writePrivate creates a file that only its owner may read, in the place of one that is there.
func writePrivate(path, text string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile) //nolint:gosec // where the user wants it
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// temporalCommands returns commands of Temporal's command line that use the files. The token is not among their arguments,
// which other users of the machine can see.
func temporalCommands(folder, address, namespace string) string {
	at := func(name string) string { return filepath.Join(folder, name) }
	of := func(words ...string) string {
		return string(shell.Command(append(append([]string{"temporal", "workflow"}, words...), "--address", address, "--namespace", namespace,
			"--tls-ca-path", at(fileAuthorities), "--tls-cert-path", at(fileCertificate), "--tls-key-path", at(fileKey))...)) + "\n"
	}
	return `export TEMPORAL_API_KEY="$(cat ` + shell.Word(at(fileToken)) + `)"` + "\n" +
		of("list") + of("show", "--workflow-id", "process-ID")
}
