package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// The loan runs in a cluster of another owner, who gives an API key and a certificate to the service and to each
// worker. Other clients are denied.
func TestLoanRunsWithCredentialsOfTheCluster(t *testing.T) {
	t.Parallel()
	s := configureStack(t)
	owner := newClusterOwner(t)
	address := s.config.TemporalAddress
	s.config.TemporalAddress = nettest.FreeAddress(t)
	s.startOfficialTemporal(s.config.TemporalAddress)
	guard := owner.guard(s.config.TemporalAddress, address, "key-of-service", "key-of-loan")
	s.config.TemporalAddress = address

	worker := demo.LoanWorker().ID.String()
	owner.give("service", "key-of-service")
	owner.give("demo-"+worker, "key-of-loan")
	s.config.TemporalTLSCA = owner.file("ca.pem")
	s.config.TemporalTLSCert, s.config.TemporalTLSKey = owner.file("service.pem"), owner.file("service-key.pem")
	s.config.TemporalAPIKeyFile = owner.file("service.key")
	s.config.WorkerAPIKeyFile = owner.file("{namespace}-{application}.key")
	s.config.WorkerTLSCert = owner.file("{namespace}-{application}.pem")
	s.config.WorkerTLSKey = owner.file("{namespace}-{application}-key.pem")
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.awaitReady()
	s.startWorker()
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, map[string]string{"key-of-service": "service", "key-of-loan": "demo-" + worker}, guard.seen())

	report, err := program("doctor", "--config", filepath.Join(s.dir, "procession.yaml")).CombinedOutput()
	require.NoError(t, err, string(report))
	require.Contains(t, string(report), "the given credentials are accepted")

	other := demo.OtherWorker()
	status, answer := s.call(other, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(t, http.StatusConflict, status, answer)
	require.Contains(t, field[string](t, answer, "message"), "has given this application no credentials for the namespace other")
}

// clusterOwner is the authority of a cluster's owner, with the files that the owner gives.
type clusterOwner struct {
	t         *testing.T
	dir       string
	authority *x509.Certificate
	key       *ecdsa.PrivateKey
}

func newClusterOwner(t *testing.T) *clusterOwner {
	t.Helper()
	o := &clusterOwner{t: t, dir: t.TempDir()}
	pair := o.sign("owner", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	o.authority, o.key = pair.Leaf, privateKey(t, pair)
	o.write("ca.pem", "CERTIFICATE", o.authority.Raw)
	return o
}

func privateKey(t *testing.T, pair *tls.Certificate) *ecdsa.PrivateKey {
	t.Helper()
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	require.True(t, ok)
	return key
}

func (o *clusterOwner) file(name string) string { return filepath.Join(o.dir, name) }

func (o *clusterOwner) write(name, kind string, der []byte) {
	o.t.Helper()
	require.NoError(o.t, os.WriteFile(o.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// sign completes a certificate and signs it, the authority's own with its own key.
func (o *clusterOwner) sign(name string, template *x509.Certificate) *tls.Certificate {
	o.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(o.t, err)
	template.Subject, template.SerialNumber = pkix.Name{CommonName: name}, big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	parent, signer := o.authority, o.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(o.t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(o.t, err)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// give writes the certificate, its key in the format of other tools (SEC 1), and the API key of a client.
func (o *clusterOwner) give(name, apiKey string) {
	o.t.Helper()
	pair := o.sign(name, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	o.write(name+".pem", "CERTIFICATE", pair.Leaf.Raw)
	der, err := x509.MarshalECPrivateKey(privateKey(o.t, pair))
	require.NoError(o.t, err)
	o.write(name+"-key.pem", "EC PRIVATE KEY", der)
	require.NoError(o.t, os.WriteFile(o.file(name+".key"), []byte(apiKey+"\n"), 0o600))
}

// clusterGuard requires certificates and API keys in front of a Temporal without either.
type clusterGuard struct {
	mu sync.Mutex
	// clients are the names in the certificates of clients by API key.
	clients map[string]string
}

func (g *clusterGuard) seen() map[string]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clients
}

// guard serves address with TLS. Calls with one of the API keys go to the Temporal.
func (o *clusterOwner) guard(temporal, address string, keys ...string) *clusterGuard {
	o.t.Helper()
	g := &clusterGuard{clients: map[string]string{}}
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: temporal}) },
		Transport: transport, FlushInterval: -1,
	}
	accepted := map[string]bool{}
	for _, key := range keys {
		accepted["Bearer "+key] = true
	}
	pool := x509.NewCertPool()
	pool.AddCert(o.authority)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Authorization")
			if !accepted[key] {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Grpc-Status", "7")
				w.Header().Set("Grpc-Message", "the API key is unknown")
				return
			}
			g.mu.Lock()
			g.clients[key[len("Bearer "):]] = r.TLS.PeerCertificates[0].Subject.CommonName
			g.mu.Unlock()
			proxy.ServeHTTP(w, r)
		}),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{*o.sign("temporal", &x509.Certificate{
				IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			})},
			ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
		},
		ReadHeaderTimeout: time.Minute,
	}
	listener, err := net.Listen("tcp", address)
	require.NoError(o.t, err)
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	o.t.Cleanup(func() {
		require.NoError(o.t, server.Close())
		require.ErrorIs(o.t, <-served, http.ErrServerClosed)
	})
	return g
}
