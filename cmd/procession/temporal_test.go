package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestTokenOfAnotherTenantCannotPoll(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	poll := func(c client.Client) error {
		ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
		defer cancel()
		_, err := c.WorkflowService().PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
			Namespace: "demo", Identity: "test",
			TaskQueue: &taskqueue.TaskQueue{Name: "QUEUE_SAMPLE_LOAN", Kind: enums.TASK_QUEUE_KIND_NORMAL},
		})
		return err
	}
	var denied *serviceerror.PermissionDenied
	require.ErrorAs(t, poll(s.clientOf(demo.OtherWorker())), &denied, "of the other tenant")

	// The same call by the application that runs LOAN gets work.
	process := s.createLoan(uuid.New())
	require.NoError(t, poll(s.temporalClient()))
	require.Equal(t, "RUNNING", s.processState(process))
}

// temporalClient returns a client of the namespace demo with the rights of the
// application that runs LOAN.
func (s *testStack) temporalClient() client.Client { return s.clientOf(demo.LoanWorker()) }

// clientOf returns a client of the namespace demo with the certificate and the token
// that the service issues to an application.
func (s *testStack) clientOf(account demo.Account, change ...func(*client.Options)) client.Client {
	s.t.Helper()
	status, certificate := s.call(account, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(s.t, http.StatusOK, status, certificate)
	file := func(name string) []byte {
		return []byte(field[string](s.t, certificate, "engineCertificate", "tls", name))
	}
	options := client.Options{HostPort: s.config.TemporalAddress, Namespace: "demo"}
	if s.config.TemporalTLS {
		pair, err := tls.X509KeyPair(file("clientCertificate"), file("clientPrivateKey"))
		require.NoError(s.t, err)
		roots := x509.NewCertPool()
		require.True(s.t, roots.AppendCertsFromPEM(file("serverRootCaCertificate")))
		options.ConnectionOptions.TLS = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}
		options.Credentials = client.NewAPIKeyStaticCredentials(s.engineToken(account))
	}
	for _, f := range change {
		f(&options)
	}
	c, err := client.NewLazyClient(options)
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

// engineToken returns a token of an account.
func (s *testStack) engineToken(account demo.Account) string {
	s.t.Helper()
	status, answer := s.call(account, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	require.Equal(s.t, http.StatusOK, status, answer)
	return field[string](s.t, answer, "engineToken", "token")
}

// systemClient returns a client of the demo namespace with the rights of the service
// itself.
func (s *testStack) systemClient() client.Client {
	s.t.Helper()
	k, err := server.OpenKeys(s.t.Context(), s.config, slog.New(slog.DiscardHandler))
	require.NoError(s.t, err)
	var reloading sync.WaitGroup
	reloading.Go(func() { k.Keys.ReloadEvery(s.t.Context(), s.config.KeyReload, slog.New(slog.DiscardHandler)) })
	s.t.Cleanup(func() {
		reloading.Wait()
		k.DB.Close()
	})
	credentials, err := server.EngineCredentials(k.Issuer, s.config.Clusters()[0], slog.New(slog.DiscardHandler))
	require.NoError(s.t, err)
	c, err := client.NewLazyClient(client.Options{
		HostPort: s.config.TemporalAddress, Namespace: "demo", Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		Credentials: client.NewAPIKeyDynamicCredentials(func(context.Context) (string, error) { return credentials.Token() }),
		ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{
			RootCAs: credentials.RootCAs(),
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				return credentials.Certificate()
			},
		}},
	})
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

func (s *testStack) countExecutions(ctx context.Context, query string) int {
	s.t.Helper()
	if s.counter == nil {
		s.counter = s.systemClient()
	}
	found, err := s.counter.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: query})
	require.NoError(s.t, err)
	return int(found.GetCount())
}

// query reads one value from the service's database.
func (s *testStack) query(sql string, into any, args ...any) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.database())
	require.NoError(s.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(s.t, conn.QueryRow(s.t.Context(), sql, args...).Scan(into))
}
