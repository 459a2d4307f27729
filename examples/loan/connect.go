package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// engineAccess is everything needed to talk to Temporal, obtained from the service.
type engineAccess struct {
	namespace string
	tls       *tls.Config
	token     func(context.Context) (string, error)
}

// obtainEngineAccess asks the service for a certificate. The token is fetched when Temporal is first called; both are
// renewed ahead of expiry for as long as the worker runs.
func obtainEngineAccess(ctx context.Context, api *restapi.Client, clock func() time.Time) (engineAccess, error) {
	first, err := api.CreateEngineCertificate(ctx)
	if err != nil {
		return engineAccess{}, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(first.TLS.ServerRootCACertificate)) {
		return engineAccess{}, errors.New("serverRootCaCertificate holds no PEM certificate")
	}
	// The grant at hand serves the first handshake; only its renewals call the service again.
	next := &first
	certificates := newRenewing(clock, func(ctx context.Context) (*tls.Certificate, time.Time, error) {
		grant := next
		next = nil
		if grant == nil {
			renewed, err := api.CreateEngineCertificate(ctx)
			if err != nil {
				return nil, time.Time{}, err
			}
			grant = &renewed
		}
		return clientCertificate(*grant)
	})
	if _, err := certificates.Get(ctx); err != nil {
		return engineAccess{}, err
	}
	tokens := newRenewing(clock, api.CreateEngineToken)
	return engineAccess{
		namespace: first.Namespace,
		tls: &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    roots,
			GetClientCertificate: func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) { //nolint:contextcheck // the handshake brings its own context
				return certificates.Get(request.Context())
			},
		},
		token: tokens.Get,
	}, nil
}

// clientCertificate reads the PEM certificate chain and the PKCS#8 key of a grant.
func clientCertificate(grant restapi.EngineCertificateGrant) (*tls.Certificate, time.Time, error) {
	pair, err := tls.X509KeyPair([]byte(grant.TLS.ClientCertificate), []byte(grant.TLS.ClientPrivateKey))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("reading the engine certificate: %w", err)
	}
	return &pair, pair.Leaf.NotAfter, nil
}
