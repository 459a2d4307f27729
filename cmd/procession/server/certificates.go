package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// certificateInterval is the interval of the examinations of certificates, certificateRetry the interval after a failure.
	certificateInterval = time.Hour
	certificateRetry    = time.Minute
)

// certificates knows the expiry of the installation's certificates.
type certificates struct {
	db       *persistence.DB
	issuer   *authn.Issuer
	listener func() *servedCertificate
	// probe is nil without TLS to Temporal.
	probe *engine.Probe
	log   *slog.Logger
	// temporal is the expiry of the certificate of Temporal's frontend, nil while it is unknown.
	temporal atomic.Pointer[time.Time]
}

func (c *certificates) close() {
	if c.probe != nil {
		_ = c.probe.Close()
	}
}

// list returns the certificates with a known expiry.
func (c *certificates) list(now time.Time) []domain.Certificate {
	var found []domain.Certificate
	if ends := c.issuer.AuthorityExpiry(now); !ends.IsZero() {
		found = append(found, domain.Certificate{Name: domain.CertificateAuthority, ExpiresAt: ends})
	}
	if served := c.listener(); served != nil {
		found = append(found, domain.Certificate{Name: domain.CertificateListener, ExpiresAt: served.expiresAt()})
	}
	if ends := c.temporal.Load(); ends != nil {
		found = append(found, domain.Certificate{Name: domain.CertificateTemporal, ExpiresAt: *ends})
	}
	return found
}

// run examines the certificates until ctx ends.
func (c *certificates) run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: c.examine}
	l.Run(ctx)
}

// examine reads Temporal's certificate and records the certificates that expire soon. It returns the pause.
func (c *certificates) examine(ctx context.Context) time.Duration {
	pause := certificateInterval
	if c.probe == nil {
		// The connection is in plain text.
	} else if shown, _, err := c.probe.ServerCertificate(ctx); err == nil {
		c.temporal.Store(&shown.NotAfter)
	} else {
		pause = certificateRetry
	}
	now := time.Now()
	for _, certificate := range c.list(now) {
		if err := c.db.RecordCertificate(ctx, certificate, now); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "recording a certificate failed", slog.String("certificate", certificate.Name), slog.Any("error", err))
			pause = certificateRetry
		}
	}
	return pause
}

// newCertificateMetrics collects the expiry of the certificates.
func newCertificateMetrics(c *certificates) collector {
	expiry := newGauge("procession_certificate_expiry_timestamp_seconds",
		"Expiry of the certificate of the HTTPS listeners, of the authority or of Temporal's frontend, in seconds since 1970.", "certificate")
	return collector{[]number{expiry}, func(_ context.Context, show show) {
		for _, certificate := range c.list(time.Now()) {
			show(expiry, float64(certificate.ExpiresAt.Unix()), certificate.Name)
		}
	}}
}
