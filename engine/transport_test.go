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
	"google.golang.org/grpc/keepalive"
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

// A host that does not answer any more, without closing its connections, is left for another behind the same address.
func TestCallsLeaveASilentHost(t *testing.T) {
	t.Parallel()
	server := grpc.NewServer(
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
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
	address, silence := relayFirst(t, listener.Addr().String())
	e, err := engine.New(engine.Options{Address: address, Logger: enginetest.Logger(), Credentials: engine.Credentials{Plaintext: true}})
	require.NoError(t, err)
	defer e.Close()
	require.ErrorContains(t, e.Ping(t.Context()), "reached")
	silence()
	began := time.Now()
	require.Eventually(t, func() bool { return strings.Contains(e.Ping(t.Context()).Error(), "reached") }, 40*time.Second, 50*time.Millisecond)
	require.Less(t, time.Since(began), 25*time.Second)
}

// relayFirst relays connections to a target, and returns its address and a function after which the first connection stays open without
// relaying.
func relayFirst(t *testing.T, target string) (address string, silence func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	silent := make(chan struct{})
	relay := func(to, from net.Conn, first bool) {
		buffer := make([]byte, 4096)
		for {
			n, err := from.Read(buffer)
			if err != nil {
				_ = to.Close()
				return
			}
			select {
			case <-silent:
				if first {
					continue
				}
			default:
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for first := true; ; first = false {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			called, err := net.Dial("tcp", target)
			if err != nil {
				_ = caller.Close()
				continue
			}
			go relay(called, caller, first)
			go relay(caller, called, first)
		}
	}()
	return listener.Addr().String(), func() { close(silent) }
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
