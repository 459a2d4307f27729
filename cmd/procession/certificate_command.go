package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
)

func newCertificateCommand() *cobra.Command {
	var hosts []string
	var dir string
	cmd := newConfiguredCommand("certificate", "Issue a server certificate, for Temporal's frontend, from the service's authority",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			k, err := server.OpenKeys(ctx, c, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer k.DB.Close()
			files, err := server.WriteCertificate(k.Issuer, dir, hosts, time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s (for %s, valid until %s), %s and %s written\n",
				files.Cert, strings.Join(hosts, ", "), files.ValidUntil.UTC().Format(time.RFC3339), files.Key, files.CA)
			return err
		})
	cmd.Flags().StringSliceVar(&hosts, "host", nil, "name or address that clients use; may be repeated")
	cmd.Flags().StringVar(&dir, "out", ".", "directory for server.pem, server-key.pem and ca.pem")
	// Fails only for flags that do not exist.
	_ = cmd.MarkFlagRequired("host")
	return cmd
}
