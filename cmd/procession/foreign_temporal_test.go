package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/certtest"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// The loan runs in a cluster of another owner, who gives an API key and a certificate to the service and to each
// worker. Other clients are denied.
func TestLoanRunsWithCredentialsOfTheCluster(t *testing.T) {
	t.Parallel()
	s, guard := newGivenStack(t)
	s.startWorker()
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(t, err, string(out))
	worker := demo.LoanWorker().ID.String()
	require.Equal(t, map[string]string{"key-of-service": "service", "key-of-loan": "demo-" + worker}, guard.listClients())

	report, err := program("doctor", "--config", filepath.Join(s.dir, "procession.yaml")).CombinedOutput()
	require.NoError(t, err, string(report))
	require.Contains(t, string(report), "the given credentials are accepted")

	other := demo.OtherWorker()
	status, answer := s.call(other, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(t, http.StatusConflict, status, answer)
	require.Contains(t, field[string](t, answer, "message"), "has given this application no credentials for the namespace other")
}

// newGivenStack is newStack with a cluster of another owner, who gives credentials to the service and to the loan worker.
func newGivenStack(t *testing.T) (*testStack, *clusterGuard) {
	t.Helper()
	s := configureStack(t)
	owner := certtest.New(t)
	address := s.config.TemporalAddress
	s.config.TemporalAddress = nettest.FreeAddress(t)
	s.startOfficialTemporal(s.config.TemporalAddress)
	guard := startGuard(t, owner, s.config.TemporalAddress, address, "key-of-service", "key-of-loan")
	s.config.TemporalAddress = address

	worker := demo.LoanWorker().ID.String()
	giveCredentials(t, owner, "service", "key-of-service")
	giveCredentials(t, owner, "demo-"+worker, "key-of-loan")
	s.config.TemporalTLSCA = owner.File("ca.pem")
	s.config.TemporalTLSCert, s.config.TemporalTLSKey = owner.File("service.pem"), owner.File("service-key.pem")
	s.config.TemporalAPIKeyFile = owner.File("service.key")
	s.config.WorkerAPIKeyFile = owner.File("{namespace}-{application}.key")
	s.config.WorkerTLSCert = owner.File("{namespace}-{application}.pem")
	s.config.WorkerTLSKey = owner.File("{namespace}-{application}-key.pem")
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.awaitReady()
	return s, guard
}

// giveCredentials writes the certificate, its key in the format of other tools (SEC 1), and the API key of a client.
func giveCredentials(t *testing.T, o *certtest.Owner, name, apiKey string) {
	t.Helper()
	_, key := o.Issue(name)
	der, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	o.WritePEM(name+"-key.pem", "EC PRIVATE KEY", der)
	require.NoError(t, os.WriteFile(o.File(name+".key"), []byte(apiKey+"\n"), 0o600))
}

// clusterGuard requires certificates and API keys in front of a Temporal without either.
type clusterGuard struct {
	owner *certtest.Owner

	mu sync.Mutex
	// accepted are the values of the header Authorization.
	accepted map[string]bool
	// clients are the names in the certificates of clients by API key.
	clients map[string]string
}

func (g *clusterGuard) listClients() map[string]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clients
}

// replaceKey gives a worker another API key and certificate, and refuses its key of before.
func (g *clusterGuard) replaceKey(t *testing.T, worker string) {
	t.Helper()
	before, err := os.ReadFile(g.owner.File(worker + ".key"))
	require.NoError(t, err)
	giveCredentials(t, g.owner, worker, "another-key")
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.accepted, "Bearer "+strings.TrimSpace(string(before)))
	g.accepted["Bearer another-key"] = true
}

// startGuard serves address with TLS. Calls with one of the API keys go to the Temporal.
func startGuard(t *testing.T, owner *certtest.Owner, temporal, address string, keys ...string) *clusterGuard {
	t.Helper()
	g := &clusterGuard{owner: owner, accepted: map[string]bool{}, clients: map[string]string{}}
	for _, key := range keys {
		g.accepted["Bearer "+key] = true
	}
	startFront(t, owner, temporal, address, owner.Pool(), func(r *http.Request) bool {
		key := r.Header.Get("Authorization")
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.accepted[key] {
			g.clients[strings.TrimPrefix(key, "Bearer ")] = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		return g.accepted[key]
	})
	return g
}

// startFront serves address with TLS and a certificate of the owner, and passes admitted calls on to a Temporal in plain text. It requires
// certificates of the clients' authorities unless they are nil.
func startFront(
	t *testing.T, owner *certtest.Owner, temporal, address string, clients *x509.CertPool, admit func(r *http.Request) bool,
) {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: temporal}) },
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
	}
	presented, _ := owner.Issue("temporal")
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !admit(r) {
				w.Header().Set("Content-Type", "application/grpc")
				w.Header().Set("Grpc-Status", "7")
				w.Header().Set("Grpc-Message", "the API key is unknown")
				return
			}
			proxy.ServeHTTP(w, r)
		}),
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{*presented}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: time.Minute,
	}
	if clients != nil {
		server.TLSConfig.ClientCAs, server.TLSConfig.ClientAuth = clients, tls.RequireAndVerifyClientCert
	}
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
}
