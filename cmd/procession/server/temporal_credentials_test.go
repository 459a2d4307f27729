package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/certtest"
)

// foreignTemporal answers GetSystemInfo to who shows a certificate of its owner, if it has TLS, and its API key.
type foreignTemporal struct {
	workflowservice.UnimplementedWorkflowServiceServer

	// key is the expected header.
	key atomic.Pointer[string]
	// client is the name in the last client's certificate.
	client atomic.Pointer[string]
}

func (f *foreignTemporal) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	got, _ := metadata.FromIncomingContext(ctx)
	presented := ""
	if values := got.Get("authorization"); len(values) > 0 {
		presented = values[0]
	}
	if presented != *f.key.Load() {
		return nil, status.Errorf(codes.PermissionDenied, "wrong key")
	}
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (f *foreignTemporal) serve(t *testing.T, config *tls.Config) (address string) {
	t.Helper()
	transport := insecure.NewCredentials()
	if config != nil {
		config.VerifyConnection = func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) > 0 {
				f.client.Store(&state.PeerCertificates[0].Subject.CommonName)
			}
			return nil
		}
		transport = credentials.NewTLS(config)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := grpc.NewServer(grpc.Creds(transport))
	workflowservice.RegisterWorkflowServiceServer(s, f)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Stop()
		require.NoError(t, <-served)
	})
	return listener.Addr().String()
}

func (f *foreignTemporal) require(key string) { f.key.Store(&key) }

// ping calls Temporal once with the credentials of the settings.
func ping(t *testing.T, c config.Config) error {
	t.Helper()
	k, err := OpenKeys(t.Context(), c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer k.DB.Close()
	e := connect(t, k, c)
	defer e.Close()
	return e.Ping(t.Context())
}

func connect(t *testing.T, k *Keyring, c config.Config) *engine.Engine {
	t.Helper()
	found, err := EngineCredentials(k.Issuer, c.Clusters()[0], slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Address: c.TemporalAddress, Credentials: found, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return e
}

// The service connects to a cluster with the credentials that its owner gave, and follows their replacement.
func TestGivenCredentialsOfTemporal(t *testing.T) {
	t.Parallel()
	owner, other := certtest.New(t), certtest.New(t)
	cluster := &foreignTemporal{}
	cluster.require("Bearer first-key")
	c := newTestConfig(t)
	presented, _ := owner.Issue("temporal.example")
	c.TemporalAddress = cluster.serve(t, &tls.Config{
		Certificates: []tls.Certificate{*presented}, ClientCAs: owner.Pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	})
	owner.Issue("client")
	require.NoError(t, os.WriteFile(owner.File("key"), []byte("first-key\n"), 0o600))
	require.ErrorContains(t, ping(t, c), "certificate")

	c.TemporalTLSCA, c.TemporalTLSServerName = owner.File("ca.pem"), "temporal.example"
	c.TemporalTLSCert, c.TemporalTLSKey = owner.File("client.pem"), owner.File("client-key.pem")
	require.ErrorContains(t, ping(t, c), "wrong key", "the service's own token is for its own Temporal")
	c.TemporalAPIKeyFile = owner.File("key")
	require.NoError(t, ping(t, c))
	require.Equal(t, "client", *cluster.client.Load())

	wrong := c
	wrong.TemporalTLSServerName = "other.example"
	require.ErrorContains(t, ping(t, wrong), "other.example")
	wrong = c
	wrong.TemporalTLSCA = other.File("ca.pem")
	require.ErrorContains(t, ping(t, wrong), "unknown authority")

	k, err := OpenKeys(t.Context(), c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer k.DB.Close()
	e := connect(t, k, c)
	defer e.Close()
	require.NoError(t, e.Ping(t.Context()))
	cluster.require("Bearer second-key")
	require.NoError(t, os.WriteFile(owner.File("key"), []byte("second-key"), 0o600))
	require.Eventually(t, func() bool { return e.Ping(t.Context()) == nil }, 10*time.Second, 20*time.Millisecond)
}

// No credentials are sent to a Temporal in plain text or without authentication.
func TestNoCredentialsForTemporal(t *testing.T) {
	t.Parallel()
	cluster := &foreignTemporal{}
	cluster.require("")
	c := newTestConfig(t)
	c.TemporalAddress, c.TemporalTLS = cluster.serve(t, nil), false
	require.NoError(t, ping(t, c))
	c.TemporalTLS = true
	require.Error(t, ping(t, c), "TLS to a server without")

	owner := certtest.New(t)
	presented, _ := owner.Issue("temporal.example")
	c.TemporalAddress = cluster.serve(t, &tls.Config{
		Certificates: []tls.Certificate{*presented}, ClientAuth: tls.RequestClientCert,
	})
	c.TemporalTLSCA, c.TemporalTLSServerName, c.TemporalAnonymous = owner.File("ca.pem"), "temporal.example", true
	require.NoError(t, ping(t, c))
	require.Nil(t, cluster.client.Load())
}
