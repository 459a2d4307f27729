package procession

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"
)

// authority is a certificate authority of the test.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{t, key, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// issueCertificate returns a server's certificate and its PKCS#8 key as PEM.
func (a *authority) issueCertificate(serial int64) (certificate, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a.t, err)
	return a.signCertificate(x509.ExtKeyUsageServerAuth, serial, private.Public()),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

// answerRequest returns a client's certificate for the key of a certificate signing request.
func (a *authority) answerRequest(serial int64, request string) string {
	a.t.Helper()
	block, _ := pem.Decode([]byte(request))
	if block == nil {
		return "the request holds no PEM"
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || parsed.CheckSignature() != nil {
		return "the request is not signed"
	}
	return a.signCertificate(x509.ExtKeyUsageClientAuth, serial, parsed.PublicKey)
}

func (a *authority) signCertificate(usage x509.ExtKeyUsage, serial int64, public any) string {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "leaf"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}, a.cert, public, a.key)
	require.NoError(a.t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// service answers POST /authentications and POST /workers, and remembers the calls.
type service struct {
	ca *authority

	mu       sync.Mutex
	calls    []string
	refusals int // calls to refuse with 401 before answering
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct{ Type, TaskQueue, CertificateSigningRequest string }
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.calls = append(s.calls, r.URL.Path+" "+body.Type+body.TaskQueue)
	w.Header().Set("Content-Type", "application/json")
	if s.refusals > 0 {
		s.refusals--
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"status":401,"message":"Who is calling?"}`)
		return
	}
	answer := map[string]any{}
	switch body.Type {
	case "ENGINE_CERTIFICATE":
		answer["engineCertificate"] = map[string]any{"namespace": "demo", "tls": map[string]string{
			"serverRootCaCertificate": s.ca.pem, "clientPrivateKey": "",
			"clientCertificate": s.ca.answerRequest(int64(len(s.calls)), body.CertificateSigningRequest),
		}}
	case "ENGINE_TOKEN":
		answer["engineToken"] = map[string]any{"token": "jwt", "expiredAt": time.Now().Add(time.Hour)}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func (s *service) requestLog() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

// handshake connects to a TLS listener of the authority and returns the serial of the certificate it saw.
func handshake(t *testing.T, ca *authority, settings *tls.Config) int64 {
	t.Helper()
	certificate, key := ca.issueCertificate(1000)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	serial := make(chan int64, 1)
	go func() {
		accepted, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = accepted.Close() }()
		if secured, ok := accepted.(*tls.Conn); ok && secured.HandshakeContext(t.Context()) == nil {
			serial <- secured.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
			_, _ = secured.Write([]byte("."))
		}
	}()
	dialled, err := (&tls.Dialer{Config: settings}).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = dialled.Close() }()
	_, err = dialled.Read(make([]byte, 1))
	require.NoError(t, err)
	return <-serial
}

func TestEngineAccessOpensMutualTLSAndRenewsItsCertificate(t *testing.T) {
	t.Parallel()
	granting := &service{ca: newAuthority(t)}
	rest := httptest.NewServer(granting)
	t.Cleanup(rest.Close)
	api, err := NewClient(ClientConfig{Endpoint: rest.URL, Credentials: ClientCredentials("app", "secret")})
	require.NoError(t, err)
	clock := &mint{now: time.Now()}

	access, err := obtainEngineAccess(t.Context(), api, clock.clock)
	require.NoError(t, err)
	require.Equal(t, "demo", access.namespace)
	require.EqualValues(t, 1, handshake(t, granting.ca, access.tls))
	clock.advance(41 * time.Minute)
	require.EqualValues(t, 2, handshake(t, granting.ca, access.tls), "renewed in the last third of its life")

	token, err := access.token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "jwt", token)
	require.Equal(t, []string{
		"/v2024-06-14/authentications ENGINE_CERTIFICATE", "/v2024-06-14/authentications ENGINE_CERTIFICATE",
		"/v2024-06-14/authentications ENGINE_TOKEN",
	}, granting.requestLog())
}

func TestUnusableCertificateIsAnErrorThatHidesTheKey(t *testing.T) {
	t.Parallel()
	rest := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"engineCertificate":{"namespace":"demo","tls":{"serverRootCaCertificate":"x","clientPrivateKey":"KEYTEXT"}}}`)
	}))
	t.Cleanup(rest.Close)
	api, err := NewClient(ClientConfig{Endpoint: rest.URL, Credentials: BearerToken("token")})
	require.NoError(t, err)
	_, err = obtainEngineAccess(t.Context(), api, time.Now)
	require.ErrorContains(t, err, "serverRootCaCertificate holds no PEM certificate")
	require.NotContains(t, err.Error(), "KEYTEXT")
}

// lockedBuffer is a log that the test reads while run writes.
type lockedBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}

func TestRunWaitsForServiceAndTemporalAndStopsCleanly(t *testing.T) {
	t.Parallel()
	granting := &service{ca: newAuthority(t), refusals: 1}
	rest := httptest.NewServer(granting)
	t.Cleanup(rest.Close)
	// A port without a listener stands for a Temporal that is down.
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())

	ctx, stop := context.WithCancel(t.Context())
	var log, stdout lockedBuffer
	ended := make(chan error, 1)
	loan := newProgram()
	loan.Register = func(w *Worker) error {
		RegisterWorkflow(w, "LoanWorkflow", func(workflow.Context, WorkflowRequest) (WorkflowResponse, error) { return WorkflowResponse{}, nil })
		return nil
	}
	go func() {
		ended <- loan.Run(ctx, []string{"-endpoint", rest.URL, "-temporal-address", listener.Addr().String(), "-client-id", "app"},
			getenvOf(map[string]string{"LOAN_WORKER_CLIENT_SECRET": "s3cret"}), &stdout, &log)
	}()
	require.Eventually(t, func() bool {
		return bytes.Contains([]byte(log.String()), []byte(`step="Temporal connection"`))
	}, 30*time.Second, 10*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	require.Contains(t, log.String(), `step="engine access"`)
	require.Contains(t, log.String(), "Who is calling?")
	require.NotContains(t, log.String(), "s3cret")
	require.Empty(t, stdout.String(), "never ready")
	require.Equal(t, []string{
		"/v2024-06-14/authentications ENGINE_CERTIFICATE", "/v2024-06-14/authentications ENGINE_CERTIFICATE",
		"/v2024-06-14/workers QUEUE_LOAN",
	}, granting.requestLog()[:3])
}

func TestUntilDoneEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Worker{logger: slog.New(slog.DiscardHandler)}
	err := s.untilDone(ctx, "a step", func(context.Context) error {
		cancel()
		return io.ErrUnexpectedEOF
	})
	require.ErrorIs(t, err, context.Canceled)
}

func TestReportedTypesAreTheRegisteredOnes(t *testing.T) {
	t.Parallel()
	w, err := NewWorker(Config{Client: ClientConfig{Endpoint: "http://localhost", Credentials: BearerToken("token")}, TaskQueue: "Q", Identity: "me", Hostname: "here"})
	require.NoError(t, err)
	RegisterActivity(w, "Own", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	require.Equal(t, []string{"Own"}, w.registrationParams().ActivityTypes, "without workflows there are no operations")
	RegisterWorkflow(w, "OwnWorkflow", func(workflow.Context, WorkflowRequest) (WorkflowResponse, error) { return WorkflowResponse{}, nil })
	params := w.registrationParams()
	require.Equal(t, []string{"OwnWorkflow"}, params.WorkflowTypes)
	require.Subset(t, params.ActivityTypes, []string{"Own", "KuFlow_Engine_createProcessItem", "KuFlow_Engine_patchBusinessArtifact"})
	require.Equal(t, "me here Q", params.Identity+" "+params.Hostname+" "+params.TaskQueue)
	before := len(params.ActivityTypes)
	RegisterActivity(w, "KuFlow_Engine_retrieveProcess", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	require.Len(t, w.registrationParams().ActivityTypes, before, "one replaces the other")
	_, err = NewWorker(Config{})
	require.ErrorContains(t, err, "no task queue")
	_, err = NewWorker(Config{TaskQueue: "Q", TemporalAddress: "10.0.0.1:7233", TemporalPlaintext: true})
	require.ErrorContains(t, err, "only loopback addresses are allowed")
	_, err = NewWorker(Config{TaskQueue: "Q"})
	require.ErrorContains(t, err, "the endpoint must be an http or https address")
}
