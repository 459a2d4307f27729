package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

const (
	// renewalShare of a credential's life is left when it is renewed: a fifth.
	renewalShare = 5
	// renewalPause separates tries to renew a credential that still works.
	renewalPause = 5 * time.Second
)

// renewing keeps a credential that expires and fetches the next one ahead of time.
type renewing[T any] struct {
	fetch func(context.Context) (T, time.Time, error)
	clock func() time.Time

	mu             sync.Mutex
	value          T
	dueAt, expires time.Time
}

// get returns a credential that has not expired. While the next one is not to be had, the one at hand is good.
func (r *renewing[T]) get(ctx context.Context) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	if now.Before(r.dueAt) {
		return r.value, nil
	}
	value, expires, err := r.fetch(ctx)
	switch {
	case err == nil:
		r.value, r.expires, r.dueAt = value, expires, expires.Add(-expires.Sub(now)/renewalShare)
	case now.Before(r.expires):
		r.dueAt = now.Add(renewalPause)
		return r.value, nil
	}
	return value, err
}

// engineAccess is what it takes to talk to Temporal.
type engineAccess struct {
	namespace string
	tls       *tls.Config
	token     func(context.Context) (string, error)
}

// obtainEngineAccess asks the service for a certificate. The token is fetched when Temporal is first called. Both are
// renewed for as long as the worker runs.
func obtainEngineAccess(ctx context.Context, api *restapi.Client, clock func() time.Time) (engineAccess, error) {
	roots, namespace := x509.NewCertPool(), ""
	certificates := &renewing[*tls.Certificate]{clock: clock, fetch: func(ctx context.Context) (*tls.Certificate, time.Time, error) {
		granted, err := api.CreateEngineCertificate(ctx)
		if err != nil {
			return nil, time.Time{}, err
		}
		pair, err := tls.X509KeyPair([]byte(granted.TLS.ClientCertificate), []byte(granted.TLS.ClientPrivateKey))
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("reading the engine certificate: %w", err)
		}
		if namespace == "" {
			namespace = granted.Namespace
			if !roots.AppendCertsFromPEM([]byte(granted.TLS.ServerRootCACertificate)) {
				return nil, time.Time{}, errors.New("serverRootCaCertificate holds no PEM certificate")
			}
		}
		return &pair, pair.Leaf.NotAfter, nil
	}}
	if _, err := certificates.get(ctx); err != nil {
		return engineAccess{}, err
	}
	tokens := &renewing[string]{clock: clock, fetch: api.CreateEngineToken}
	return engineAccess{
		namespace: namespace,
		tls: &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    roots,
			GetClientCertificate: func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) { //nolint:contextcheck // the handshake brings its own context
				return certificates.get(request.Context())
			},
		},
		token: tokens.get,
	}, nil
}
