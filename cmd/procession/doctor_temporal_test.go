package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// anotherTemporal starts an empty Temporal that reads its keys at the address, or
// from the service, and returns where it is.
func (s *testStack) anotherTemporal(t *testing.T, jwks string) string {
	t.Helper()
	if jwks == "" {
		jwks = s.url() + "/.well-known/jwks.json"
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	address := nettest.FreeAddress(t)
	server, err := temporalserver.Start(ctx, temporalserver.Options{
		Binary: temporalBinary(t), Listen: address, Store: temporalserver.StoreSQLite,
		JWKSURL: jwks, Issuer: s.config.Issuer, TLSCert: s.files.Cert, TLSKey: s.files.Key, ClientCA: s.files.CA,
		LogWriter: s.logTo("another-temporal.log"),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return address
}

// emptyKeySet returns where no key is published.
func emptyKeySet(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"keys":[]}`))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/jwks.json"
}

// serverPair returns a certificate that ends so much later than now.
func serverPair(t *testing.T, issuer *authn.Issuer, left time.Duration, host string) tls.Certificate {
	t.Helper()
	const lifetime = 90 * 24 * time.Hour
	pair, err := issuer.ServerCertificate([]string{host}, time.Now().Add(left-lifetime), lifetime)
	require.NoError(t, err)
	certificate, err := pair.TLS()
	require.NoError(t, err)
	return certificate
}

// anotherIssuer has an authority of its own.
func anotherIssuer(t *testing.T) *authn.Issuer {
	t.Helper()
	key, err := authn.LoadSealKey(anotherSealKey(t))
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	keys := authn.NewKeys(pgtest.New(t), sealer, time.Now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	return issuer
}

// welcoming is a Temporal frontend without authorization.
type welcoming struct {
	workflowservice.UnimplementedWorkflowServiceServer
}

// ListNamespaces implements workflowservice.WorkflowServiceServer.
func (welcoming) ListNamespaces(
	context.Context, *workflowservice.ListNamespacesRequest,
) (*workflowservice.ListNamespacesResponse, error) {
	return &workflowservice.ListNamespacesResponse{}, nil
}

// fakeTemporal returns a server that speaks as Temporal does, shows a certificate and
// takes clients of the authority, but has no authorizer. It returns where it is.
func fakeTemporal(t *testing.T, clients *authn.Issuer, certificate tls.Certificate) string {
	t.Helper()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(clients.RootsPEM())))
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
	})))
	return serveTemporal(t, server)
}

// plainTemporal returns the address of a server that speaks as Temporal does, without TLS.
func plainTemporal(t *testing.T) string {
	t.Helper()
	return serveTemporal(t, grpc.NewServer())
}

func serveTemporal(t *testing.T, server *grpc.Server) string {
	t.Helper()
	workflowservice.RegisterWorkflowServiceServer(server, welcoming{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	return l.Addr().String()
}

// halfSetUp creates correct namespaces of the service and of one tenant, and the namespace of the tenant demo
// without its search attribute.
func (s *testStack) halfSetUp(t *testing.T, k *server.Keyring, address string) {
	t.Helper()
	credentials, err := server.EngineCredentials(k.Issuer, s.config.Clusters()[0], slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	e, err := engine.New(engine.Options{Address: address, Credentials: credentials, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	defer e.Close()
	require.Eventually(t, func() bool { return e.EnsureNamespace(t.Context(), engine.DefaultNamespace) == nil }, testTimeout, 50*time.Millisecond)
	require.NoError(t, e.EnsureNamespace(t.Context(), "other"))
	_, err = e.Client().WorkflowService().RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: "demo", WorkflowExecutionRetentionPeriod: durationpb.New(engine.DefaultRetention),
	})
	require.NoError(t, err)
	inspect := func(name string) engine.NamespaceState {
		state, err := e.InspectNamespace(t.Context(), name)
		require.NoError(t, err)
		return state
	}
	require.Eventually(t, func() bool { return !inspect("demo").Missing }, testTimeout, 50*time.Millisecond)
	require.True(t, inspect("other").Usable())
	require.Equal(t, engine.DefaultRetention, inspect("other").Retention)

	// A type that workers' SDKs cannot use is no better than none.
	_, err = e.Client().OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
		Namespace: "default", SearchAttributes: map[string]enums.IndexedValueType{
			engine.SearchAttribute: enums.INDEXED_VALUE_TYPE_KEYWORD,
		},
	})
	if err == nil {
		require.False(t, inspect("default").Usable())
	}
}
