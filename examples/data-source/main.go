// Command data-source is a Temporal worker that answers for the data source GOODS. Everything comes from the
// environment: DATA_SOURCE_ENDPOINT, DATA_SOURCE_TEMPORAL_ADDRESS, DATA_SOURCE_CLIENT_ID and DATA_SOURCE_CLIENT_SECRET.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/data-source/goods"
	"github.com/procession-dev/procession/examples/loan/encryption"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := serve(ctx, os.Getenv, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "data-source:", err)
		os.Exit(1)
	}
}

// serve answers until ctx ends. It fails when it gets no access and is started again from outside.
func serve(ctx context.Context, getenv func(string) string, logger *slog.Logger) error {
	api, err := restapi.New(restapi.Config{
		Endpoint:    getenv("DATA_SOURCE_ENDPOINT"),
		Credentials: restapi.ClientCredentials(getenv("DATA_SOURCE_CLIENT_ID"), getenv("DATA_SOURCE_CLIENT_SECRET")),
		Logger:      logger,
	})
	if err != nil {
		return err
	}
	defer api.CloseIdleConnections()
	temporal, err := connect(ctx, api, getenv("DATA_SOURCE_TEMPORAL_ADDRESS"), logger)
	if err != nil {
		return err
	}
	defer temporal.Close()
	registration := restapi.WorkerCreateParams{
		Identity: "data-source@" + getenv("DATA_SOURCE_CLIENT_ID"), TaskQueue: goods.TaskQueue,
		WorkflowTypes: []string{}, ActivityTypes: []string{goods.QueryActivity, goods.ValidateActivity}, Hostname: "localhost", IP: "127.0.0.1",
	}
	window, err := api.CreateWorker(ctx, registration)
	if err != nil {
		return fmt.Errorf("registering: %w", err)
	}
	// The service starts the workflow; this worker has activities only.
	w := worker.New(temporal, goods.TaskQueue, worker.Options{DisableWorkflowWorker: true})
	goods.Register(w)
	if err := w.Start(); err != nil {
		return fmt.Errorf("polling: %w", err)
	}
	defer w.Stop()
	logger.InfoContext(ctx, "data source worker ready", slog.String("queue", goods.TaskQueue))
	for restapi.Wait(ctx, window) == nil {
		if again, err := api.CreateWorker(ctx, registration); err == nil {
			window = again
		}
	}
	return nil
}

// connect gets a certificate, which is good for as long as the service says, and tokens as they run out.
func connect(ctx context.Context, api *restapi.Client, address string, logger *slog.Logger) (client.Client, error) {
	granted, err := api.CreateEngineCertificate(ctx)
	if err != nil {
		return nil, fmt.Errorf("getting a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair([]byte(granted.TLS.ClientCertificate), []byte(granted.TLS.ClientPrivateKey))
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(granted.TLS.ServerRootCACertificate)) {
		return nil, errors.New("serverRootCaCertificate holds no PEM certificate")
	}
	return client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: granted.Namespace, Logger: log.NewStructuredLogger(logger),
		Credentials: client.NewAPIKeyDynamicCredentials((&tokens{api: api}).get),
		ConnectionOptions: client.ConnectionOptions{
			TLS: &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, Certificates: []tls.Certificate{pair}},
		},
		// Where the manifest names a key, what is asked and answered is encrypted.
		DataConverter:      encryption.NewDataConverter(encryption.NewKeys(time.Now, api.RetrieveKmsKey)),
		ContextPropagators: []workflow.ContextPropagator{encryption.Propagator{}},
	})
}

// tokens keeps a token until four fifths of its life are over.
type tokens struct {
	api *restapi.Client

	mu    sync.Mutex
	token string
	due   time.Time
}

func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Before(t.due) {
		return t.token, nil
	}
	token, expires, err := t.api.CreateEngineToken(ctx)
	if err != nil {
		return "", err
	}
	t.token, t.due = token, expires.Add(-expires.Sub(now)/5)
	return token, nil
}
