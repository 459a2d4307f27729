package transport_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/sdk/transport"
)

func TestNewKeySignsItsRequest(t *testing.T) {
	t.Parallel()
	key, err := transport.NewKey()
	require.NoError(t, err)
	block, rest := pem.Decode([]byte(key.Request))
	require.Equal(t, "CERTIFICATE REQUEST", block.Type)
	require.Empty(t, rest)
	request, err := x509.ParseCertificateRequest(block.Bytes)
	require.NoError(t, err)
	require.NoError(t, request.CheckSignature())
	other, err := transport.NewKey()
	require.NoError(t, err)
	require.NotEqual(t, key.Private, other.Private)
}

func TestNewTLSRefusesCBC(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{
		tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	dial := func(config *tls.Config) error {
		conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	require.NoError(t, dial(&tls.Config{RootCAs: roots}))
	var refused *net.OpError
	require.ErrorAs(t, dial(transport.NewTLS(roots)), &refused)
}
