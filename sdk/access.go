package procession

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/procession-dev/procession/sdk/rest"
)

// engineAccess contains the credentials for Temporal that the service issues.
type engineAccess struct {
	namespace string
	tls       *tls.Config
	token     func(context.Context) (string, error)
	// dropToken has the next call get another token.
	dropToken func()
}

// obtainEngineAccess asks the service for a certificate. The token is fetched when Temporal is first called; both are
// renewed ahead of expiry for as long as the worker runs.
func obtainEngineAccess(ctx context.Context, api *Client, clock func() time.Time) (engineAccess, error) {
	first, err := engineCertificate(ctx, api)
	if err != nil {
		return engineAccess{}, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(first.TLS.ServerRootCaCertificate)) {
		return engineAccess{}, errors.New("serverRootCaCertificate holds no PEM certificate")
	}
	// The grant at hand serves the first handshake; only its renewals call the service again.
	next := &first
	certificates := newRenewing(clock, func(ctx context.Context) (*tls.Certificate, time.Time, error) {
		grant := next
		next = nil
		if grant == nil {
			renewed, err := engineCertificate(ctx, api)
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
	tokens := newRenewing(clock, func(ctx context.Context) (string, time.Time, error) { return engineToken(ctx, api) })
	return engineAccess{
		namespace: first.Namespace,
		tls: &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    roots,
			GetClientCertificate: func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) { //nolint:contextcheck // the handshake brings its own context
				return certificates.Get(request.Context())
			},
		},
		token: tokens.Get, dropToken: tokens.Drop,
	}, nil
}

func engineCertificate(ctx context.Context, api *Client) (rest.AuthenticationEngineCertificate, error) {
	answer, err := Decode[rest.Authentication](api.CreateAuthentication(ctx,
		rest.AuthenticationCreateParams{Type: rest.AuthenticationTypeENGINECERTIFICATE}))
	if err == nil && (answer.EngineCertificate == nil || answer.EngineCertificate.Namespace == "") {
		err = errors.New("the answer to an authentication holds no engineCertificate")
	}
	if err != nil {
		return rest.AuthenticationEngineCertificate{}, err
	}
	return *answer.EngineCertificate, nil
}

// engineToken returns a token and the instant it expires at.
func engineToken(ctx context.Context, api *Client) (string, time.Time, error) {
	answer, err := Decode[rest.Authentication](api.CreateAuthentication(ctx,
		rest.AuthenticationCreateParams{Type: rest.AuthenticationTypeENGINETOKEN}))
	if err == nil && (answer.EngineToken == nil || answer.EngineToken.Token == "" || answer.EngineToken.ExpiredAt.IsZero()) {
		err = errors.New("the answer to an authentication holds no engineToken that expires")
	}
	if err != nil {
		return "", time.Time{}, err
	}
	return answer.EngineToken.Token, answer.EngineToken.ExpiredAt, nil
}

// clientCertificate reads the PEM certificate chain and the PKCS#8 key of a grant.
func clientCertificate(grant rest.AuthenticationEngineCertificate) (*tls.Certificate, time.Time, error) {
	pair, err := tls.X509KeyPair([]byte(grant.TLS.ClientCertificate), []byte(grant.TLS.ClientPrivateKey))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("reading the engine certificate: %w", err)
	}
	return &pair, pair.Leaf.NotAfter, nil
}
