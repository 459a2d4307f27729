package temporalserver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/devstack/temporalserver"
)

// buildTiny returns a stand-in for the server that misbehaves on demand.
func buildTiny(t *testing.T) string {
	t.Helper()
	binary, err := temporalserver.Build(t.Context(), temporalserver.BuildOptions{
		Source: writeSource(t, tinyServer), CacheDir: t.TempDir(),
	})
	require.NoError(t, err)
	return binary
}

func TestStartHandsTheOptionsOver(t *testing.T) {
	t.Parallel()
	var log lines
	server, err := temporalserver.Start(t.Context(), temporalserver.Options{
		Binary: buildTiny(t), Listen: "127.0.0.1:0", Store: temporalserver.StorePostgres,
		DatabaseURL: "postgres://u:secret@/db", JWKSURL: "http://127.0.0.1/jwks", JWKSRefresh: time.Second,
		Issuer: "procession", TLSCert: "c", TLSKey: "k", ClientCA: "ca", LogLevel: "warn", LogWriter: &log,
	})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:4711", server.Address())
	require.NoError(t, server.Err())
	require.Equal(t, "start --listen 127.0.0.1:0 --store postgres --jwks-url http://127.0.0.1/jwks --issuer procession"+
		" --tls-cert c --tls-key k --client-ca ca --log-level warn --task-queue-partitions 1 --history-shards 4 --jwks-refresh 1s\n"+
		"url postgres://u:secret@/db\ntemporal-server ready address=127.0.0.1:4711\n", log.String())

	require.NoError(t, server.Stop(t.Context()))
	require.ErrorContains(t, server.Err(), "signal: terminated")
	require.NoError(t, server.Stop(t.Context()), "a second stop has nothing to do")
}

func TestStartShowsTheLastWordsOfAServerThatEnds(t *testing.T) {
	t.Parallel()
	_, err := temporalserver.Start(t.Context(), temporalserver.Options{Binary: buildTiny(t), Store: "broken"})
	var exit *temporalserver.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, "the store is broken", exit.Output)
	require.ErrorContains(t, err, "exit status 3")
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	binary := buildTiny(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := temporalserver.Start(ctx, temporalserver.Options{Binary: binary, Store: "silent"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestStartNamesAMissingBinary(t *testing.T) {
	t.Parallel()
	_, err := temporalserver.Start(t.Context(), temporalserver.Options{Binary: filepath.Join(t.TempDir(), "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The real server; when it is not cached yet, this builds it for minutes.
func TestRealServerAnswersOnEveryStore(t *testing.T) {
	t.Parallel()
	source, err := temporalserver.FindSource()
	require.NoError(t, err)
	binary, err := temporalserver.Build(t.Context(), temporalserver.BuildOptions{Source: source, Progress: t.Output()})
	require.NoError(t, err)
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "temporalserver-test-") //nolint:usetesting // t.TempDir is closed to the account that runs PostgreSQL for root
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pgcluster.Remove(dir)) })
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: dir, Fast: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, cluster.Stop(context.WithoutCancel(t.Context()))) }()
	certFile, keyFile := writeCertificate(t)

	for store, databaseURL := range map[string]string{
		temporalserver.StoreSQLite:   "",
		temporalserver.StorePostgres: cluster.URL("postgres"),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		server, err := temporalserver.Start(ctx, temporalserver.Options{
			Binary: binary, Listen: "127.0.0.1:0", Store: store, DatabaseURL: databaseURL,
			JWKSURL: "http://127.0.0.1:1/jwks.json", Issuer: "procession",
			TLSCert: certFile, TLSKey: keyFile, ClientCA: certFile, LogWriter: t.Output(),
		})
		cancel()
		require.NoError(t, err, store)
		certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
		require.NoError(t, err)
		dialer := tls.Dialer{Config: &tls.Config{
			InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"},
		}}
		conn, err := dialer.DialContext(t.Context(), "tcp", server.Address())
		require.NoError(t, err, store)
		require.NoError(t, conn.Close())
		require.NoError(t, server.Stop(t.Context()), store)
		require.NoError(t, server.Err(), store)
	}
}

// writeCertificate creates a self-signed certificate that serves as server,
// client and authority.
func writeCertificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{"Procession"}, OrganizationalUnit: []string{"temporal-system"}},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return certFile, keyFile
}
