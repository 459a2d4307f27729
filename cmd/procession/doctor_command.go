package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

func newDoctorCommand() *cobra.Command {
	var c Config
	format := doctor.Format("text")
	cmd := &cobra.Command{
		Use: "doctor", Args: noArgs, Short: "Check the dependencies of the service",
		Long: "Checks the dependencies of the service with its configuration and advises how to fix problems. It changes no data.\n" +
			"Each check takes at most 5 seconds; checks that depend on a failed one are skipped.\n\n" +
			"Exit codes: 0 no check fails, though there may be warnings, 1 a check fails, 2 invalid arguments.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings := c.load(cmd.Flags())
			options := c.doctorOptions(time.Now)
			if settings != nil {
				options.Settings = settings
			}
			findings := doctor.Examine(cmd.Context(), options)
			if err := format.Write(cmd.OutOrStdout(), findings); err != nil {
				return err
			}
			return doctor.Failure(findings)
		},
	}
	c.bindSettings(cmd)
	cmd.Flags().VarP(&format, "output", "o", "text or json")
	return cmd
}

// doctorOptions returns the doctor's options from the configuration.
func (c *Config) doctorOptions(clock func() time.Time) doctor.Options {
	return doctor.Options{
		Clock:        clock,
		Settings:     c.requireService(),
		Secrets:      []string{c.DatabaseURL, c.DatabaseDirectURL, c.SealKeyKeeper},
		SealKeyFiles: c.sealKeyFiles(),
		OpenDatabase: func(ctx context.Context) (*persistence.DB, error) { return openDatabase(ctx, *c) },
		OpenSealer: func(ctx context.Context) (*authn.Sealer, error) {
			if err := c.requireSealKey(); err != nil {
				return nil, err
			}
			return openSealer(ctx, *c)
		},
		Issuer: c.Issuer, KeyPublishDelay: c.KeyPublishDelay, CertificateLifetime: c.CertificateLifetime,
		OIDCIssuers: c.OIDCIssuers, PublicURL: c.baseURL(), ListenTLS: c.ListenTLS, TLSCert: c.TLSCert, TLSKey: c.TLSKey,
		TrustedProxies: c.TrustedProxies,
		DocumentsURL:   c.DocumentsURL, MaxDocumentBytes: c.MaxDocumentBytes,
		Assisted: c.hasAssistance(), FormsAsDocuments: c.FormsAsDocuments, FindPDFToText: c.pdfToText,
		TemporalAddress: c.TemporalAddress, TemporalCAFile: c.TemporalCAFile, TemporalRetention: c.TemporalRetention,
		Credentials:   func(issuer *authn.Issuer) (engine.Credentials, error) { return engineCredentials(issuer, *c) },
		QueuePatience: queuePatience(*c), EventRetention: c.EventRetention, Schedules: ownSchedules(),
	}
}
