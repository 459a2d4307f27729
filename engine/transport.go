package engine

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/credentials"
)

// transport is TLS to Temporal that verifies each handshake with the current
// authorities. A tls.Config has fixed ones.
type transport struct {
	credentials.TransportCredentials
	config      *tls.Config
	credentials Credentials
}

var _ credentials.TransportCredentials = (*transport)(nil)

func newTransport(c Credentials) *transport {
	config := &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return c.Certificate()
		},
	}
	return &transport{TransportCredentials: credentials.NewTLS(config), config: config, credentials: c}
}

// ClientHandshake implements credentials.TransportCredentials.
func (t *transport) ClientHandshake(
	ctx context.Context, authority string, connection net.Conn,
) (net.Conn, credentials.AuthInfo, error) {
	config := t.config.Clone()
	config.RootCAs = t.credentials.RootCAs()
	return credentials.NewTLS(config).ClientHandshake(ctx, authority, connection)
}

// Clone implements credentials.TransportCredentials.
func (t *transport) Clone() credentials.TransportCredentials { return newTransport(t.credentials) }
