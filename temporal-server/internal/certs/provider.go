package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/rpc/encryption"

	"github.com/procession-dev/procession/temporal-server/internal/tlspolicy"
)

// Provider provides Temporal's TLS settings.
type Provider struct {
	frontend  *frontend
	process   tls.Certificate
	internode *tls.Config
	stop      context.CancelFunc
	watching  sync.WaitGroup
}

var _ encryption.TLSConfigProvider = (*Provider)(nil)

// NewProvider reads files and reloads them every interval until Close. It returns an
// error that names the flag of an invalid file. shared is the file with the shared
// certificate of the cluster's processes, empty for a single process. The expiry of the frontend's certificate goes to meters.
func NewProvider(
	files Files, shared string, interval time.Duration, now time.Time, logger *slog.Logger, meters metrics.Handler,
) (*Provider, error) {
	var process tls.Certificate
	var err error
	if shared == "" {
		process, err = newProcessCertificate(now)
	} else {
		process, err = readShared(shared)
	}
	if err != nil {
		return nil, err
	}
	front, err := newFrontend(files, process.Leaf, logger, meters)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Provider{frontend: front, process: process, internode: internodeConfig(process), stop: stop}
	p.watching.Go(func() { front.reloadPeriodically(ctx, interval) })
	return p, nil
}

// Close stops reloading the files.
func (p *Provider) Close() {
	p.stop()
	p.watching.Wait()
}

// ProbeConfig returns the settings with which this process calls its own frontend. They
// contain the certificate of the process, which the frontend's TLS settings accept and
// the authorizer permits for health checks only.
func (p *Provider) ProbeConfig() *tls.Config {
	return tlspolicy.Restrict(&tls.Config{
		NextProtos:         []string{"h2"},
		Certificates:       []tls.Certificate{p.process},
		InsecureSkipVerify: true, //nolint:gosec // the name in the certificate is the operator's choice; VerifyConnection compares the certificate itself
		VerifyConnection: func(state tls.ConnectionState) error {
			own, err := x509.ParseCertificate(p.frontend.current.Load().config.Certificates[0].Certificate[0])
			if err != nil {
				return err
			}
			if len(state.PeerCertificates) == 0 || !state.PeerCertificates[0].Equal(own) {
				return errors.New("the listener shows another certificate than --tls-cert")
			}
			return nil
		},
	})
}

// GetFrontendServerConfig returns the frontend listener's settings.
func (p *Provider) GetFrontendServerConfig() (*tls.Config, error) {
	return p.frontend.serverConfig(), nil
}

// GetInternodeServerConfig returns the settings of every other listener.
func (p *Provider) GetInternodeServerConfig() (*tls.Config, error) { return p.internode.Clone(), nil }

// GetInternodeClientConfig returns the settings for calls to the other listeners.
func (p *Provider) GetInternodeClientConfig() (*tls.Config, error) { return p.internode.Clone(), nil }

// GetFrontendClientConfig returns nil: the system's workers use the internal frontend.
func (p *Provider) GetFrontendClientConfig() (*tls.Config, error) { return nil, nil }

// GetRemoteClusterClientConfig returns nil: there are no remote clusters.
func (p *Provider) GetRemoteClusterClientConfig(string) (*tls.Config, error) { return nil, nil }

// GetExpiringCerts returns nil: the rotation of the files checks the dates.
func (p *Provider) GetExpiringCerts(time.Duration) (encryption.CertExpirationMap, encryption.CertExpirationMap, error) {
	return nil, nil, nil
}
