package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// serveListeners serves handlers that name themselves on the addresses of a
// configuration.
func serveListeners(t *testing.T, change func(*config.Config)) *Service {
	t.Helper()
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) })
	}
	s := &Service{
		log: slog.New(slog.DiscardHandler), clientHandler: named("main"), administrationHandler: named("administration"), healthHandler: named("health"),
	}
	s.clients = chain.New(chain.Options{Log: s.log, Clock: time.Now})
	s.operators = s.clients
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.Listen, s.config.ListenHealth = nettest.FreeAddress(t), nettest.FreeAddress(t)
	change(&s.config)
	require.NoError(t, s.config.Check())
	ctx, cancel := context.WithCancel(t.Context())
	opened, err := s.OpenListeners(ctx)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, 0, append(opened.api, opened.health...)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Log("connections were still open:", err)
		}
	})
	return s
}

// ask asks on a connection of its own, and returns status, body and headers.
func ask(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	answer, err := client.Get(url)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body), answer.Header
}

// writePair writes a certificate with the serial number, and its key.
func writePair(t *testing.T, dir string, serial int64) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	certificate, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem")
	require.NoError(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	return certificate, key
}

func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	certificate, key := writePair(t, t.TempDir(), 1)
	s := serveListeners(t, func(c *config.Config) {
		c.MaxConnections = 2
		c.ListenTLS, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), certificate, key
	})
	for address, url := range map[string]string{
		s.config.Listen: "http://", s.config.ListenTLS: "https://", s.config.ListenHealth: "http://",
	} {
		idle := make([]net.Conn, 2)
		for i := range idle {
			var err error
			idle[i], err = (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			require.NoError(t, err)
			t.Cleanup(func() { _ = idle[i].Close() })
		}
		var status int
		var body string
		var header http.Header
		require.Eventually(t, func() bool {
			status, body, header = ask(t, url+address)
			return status == http.StatusServiceUnavailable
		}, 10*time.Second, 10*time.Millisecond)
		require.NotEmpty(t, header.Get("Retry-After"))
		var failure struct {
			Status int
			Errors []struct{ Code string }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &failure))
		require.Equal(t, http.StatusServiceUnavailable, failure.Status)
		require.Equal(t, "UNAVAILABLE", failure.Errors[0].Code)
		require.NoError(t, idle[0].Close())
		require.Eventually(t, func() bool {
			status, _, _ := ask(t, url+address)
			return status == http.StatusOK
		}, 10*time.Second, 10*time.Millisecond, "there is room again")
	}
	require.GreaterOrEqual(t, s.connections.rejected.Load(), int64(3))
}

func TestCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := writePair(t, dir, 1)
	s := serveListeners(t, func(c *config.Config) { c.ListenTLS, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), certificate, key })
	serial := func() int64 {
		conn, err := tls.Dial("tcp", s.config.ListenTLS, &tls.Config{InsecureSkipVerify: true})
		require.NoError(t, err)
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial())
	writePair(t, dir, 2)
	require.Eventually(t, func() bool { return serial() == 2 }, 20*time.Second, 50*time.Millisecond)
	other, _ := writePair(t, t.TempDir(), 3)
	content, err := os.ReadFile(other)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(certificate, content, 0o600))
	deadline := time.Now().Add(2 * reloadCheck)
	for time.Now().Before(deadline) {
		require.EqualValues(t, 2, serial(), "the files do not fit together")
	}
	writePair(t, dir, 4)
	require.Eventually(t, func() bool { return serial() == 4 }, 20*time.Second, 50*time.Millisecond)
}

func TestListenerRedirectsBrowsersToHTTPS(t *testing.T) {
	t.Parallel()
	certificate, key := writePair(t, t.TempDir(), 1)
	s := serveListeners(t, func(c *config.Config) { c.ListenTLS, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), certificate, key })
	_, _, header := ask(t, "https://"+s.config.ListenTLS)
	require.Equal(t, "max-age=31536000", header.Get("Strict-Transport-Security"))
	_, _, header = ask(t, "http://"+s.config.Listen)
	require.Empty(t, header.Get("Strict-Transport-Security"))
	whole := serveListeners(t, func(c *config.Config) {
		c.ListenTLS, c.TLSCert, c.TLSKey, c.HSTSSubdomains = nettest.FreeAddress(t), certificate, key, true
	})
	_, _, header = ask(t, "https://"+whole.config.ListenTLS)
	require.Equal(t, "max-age=31536000; includeSubDomains", header.Get("Strict-Transport-Security"))
	silent := serveListeners(t, func(c *config.Config) {
		c.ListenTLS, c.TLSCert, c.TLSKey, c.HSTSMaxAge = nettest.FreeAddress(t), certificate, key, 0
	})
	_, _, header = ask(t, "https://"+silent.config.ListenTLS)
	require.Empty(t, header.Get("Strict-Transport-Security"))
}

func TestAdministrationHasItsOwnListener(t *testing.T) {
	t.Parallel()
	certificate, key := writePair(t, t.TempDir(), 1)
	plain := serveListeners(t, func(c *config.Config) { c.ListenAdministration = nettest.FreeAddress(t) })
	secure := serveListeners(t, func(c *config.Config) {
		c.ListenAdministration, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), certificate, key
	})
	for url, want := range map[string]string{
		"http://" + plain.config.ListenAdministration: "administration", "https://" + secure.config.ListenAdministration: "administration",
		"http://" + plain.config.Listen: "main", "http://" + plain.config.ListenHealth: "health",
	} {
		_, body, _ := ask(t, url)
		require.Equal(t, want, body, url)
	}
}

// Every listener with a certificate refuses a client that offers suites of CBC mode only.
func TestListenersRefuseCBC(t *testing.T) {
	t.Parallel()
	certificate, key := writePair(t, t.TempDir(), 1)
	s := serveListeners(t, func(c *config.Config) {
		c.ListenTLS, c.ListenAdministration, c.TLSCert, c.TLSKey = nettest.FreeAddress(t), nettest.FreeAddress(t), certificate, key
	})
	for _, address := range []string{s.config.ListenTLS, s.config.ListenAdministration} {
		dial := func(suites ...uint16) error {
			conn, err := (&tls.Dialer{Config: &tls.Config{
				MaxVersion: tls.VersionTLS12, InsecureSkipVerify: true, CipherSuites: suites,
			}}).DialContext(t.Context(), "tcp", address)
			if err == nil {
				_ = conn.Close()
			}
			return err
		}
		require.NoError(t, dial(tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256), address)
		require.NoError(t, dial(tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256), address)
		require.ErrorContains(t, dial(tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA), "handshake failure", address)
	}
}
