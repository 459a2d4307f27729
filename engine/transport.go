package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"time"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

// Credentials authenticate the service to Temporal, and Temporal to the service. Token is called before every
// call, Certificate and RootCAs at every handshake, so all may change while the
// service runs.
type Credentials struct {
	// Token returns the bearer token of calls. It may be nil if Temporal requires none.
	Token func() (string, error)
	// Plaintext turns TLS off. The other fields are not used then.
	Plaintext bool
	// Certificate returns the client certificate. It may be nil if Temporal requires none.
	Certificate func() (*tls.Certificate, error)
	// RootCAs returns the authorities of Temporal's certificate. It may be nil for the authorities of the system.
	RootCAs func() *x509.CertPool
	// ServerName is the name in Temporal's certificate, "" for the host of the address.
	ServerName string
}

// roots returns the authorities of Temporal's certificate, nil for the system's.
func (c *Credentials) roots() *x509.CertPool {
	if c.RootCAs == nil {
		return nil
	}
	return c.RootCAs()
}

// tlsConfig returns the settings of TLS without authorities, nil for plain text.
func (c *Credentials) tlsConfig() *tls.Config {
	if c.Plaintext {
		return nil
	}
	config := tlspolicy.New()
	config.ServerName = c.ServerName
	if c.Certificate != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.Certificate() }
	}
	return config
}

// token returns the credentials of calls, nil for none.
func (c *Credentials) token() client.Credentials {
	if c.Token == nil || c.Plaintext {
		return nil
	}
	return client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) {
		token, err := c.Token()
		if err != nil {
			return "", fmt.Errorf("reading the service's token for Temporal: %w", err)
		}
		return token, nil
	})
}

// transport returns the transport of connections to Temporal.
func (c *Credentials) transport() credentials.TransportCredentials {
	if c.Plaintext {
		return insecure.NewCredentials()
	}
	return newTransport(*c)
}

const (
	// silence is the time without an answer after which a connection is checked. Temporal permits one check in ten seconds.
	silence = 10500 * time.Millisecond
	// checkTimeout is the time after which a connection without an answer to the check is closed: the host of the frontend is lost.
	checkTimeout = 2 * time.Second
)

// DialOptions returns the options of connections to Temporal.
func (c *Credentials) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithTransportCredentials(c.transport()), grpc.WithConnectParams(connectParams()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: silence, Timeout: checkTimeout, PermitWithoutStream: true}),
	}
}

// transport is TLS to Temporal that verifies each handshake with the current
// authorities. A tls.Config has fixed ones.
type transport struct {
	credentials.TransportCredentials
	config      *tls.Config
	credentials Credentials
}

var _ credentials.TransportCredentials = (*transport)(nil)

func newTransport(c Credentials) *transport {
	config := c.tlsConfig()
	return &transport{TransportCredentials: credentials.NewTLS(config), config: config, credentials: c}
}

// ClientHandshake implements credentials.TransportCredentials.
func (t *transport) ClientHandshake(
	ctx context.Context, authority string, connection net.Conn,
) (net.Conn, credentials.AuthInfo, error) {
	config := t.config.Clone()
	config.RootCAs = t.credentials.roots()
	return credentials.NewTLS(config).ClientHandshake(ctx, authority, connection)
}

// Clone implements credentials.TransportCredentials.
func (t *transport) Clone() credentials.TransportCredentials { return newTransport(t.credentials) }
