package server

import (
	"context"
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
		EngineOptions: func(issuer *authn.Issuer, db *persistence.DB) (engine.Options, error) {
			return EngineOptions(issuer, c, db, slog.New(slog.DiscardHandler))
		},
		QueueTimeouts: queueTimeouts(c), EventRetention: c.EventRetention, Schedules: ownSchedules(),
	}
}

// doctorClusters describes the clusters of the configuration to the doctor.
func doctorClusters(c config.Config) []doctor.Cluster {
	clusters := make([]doctor.Cluster, 0, 1)
	for _, cluster := range c.Clusters() {
		clusters = append(clusters, doctor.Cluster{
			Name: cluster.Name, Address: cluster.Address,
			OwnCredentials: cluster.Credentials() == config.TemporalOwn,
			Loopback:       config.IsLoopback(config.HostOf(cluster.Address)),
			Credentials: func(issuer *authn.Issuer) (engine.Credentials, error) {
				return EngineCredentials(issuer, cluster, slog.New(slog.DiscardHandler))
			},
		})
	}
	return clusters
}
