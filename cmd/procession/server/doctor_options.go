package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/persistence"
)

// DoctorOptions returns the doctor's options from the configuration.
func DoctorOptions(c config.Config, clock func() time.Time) doctor.Options {
	return doctor.Options{
		Clock:        clock,
		Settings:     c.RequireService(),
		Secrets:      []string{c.DatabaseURL, c.DatabaseDirectURL, c.SealKeyKeeper},
		SealKeyFiles: c.SealKeyFiles(),
		OpenDatabase: func(ctx context.Context) (*persistence.DB, error) { return OpenDatabase(ctx, c) },
		OpenSealer: func(ctx context.Context) (*authn.Sealer, error) {
			if err := c.RequireSealKey(); err != nil {
				return nil, err
			}
			return OpenSealer(ctx, c)
		},
		Issuer: c.Issuer, KeyPublishDelay: c.KeyPublishDelay, CertificateLifetime: c.CertificateLifetime,
		OIDCIssuers: c.OIDCIssuers, PublicURL: c.BaseURL(), ListenTLS: c.ListenTLS, TLSCert: c.TLSCert, TLSKey: c.TLSKey,
		TrustedProxies: c.TrustedProxies, CheckMail: c.MailCheck(),
		DocumentsURL: c.DocumentsURL, MaxDocumentBytes: c.MaxDocumentBytes,
		Assisted: c.HasAssistance(), FormsAsDocuments: c.FormsAsDocuments, FindPDFToText: c.FindPDFToText,
		FindTypesetter: func(ctx context.Context) error {
			_, err := pdfworker.FindTypesetter(ctx, c.Typst, c.FormFonts)
			return err
		},
		InstallTypesetter: pdfworker.InstallCommand, InstallFonts: pdfworker.InstallFonts,
		Clusters: doctorClusters(c), TemporalTLSCA: c.TemporalTLSCA, TemporalRetention: c.TemporalRetention,
		CheckCloud: cloudCheck(c),
		EngineOptions: func(issuer *authn.Issuer, db *persistence.DB) (engine.Options, error) {
			return EngineOptions(issuer, c, db, slog.New(slog.DiscardHandler))
		},
		QueueTimeouts: queueTimeouts(c), EventRetention: c.EventRetention, Schedules: ownSchedules(),
	}
}

// cloudCheck returns a function that calls the operations API of each cluster in Temporal Cloud, nil if there is none.
func cloudCheck(c config.Config) func(context.Context) error {
	if len(cloudAccounts(c)) == 0 {
		return nil
	}
	return func(ctx context.Context) error {
		accounts, err := newCloudAccounts(c, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer closeAccounts(accounts)
		var errs []error
		for _, account := range accounts {
			errs = append(errs, account.Check(ctx))
		}
		return errors.Join(errs...)
	}
}

// doctorClusters describes the clusters of the configuration to the doctor.
func doctorClusters(c config.Config) []doctor.Cluster {
	clusters := make([]doctor.Cluster, 0, 1)
	for _, cluster := range c.Clusters() {
		address := cluster.Address
		if cluster.Name == "" {
			address = cluster.AddressOf(c.TemporalNamespace)
		}
		clusters = append(clusters, doctor.Cluster{
			Name: cluster.Name, Address: address,
			OwnCredentials: cluster.Credentials() == config.TemporalOwn,
			Loopback:       config.IsLoopback(config.HostOf(address)),
			Credentials: func(issuer *authn.Issuer) (engine.Credentials, error) {
				return EngineCredentials(issuer, cluster, slog.New(slog.DiscardHandler))
			},
		})
	}
	return clusters
}
