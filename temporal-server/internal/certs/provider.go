package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/server/common/rpc/encryption"
)

// Provider hands Temporal its TLS settings.
type Provider struct {
	frontend  *frontend
	process   tls.Certificate
	internode *tls.Config
	stop      context.CancelFunc
	watching  sync.WaitGroup
}

var _ encryption.TLSConfigProvider = (*Provider)(nil)

// NewProvider reads files and looks at them again every interval until Close. It returns an error naming the flag of a file that cannot
// be used. shared is the file with the certificate of the cluster's processes, empty for one process.
func NewProvider(files Files, shared string, interval time.Duration, now time.Time, logger *slog.Logger) (*Provider, error) {
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
	front, err := newFrontend(files, process.Leaf, logger)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Provider{frontend: front, process: process, internode: internodeConfig(process), stop: stop}
	p.watching.Go(func() { front.watch(ctx, interval) })
	return p, nil
}

// Close stops looking at the files.
func (p *Provider) Close() {
	p.stop()
	p.watching.Wait()
}

// ProbeConfig lets this process call its own frontend. It carries the process's certificate, which the frontend's TLS layer accepts and the
// authorizer grants nothing but the health check.
func (p *Provider) ProbeConfig() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
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
	}
}

// GetFrontendServerConfig returns the frontend listener's settings.
func (p *Provider) GetFrontendServerConfig() (*tls.Config, error) {
	return p.frontend.serverConfig(), nil
}

// GetInternodeServerConfig returns the settings of every other listener.
func (p *Provider) GetInternodeServerConfig() (*tls.Config, error) { return p.internode.Clone(), nil }

// GetInternodeClientConfig returns the settings for calls to the other listeners.
func (p *Provider) GetInternodeClientConfig() (*tls.Config, error) { return p.internode.Clone(), nil }

// GetFrontendClientConfig returns nothing: the system's workers use the internal frontend.
func (p *Provider) GetFrontendClientConfig() (*tls.Config, error) { return nil, nil }

// GetRemoteClusterClientConfig returns nothing: this server is a cluster of its own.
func (p *Provider) GetRemoteClusterClientConfig(string) (*tls.Config, error) { return nil, nil }

// GetExpiringCerts reports nothing: the rotation of the files watches their dates.
func (p *Provider) GetExpiringCerts(time.Duration) (encryption.CertExpirationMap, encryption.CertExpirationMap, error) {
	return nil, nil, nil
}
