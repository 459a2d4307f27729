package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// issuerName is the service's default.
const issuerName = "procession"

// systemAccess is the access to Temporal that the service itself has. The bench
// uses it for workflows that the service has no part in.
type systemAccess struct{ issuer *authn.Issuer }

func newSystemAccess(ctx context.Context, db *persistence.DB, key authn.SealKey) (*systemAccess, error) {
	sealer, err := authn.NewSealer(key)
	if err != nil {
		return nil, err
	}
	keys := authn.NewKeys(db, sealer, time.Now)
	if err := keys.EnsureKeys(ctx); err != nil {
		return nil, err
	}
	issuer, err := authn.NewIssuer(keys, issuerName, authn.DefaultCertificateLifetime)
	if err != nil {
		return nil, err
	}
	return &systemAccess{issuer: issuer}, nil
}

func (a *systemAccess) issueCertificate() (*tls.Certificate, error) {
	certificate, err := a.issuer.SystemCertificate(time.Now())
	return &certificate, err
}

func (a *systemAccess) issueToken() (string, error) {
	token, err := a.issuer.SystemToken(time.Now())
	return token.Token.Reveal(), err
}

// openEngine returns the client of Temporal that the service has.
func (s *stack) openEngine() (*engine.Engine, error) {
	return engine.New(engine.Options{
		Address: s.temporal, Logger: slog.New(slog.DiscardHandler),
		Credentials: engine.Credentials{Token: s.system.issueToken, Certificate: s.system.issueCertificate, RootCAs: s.system.issuer.Roots},
	})
}

// dialRaw connects to a namespace that only the bench knows, and makes it when
// it is missing.
func (s *stack) dialRaw(ctx context.Context, namespace string) (client.Client, error) {
	e, err := s.openEngine()
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err := e.EnsureNamespace(ctx, namespace); err != nil {
		return nil, err
	}
	certificate, err := s.system.issueCertificate()
	if err != nil {
		return nil, err
	}
	return s.dialTemporal(ctx, namespace, &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: s.system.issuer.Roots(), Certificates: []tls.Certificate{*certificate},
	}, cacheToken(time.Minute, func(context.Context) (string, error) { return s.system.issueToken() }))
}

// dialEngine connects to Temporal as the application loan-worker does: with a token and
// a certificate of the service.
func (s *stack) dialEngine(ctx context.Context) (client.Client, error) {
	account := demo.LoanWorker()
	api, err := procession.NewClient(procession.ClientConfig{
		Endpoint: "http://" + s.address, Credentials: procession.ClientCredentials(account.ID.String(), account.Secret),
	})
	if err != nil {
		return nil, err
	}
	granted, err := procession.Decode[rest.Authentication](api.CreateAuthentication(ctx,
		rest.AuthenticationCreateParams{Type: rest.AuthenticationTypeENGINECERTIFICATE}))
	if err != nil {
		return nil, err
	}
	grant := granted.EngineCertificate
	pair, err := tls.X509KeyPair([]byte(grant.TLS.ClientCertificate), []byte(grant.TLS.ClientPrivateKey))
	if err != nil {
		return nil, fmt.Errorf("reading the engine certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(grant.TLS.ServerRootCaCertificate)) {
		return nil, errors.New("the engine certificate comes without an authority")
	}
	return s.dialTemporal(ctx, grant.Namespace, &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: roots, Certificates: []tls.Certificate{pair},
	}, cacheToken(20*time.Minute, func(ctx context.Context) (string, error) {
		granted, err := procession.Decode[rest.Authentication](api.CreateAuthentication(ctx,
			rest.AuthenticationCreateParams{Type: rest.AuthenticationTypeENGINETOKEN}))
		if err != nil {
			return "", err
		}
		return granted.EngineToken.Token, nil
	}))
}

func (s *stack) dialTemporal(
	ctx context.Context, namespace string, config *tls.Config, token func(context.Context) (string, error),
) (client.Client, error) {
	c, err := client.DialContext(ctx, client.Options{
		HostPort: s.temporal, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		Credentials:       client.NewAPIKeyDynamicCredentials(token),
		ConnectionOptions: client.ConnectionOptions{TLS: config, GrpcCompression: &client.GrpcCompressionNone{}},
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to Temporal's namespace %s: %w", namespace, err)
	}
	return c, nil
}

// cacheToken caches the result of fetch for some time.
func cacheToken(keep time.Duration, fetch func(context.Context) (string, error)) func(context.Context) (string, error) {
	var mu sync.Mutex
	var value string
	var until time.Time
	return func(ctx context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.After(until) {
			fresh, err := fetch(ctx)
			if err != nil {
				return "", err
			}
			value, until = fresh, now.Add(keep)
		}
		return value, nil
	}
}
