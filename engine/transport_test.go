package engine_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// The trusted authorities can change while the service runs.
func TestRootsAreAskedForAtEveryHandshake(t *testing.T) {
	t.Parallel()
	right, wrong := newIssuer(t), newIssuer(t)
	pair, err := right.ServerCertificate([]string{"127.0.0.1"}, time.Now(), time.Hour)
	require.NoError(t, err)
	certificate, err := pair.TLS()
	require.NoError(t, err)
	server := grpc.NewServer(
		grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13})),
		grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return status.Error(codes.PermissionDenied, "reached") }),
	)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})

	var roots atomic.Pointer[x509.CertPool]
	roots.Store(wrong.Roots())
	e, err := engine.New(engine.Options{
		Address: listener.Addr().String(), Logger: enginetest.Logger(),
		Credentials: engine.Credentials{
			Token: func() (string, error) { return "token", nil },
			Certificate: func() (*tls.Certificate, error) {
				certificate, err := right.SystemCertificate(time.Now())
				return &certificate, err
			},
			RootCAs: roots.Load,
		},
	})
	require.NoError(t, err)
	defer e.Close()
	require.ErrorContains(t, e.Ping(t.Context()), "certificate")
	roots.Store(right.Roots())
	require.Eventually(t, func() bool {
		err := e.Ping(t.Context())
		return err != nil && strings.Contains(err.Error(), "reached")
	}, 30*time.Second, 50*time.Millisecond)
}

func newIssuer(t *testing.T) *authn.Issuer {
	t.Helper()
	key, err := authn.LoadOrCreateSealKey(filepath.Join(t.TempDir(), "seal.key"))
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	keys := authn.NewKeys(pgtest.New(t), sealer, time.Now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	return issuer
}
