package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
)

// certificateInterval is the time between two checks of the files with --renew.
const certificateInterval = 10 * time.Minute

func newCertificateCommand() *cobra.Command {
	var o certificateOptions
	cmd := newConfiguredCommand("certificate", "Issue a server certificate, for Temporal's frontend, from the service's authority",
		func(ctx context.Context, cmd *cobra.Command, c config.Config) error {
			if !o.renew {
				return o.write(ctx, cmd.OutOrStdout(), c, server.WriteCertificate)
			}
			return o.keepCurrent(ctx, cmd, c)
		})
	cmd.Flags().StringSliceVar(&o.hosts, "host", nil, "name or address that clients use; may be repeated")
	cmd.Flags().StringVar(&o.dir, "out", ".", "directory for server.pem, server-key.pem and ca.pem")
	cmd.Flags().BoolVar(&o.renew, "renew", false, "keep running, and write the files when a third of the certificate's lifetime is left or the authorities change")
	// Fails only for flags that do not exist.
	_ = cmd.MarkFlagRequired("host")
	return cmd
}

// certificateOptions are the flags of the certificate command.
type certificateOptions struct {
	hosts []string
	dir   string
	renew bool
}

// write issues a certificate with the present keys by issue, and prints the names of the files unless it returned none.
func (o certificateOptions) write(
	ctx context.Context, out io.Writer, c config.Config,
	issue func(*authn.Issuer, string, []string, time.Time) (server.CertificateFiles, error),
) error {
	k, err := server.OpenKeys(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer k.DB.Close()
	files, err := issue(k.Issuer, o.dir, o.hosts, time.Now())
	if err != nil || files.Cert == "" {
		return err
	}
	_, err = fmt.Fprintf(out, "%s (for %s, valid until %s), %s and %s written\n",
		files.Cert, strings.Join(o.hosts, ", "), files.ValidUntil.UTC().Format(time.RFC3339), files.Key, files.CA)
	return err
}

// keepCurrent renews the files until ctx ends. Failures after the first success are printed, and repeated at the next check.
func (o certificateOptions) keepCurrent(ctx context.Context, cmd *cobra.Command, c config.Config) error {
	check := func() error { return o.write(ctx, cmd.OutOrStdout(), c, server.RenewCertificate) }
	if err := check(); err != nil {
		return err
	}
	ticker := time.NewTicker(certificateInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := check(); err != nil {
				cmd.PrintErrln("the certificate cannot be renewed:", err)
			}
		}
	}
}
