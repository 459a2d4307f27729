package authn_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/persistence"
)

func parseCertificates(t *testing.T, text string) []*x509.Certificate {
	t.Helper()
	var certificates []*x509.Certificate
	for rest := []byte(text); len(rest) > 0; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		require.NotNil(t, block)
		require.Equal(t, "CERTIFICATE", block.Type)
		certificate, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		certificates = append(certificates, certificate)
	}
	return certificates
}

func verifyClient(t *testing.T, i issuance, certificate *x509.Certificate) {
	t.Helper()
	_, err := certificate.Verify(x509.VerifyOptions{
		Roots: i.Roots(), CurrentTime: i.clock.Now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	require.NoError(t, err)
}

func TestRootCertificate(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	roots := parseCertificates(t, i.RootsPEM())
	require.Len(t, roots, 1)
	root := roots[0]
	require.NoError(t, root.CheckSignatureFrom(root))
	keys, err := i.keys.List(t.Context(), persistence.SignsCertificates)
	require.NoError(t, err)
	require.Equal(t, "CN=Procession CA "+keys[0].ID[:8]+",O=Procession", root.Subject.String())
	require.True(t, root.IsCA)
	require.Equal(t, -1, root.MaxPathLen, "authorities may follow")
	require.Equal(t, x509.KeyUsageCertSign|x509.KeyUsageCRLSign, root.KeyUsage)
	require.Equal(t, i.clock.Now().AddDate(10, 0, 0).Truncate(time.Second), root.NotAfter)
}

func TestEngineCertificate(t *testing.T) {
	t.Parallel()
	i, principal := newIssuance(t), uuid.New()
	now := i.clock.Now()
	issued, err := i.EngineCertificate(principal, "demo", nil, now)
	require.NoError(t, err)
	require.Equal(t, "demo", issued.Namespace)
	require.Equal(t, i.RootsPEM(), issued.ServerRootCACertificate)
	require.Equal(t, now.Add(90*24*time.Hour).Truncate(time.Second), issued.NotAfter)

	certificates := parseCertificates(t, issued.ClientCertificate)
	require.Len(t, certificates, 1)
	certificate := certificates[0]
	verifyClient(t, i, certificate)
	require.Equal(t, []string{"Procession"}, certificate.Subject.Organization)
	require.Equal(t, []string{"demo"}, certificate.Subject.OrganizationalUnit)
	require.Equal(t, principal.String(), certificate.Subject.CommonName)
	require.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, certificate.ExtKeyUsage)
	require.Equal(t, x509.KeyUsageDigitalSignature, certificate.KeyUsage)
	require.False(t, certificate.IsCA)
	require.Equal(t, now.Add(-5*time.Minute).Truncate(time.Second), certificate.NotBefore)
	require.Equal(t, now.Add(90*24*time.Hour).Truncate(time.Second), certificate.NotAfter)
	require.Greater(t, certificate.SerialNumber.BitLen(), 64)
	require.Equal(t, issued.Serial, certificate.SerialNumber.Text(16))

	block, rest := pem.Decode([]byte(issued.ClientPrivateKey.Reveal()))
	require.NotNil(t, block)
	require.Empty(t, rest)
	require.Equal(t, "PRIVATE KEY", block.Type)
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	require.NoError(t, err)
	private, ok := parsed.(*ecdsa.PrivateKey)
	require.True(t, ok)
	require.Equal(t, elliptic.P256(), private.Curve)
	require.True(t, private.PublicKey.Equal(certificate.PublicKey))

	_, err = certificate.Verify(x509.VerifyOptions{
		Roots: i.Roots(), CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	require.Error(t, err, "a client must not pass for the engine")
}

func TestCertificateEndsWithItsAuthority(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	root := parseCertificates(t, i.RootsPEM())[0]
	issued, err := i.EngineCertificate(uuid.New(), "demo", nil, root.NotAfter.Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, root.NotAfter, parseCertificates(t, issued.ClientCertificate)[0].NotAfter)
}

func TestServerCertificate(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	pair, err := i.ServerCertificate([]string{"localhost", "127.0.0.1", "::1"}, i.clock.Now(), time.Hour)
	require.NoError(t, err)
	certificate := parseCertificates(t, pair.CertificatePEM)[0]
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		_, err := certificate.Verify(x509.VerifyOptions{
			Roots: i.Roots(), CurrentTime: i.clock.Now(), DNSName: host,
		})
		require.NoError(t, err, host)
	}
	require.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, certificate.ExtKeyUsage)
	require.Error(t, certificate.VerifyHostname("elsewhere.example"))
	require.Empty(t, certificate.Subject.OrganizationalUnit)

	_, err = i.ServerCertificate(nil, i.clock.Now(), time.Hour)
	require.Error(t, err)
}

func TestSystemCertificate(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	issued, err := i.SystemCertificate(i.clock.Now())
	require.NoError(t, err)
	verifyClient(t, i, issued.Leaf)
	require.Equal(t, []string{"temporal-system"}, issued.Leaf.Subject.OrganizationalUnit)
	require.Equal(t, "procession", issued.Leaf.Subject.CommonName)
}

func TestMutualTLSWithIssuedCertificates(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	own, err := i.ServerCertificate([]string{"localhost"}, i.clock.Now(), time.Hour)
	require.NoError(t, err)
	serverPair, err := own.TLS()
	require.NoError(t, err)
	issued, err := i.EngineCertificate(uuid.New(), "demo", nil, i.clock.Now())
	require.NoError(t, err)
	clientPair, err := authn.KeyPair{
		CertificatePEM: issued.ClientCertificate, PrivateKeyPEM: issued.ClientPrivateKey,
	}.TLS()
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(issued.ServerRootCACertificate)))

	left, right := net.Pipe()
	server := tls.Server(left, &tls.Config{
		Certificates: []tls.Certificate{serverPair}, ClientCAs: i.Roots(),
		ClientAuth: tls.RequireAndVerifyClientCert, Time: i.clock.Now, MinVersion: tls.VersionTLS13,
	})
	client := tls.Client(right, &tls.Config{
		Certificates: []tls.Certificate{clientPair}, RootCAs: roots, ServerName: "localhost",
		Time: i.clock.Now, MinVersion: tls.VersionTLS13,
	})
	done := make(chan error, 1)
	go func() { done <- client.HandshakeContext(t.Context()) }()
	require.NoError(t, server.HandshakeContext(t.Context()))
	require.NoError(t, <-done)
	require.Equal(t, []string{"demo"}, server.ConnectionState().PeerCertificates[0].Subject.OrganizationalUnit)
	require.NoError(t, left.Close())
	require.NoError(t, right.Close())
}
