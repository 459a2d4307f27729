package procession

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/procession-dev/procession/sdk/rest"
	"github.com/procession-dev/procession/sdk/transport"
)

// engineAccess contains the credentials for Temporal. Without TLS there is only the namespace. The private key of the certificate is made here and stays here, unless the
// owner of the cluster gives certificates with keys.
type engineAccess struct {
	namespace string
	tls       *tls.Config
	token     func(context.Context) (string, error)
	// dropToken has the next call get another token.
	dropToken func()
}

// obtainPlainAccess asks the service for the namespace of a Temporal without TLS and credentials.
func obtainPlainAccess(ctx context.Context, api *Client) (engineAccess, error) {
	grant, _, err := engineCertificate(ctx, api)
	return engineAccess{namespace: grant.Namespace, dropToken: func() {}}, err
}

// obtainEngineAccess asks the service for a certificate. The token is fetched when Temporal is first called; both are
// renewed ahead of expiry for as long as the worker runs.
func obtainEngineAccess(ctx context.Context, api *Client, clock func() time.Time) (engineAccess, error) {
	roots := x509.NewCertPool()
	var namespace string
	certificates := newRenewing(clock, func(ctx context.Context) (*tls.Certificate, time.Time, error) {
		grant, key, err := engineCertificate(ctx, api)
		if err != nil {
			return nil, time.Time{}, err
		}
		// The first certificate says where the worker connects to. Renewals run during handshakes, which read these.
		if namespace == "" {
			if grant.TLS.ClientCertificate == "" && grant.TLS.ServerRootCaCertificate == "" {
				return nil, time.Time{}, errors.New("the Temporal of the service has no TLS: set TemporalPlaintext (-temporal-plaintext)")
			}
			if !roots.AppendCertsFromPEM([]byte(grant.TLS.ServerRootCaCertificate)) {
				return nil, time.Time{}, errors.New("serverRootCaCertificate holds no PEM certificate")
			}
			namespace = grant.Namespace
		}
		return clientCertificate(grant, key)
	})
	if _, err := certificates.Get(ctx); err != nil {
		return engineAccess{}, err
	}
	tokens := newRenewing(clock, func(ctx context.Context) (string, time.Time, error) { return engineToken(ctx, api) })
	settings := transport.NewTLS(roots)
	settings.GetClientCertificate = func(request *tls.CertificateRequestInfo) (*tls.Certificate, error) { //nolint:contextcheck // the handshake brings its own context
		return certificates.Get(request.Context())
	}
	return engineAccess{
		namespace: namespace,
		tls:       settings,
		token:     tokens.Get, dropToken: tokens.Drop,
	}, nil
}

// engineCertificate makes a key and requests a certificate for it. The private key is PEM, and another one if the service gives it.
func engineCertificate(ctx context.Context, api *Client) (rest.AuthenticationEngineCertificate, []byte, error) {
	key, err := transport.NewKey()
	if err != nil {
		return rest.AuthenticationEngineCertificate{}, nil, err
	}
	answer, err := Decode[rest.Authentication](api.CreateAuthentication(ctx,
		rest.AuthenticationCreateParams{Type: rest.AuthenticationTypeENGINECERTIFICATE, CertificateSigningRequest: &key.Request}))
	if err == nil && (answer.EngineCertificate == nil || answer.EngineCertificate.Namespace == "") {
		err = errors.New("the answer to an authentication holds no engineCertificate")
	}
	if err != nil {
		return rest.AuthenticationEngineCertificate{}, nil, err
	}
	if given := answer.EngineCertificate.TLS.ClientPrivateKey; given != "" {
		// The owner of the cluster gives certificates with their keys.
		return *answer.EngineCertificate, []byte(given), nil
	}
	return *answer.EngineCertificate, key.Private, nil
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

// clientCertificate reads the PEM certificate chain of a grant. The first certificate must be for the key.
func clientCertificate(grant rest.AuthenticationEngineCertificate, key []byte) (*tls.Certificate, time.Time, error) {
	pair, err := tls.X509KeyPair([]byte(grant.TLS.ClientCertificate), key)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("reading the engine certificate: %w", err)
	}
	return &pair, pair.Leaf.NotAfter, nil
}
