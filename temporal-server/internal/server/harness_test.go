package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/server"
)

// testServer is a running server with its trusted authorities.
type testServer struct {
	ca     *authority
	issuer *issuer
	opts   options.Options
	server *server.Server
	log    *logBuffer
	// frontends are the addresses of several frontends behind one name.
	frontends []string
}

// startTestServer starts a server; change may alter its options first.
func startTestServer(t *testing.T, change func(*options.Options)) *testServer {
	t.Helper()
	w := newAuthorities(t)
	if change != nil {
		change(&w.opts)
	}
	w.start(t)
	return w
}

// newAuthorities creates the authorities and the options of a server without starting it.
func newAuthorities(t *testing.T) *testServer {
	t.Helper()
	w := &testServer{ca: newAuthority(t, "engine CA"), issuer: newIssuer(t), log: &logBuffer{}}
	dir := t.TempDir()
	cert, key := writePair(t, dir, w.ca.server(t))
	ca := filepath.Join(dir, "ca.pem")
	require.NoError(t, os.WriteFile(ca, w.ca.pem(), 0o600))
	w.opts = options.Options{
		Listen: "127.0.0.1:0", Store: options.StoreSQLite, Visibility: options.StoreSQLite, UpdateSchema: true, ClusterName: "active", ClusterNumber: 1,
		Database: "temporal", VisibilityDatabase: "temporal_visibility", DatabaseConnections: 4, HistoryShards: 2,
		JWKSURL: w.issuer.http.URL + "/jwks.json", JWKSRefresh: 50 * time.Millisecond, Issuer: "procession",
		RevocationsURL: w.issuer.http.URL + "/engine-revocations.json", RevocationsRefresh: 50 * time.Millisecond,
		PublishedMaxAge: time.Hour,
		CheckCommands:   true,
		TLSCert:         cert, TLSKey: key, ClientCA: ca, TLSRefresh: 50 * time.Millisecond,
		LogLevel: "error",
	}
	return w
}

// frontendsScheme begins the name of several frontends, which resolves like a DNS name with several records.
const frontendsScheme = "frontends"

// resolveFrontends returns the option for connections by that name.
func (w *testServer) resolveFrontends() grpc.DialOption {
	builder := manual.NewBuilderWithScheme(frontendsScheme)
	var state resolver.State
	for _, address := range w.frontends {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	builder.InitialState(state)
	return grpc.WithResolvers(builder)
}

// address returns the target of connections to the frontend.
func (w *testServer) address() string {
	switch {
	case len(w.frontends) > 0:
		return frontendsScheme + ":///frontends"
	case w.server == nil:
		return w.opts.Listen
	}
	return w.server.Address()
}

func (w *testServer) start(t *testing.T) {
	t.Helper()
	var err error
	w.server, err = server.Start(t.Context(), w.opts, slog.New(slog.NewJSONHandler(w.log, nil)), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.server.Stop() })
}

// dial opens a connection that shows cert and sends token; an empty token sends none.
func (w *testServer) dial(t *testing.T, cert *tls.Certificate, token string) *grpc.ClientConn {
	t.Helper()
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: w.ca.pool(), ServerName: serverName}
	if cert != nil {
		// GetClientCertificate sends it whatever authorities the server asks for.
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	conn, err := grpc.NewClient(w.address(), w.resolveFrontends(),
		grpc.WithTransportCredentials(credentials.NewTLS(cfg)),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if token != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			if token != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
			}
			return open(ctx, desc, cc, method, opts...)
		}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (w *testServer) system(t *testing.T) *grpc.ClientConn {
	t.Helper()
	cert := w.ca.client(t, "temporal-system")
	return w.dial(t, &cert, w.issuer.sign(t, systemClaims()))
}

// addNamespace creates a namespace and waits until the server knows it.
func (w *testServer) addNamespace(t *testing.T, name string) {
	t.Helper()
	api := workflowservice.NewWorkflowServiceClient(w.system(t))
	_, err := api.RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	require.NoError(t, err)
}

// sdk connects an SDK client to namespace.
func (w *testServer) sdk(t *testing.T, namespace string, cert tls.Certificate, c jwt.MapClaims) client.Client {
	t.Helper()
	token := w.issuer.sign(t, c)
	return w.sdkWith(t, namespace, cert, func(context.Context) (string, error) { return token, nil })
}

// sdkWith is sdk with a token that may change.
func (w *testServer) sdkWith(t *testing.T, namespace string, cert tls.Certificate, token func(context.Context) (string, error)) client.Client {
	t.Helper()
	connected, err := client.Dial(client.Options{
		HostPort:    w.address(),
		Namespace:   namespace,
		Logger:      sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		Credentials: client.NewAPIKeyDynamicCredentials(token),
		ConnectionOptions: client.ConnectionOptions{
			TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: w.ca.pool(), ServerName: serverName, Certificates: []tls.Certificate{cert}},
			// As clients of the service and of its SDK.
			KeepAliveTime: 10500 * time.Millisecond, KeepAliveTimeout: 2 * time.Second,
			DialOptions: []grpc.DialOption{w.resolveFrontends(), grpc.WithChainUnaryInterceptor(awaitDeadline)},
		},
	})
	require.NoError(t, err)
	t.Cleanup(connected.Close)
	return connected
}

// awaitDeadline reports the end of a call by the server at its deadline as an exceeded deadline: gRPC calls it cancelled if the answer is ahead of the
// client's clock, and Temporal's SDK then does not repeat the call.
func awaitDeadline(
	ctx context.Context, method string, request, reply any, connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	err := invoke(ctx, method, request, reply, connection, options...)
	if deadline, ok := ctx.Deadline(); ok && status.Code(err) == codes.Canceled && ctx.Err() == nil && time.Until(deadline) < time.Second {
		return status.Error(codes.DeadlineExceeded, status.Convert(err).Message())
	}
	return err
}

// logBuffer collects the server's log lines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// lines returns the lines that contain part.
func (b *logBuffer) lines(part string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for line := range strings.Lines(b.buf.String()) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}
