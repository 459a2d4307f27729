package main

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/server"
)

// TestRenewCertificate renews the files of Temporal's certificate when they need it, and leaves them alone otherwise.
func TestRenewCertificate(t *testing.T) {
	t.Parallel()
	o := newKeyed(t).with("--key-reload", "1ms", "--key-publish-delay", "2ms")
	hosts := []string{"temporal.example.internal", "127.0.0.1"}
	now := time.Now()
	renew := func(at time.Time, hosts ...string) server.CertificateFiles {
		k := o.openKeyring()
		defer k.DB.Close()
		files, err := server.RenewCertificate(k.Issuer, o.dir, hosts, at)
		require.NoError(t, err)
		return files
	}
	shown := func() *x509.Certificate {
		pair, err := tls.LoadX509KeyPair(o.path("server.pem"), o.path("server-key.pem"))
		require.NoError(t, err)
		return pair.Leaf
	}
	first := renew(now, hosts...)
	require.Equal(t, o.path("server.pem"), first.Cert)
	require.Empty(t, renew(now, hosts...), "current files stay")
	require.Empty(t, renew(now.Add(server.FrontendCertificateLifetime/2), hosts...))
	late := now.Add(server.FrontendCertificateLifetime * 3 / 4)
	require.NotEmpty(t, renew(late, hosts...), "less than a third is left")
	require.True(t, shown().NotAfter.After(late.Add(server.FrontendCertificateLifetime/2)))
	require.NotEmpty(t, renew(late, "other.example.internal"), "another host")
	require.NoError(t, shown().VerifyHostname("other.example.internal"))
	o.prints("ca", "rotate")
	require.NotEmpty(t, renew(late, "other.example.internal"), "another authority")
}
