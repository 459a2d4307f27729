// Package enginetest gives a test a Temporal server of its own, secured as in
// production, with the service's own keys and credentials.
package enginetest

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/storestest"
)

const (
	startTime = 2 * time.Minute
	stopTime  = 20 * time.Second
	lifetime  = 24 * time.Hour
)

// Stack is where a test's Temporal server is, or is to be.
type Stack struct {
	tb      testing.TB
	issuer  *authn.Issuer
	clock   func() time.Time
	jwks    string
	files   string
	server  *temporalserver.Server
	Address string
	// Database is the PostgreSQL server of Start's server; without one it keeps
	// everything in memory.
	Database string
}

// New prepares a server on a free port with its keys in db, and does not
// start it. The server stops with the test.
func New(tb testing.TB, db *persistence.DB) *Stack {
	tb.Helper()
	s := &Stack{tb: tb, clock: time.Now, files: tb.TempDir()}
	key, err := authn.LoadOrCreateSealKey(filepath.Join(s.files, "seal.key"))
	s.mustSucceed(err)
	sealer, err := authn.NewSealer(key)
	s.mustSucceed(err)
	keys := authn.NewKeys(db, sealer, s.clock)
	s.mustSucceed(keys.EnsureKeys(tb.Context()))
	s.issuer, err = authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	s.mustSucceed(err)
	jwks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.issuer.JWKS())
	}))
	tb.Cleanup(jwks.Close)
	s.jwks = jwks.URL
	server, err := s.issuer.ServerCertificate([]string{"127.0.0.1", "localhost"}, s.clock(), lifetime)
	s.mustSucceed(err)
	s.writeFile("server.crt", server.CertificatePEM)
	s.writeFile("server.key", server.PrivateKeyPEM.Reveal())
	s.writeFile("ca.crt", s.issuer.RootsPEM())
	s.Address = nettest.FreeAddress(tb)
	tb.Cleanup(s.Stop)
	return s
}

// Start starts the server at the stack's address. The memory of an earlier
// server is lost.
func (s *Stack) Start() {
	s.tb.Helper()
	source, err := temporalserver.FindSource()
	s.mustSucceed(err)
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	binary, err := temporalserver.Build(ctx, temporalserver.BuildOptions{Source: source, Progress: os.Stderr})
	s.mustSucceed(err)
	store := temporalserver.StoreSQLite
	if s.Database != "" {
		store = temporalserver.StorePostgres
	}
	o := temporalserver.Options{
		Binary: binary, Listen: s.Address, Store: store, DatabaseURL: s.Database,
		JWKSURL: s.jwks, JWKSRefresh: time.Second, Issuer: "procession",
		TLSCert: s.filePath("server.crt"), TLSKey: s.filePath("server.key"), ClientCA: s.filePath("ca.crt"),
		LogLevel: "error", LogWriter: io.Discard,
	}
	storestest.UseLists(s.tb, &o)
	s.server, err = temporalserver.Start(ctx, o)
	s.mustSucceed(err)
}

// Stop stops the server if it runs.
func (s *Stack) Stop() {
	if s.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := s.server.Stop(ctx); err != nil {
		s.tb.Errorf("stopping Temporal: %v", err)
	}
	s.server = nil
}

// Credentials returns the credentials of the service.
func (s *Stack) Credentials() engine.Credentials {
	return engine.Credentials{
		Token: func() (string, error) {
			token, err := s.issuer.SystemToken(s.clock())
			return token.Token.Reveal(), err
		},
		Certificate: func() (*tls.Certificate, error) {
			certificate, err := s.issuer.SystemCertificate(s.clock())
			return &certificate, err
		},
		RootCAs: s.issuer.Roots,
	}
}

// Engine returns a connection to the server for as long as the test runs.
func (s *Stack) Engine() *engine.Engine {
	s.tb.Helper()
	e, err := engine.New(engine.Options{Address: s.Address, Credentials: s.Credentials(), Logger: Logger()})
	s.mustSucceed(err)
	s.tb.Cleanup(e.Close)
	return e
}

// Client returns an SDK client of a namespace, for workers and assertions.
func (s *Stack) Client(namespace string) client.Client {
	s.tb.Helper()
	credentials := s.Credentials()
	c, err := client.NewLazyClient(client.Options{
		HostPort: s.Address, Namespace: namespace, Logger: sdklog.NewStructuredLogger(Logger()),
		Credentials: client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) {
			return credentials.Token()
		}),
		ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{
			MinVersion: tls.VersionTLS13, RootCAs: credentials.RootCAs(),
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				return credentials.Certificate()
			},
		}},
	})
	s.mustSucceed(err)
	s.tb.Cleanup(c.Close)
	return c
}

// Logger discards all messages.
func Logger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (s *Stack) filePath(name string) string { return filepath.Join(s.files, name) }

func (s *Stack) writeFile(name, text string) {
	s.tb.Helper()
	s.mustSucceed(os.WriteFile(s.filePath(name), []byte(text), 0o600))
}

func (s *Stack) mustSucceed(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatalf("preparing Temporal: %v", err)
	}
}
