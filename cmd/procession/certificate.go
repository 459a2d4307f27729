package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
)

// serverCertificateLifetime is the lifetime of the certificates issued for Temporal's
// frontend and for the HTTPS listener of the local stack.
const serverCertificateLifetime = 397 * 24 * time.Hour

func newCertificateCommand() *cobra.Command {
	var hosts []string
	var dir string
	cmd := newConfiguredCommand("certificate", "Issue a server certificate, for Temporal's frontend, from the service's authority",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			k, err := openKeys(ctx, c, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer k.db.Close()
			files, err := writeServerCertificate(k.issuer, dir, hosts, time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s (for %s, valid until %s), %s and %s written\n",
				files.cert, strings.Join(hosts, ", "), files.validUntil.UTC().Format(time.RFC3339), files.key, files.ca)
			return err
		})
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "name or address that clients use; may be repeated")
	cmd.Flags().StringVar(&dir, "out", ".", "directory for server.pem, server-key.pem and ca.pem")
	// Fails only for flags that do not exist.
	_ = cmd.MarkFlagRequired("host")
	return cmd
}

// serverFiles contains the paths of a certificate, its key and the trusted authorities, and the expiry of the
// certificate.
type serverFiles struct {
	cert, key, ca string
	validUntil    time.Time
}

// writeServerCertificate issues a certificate for hosts and writes it with its chain, its key and all trusted
// authorities into dir. It replaces each file atomically, for programs that read them at the same time.
func writeServerCertificate(issuer *authn.Issuer, dir string, hosts []string, now time.Time) (serverFiles, error) {
	files := serverFiles{
		cert: filepath.Join(dir, "server.pem"), key: filepath.Join(dir, "server-key.pem"), ca: filepath.Join(dir, "ca.pem"),
	}
	pair, err := issuer.ServerCertificate(hosts, now, serverCertificateLifetime)
	if err != nil {
		return files, err
	}
	made, err := pair.TLS()
	if err != nil {
		return files, err
	}
	files.validUntil = made.Leaf.NotAfter
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return files, fmt.Errorf("writing a server certificate: %w", err)
	}
	for path, content := range map[string]string{
		files.cert: pair.CertificatePEM, files.key: pair.PrivateKeyPEM.Reveal(), files.ca: issuer.RootsPEM(),
	} {
		if err := replaceFile(path, content); err != nil {
			return files, fmt.Errorf("writing a server certificate: %w", err)
		}
	}
	return files, nil
}

// replaceFile replaces a file by one that only its owner can read.
func replaceFile(path, content string) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
