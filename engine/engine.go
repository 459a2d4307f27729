package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

const (
	// DefaultNamespace is the default namespace of the workflows that the service owns.
	DefaultNamespace = "procession"
	// TaskQueue is the task queue of the service's own worker.
	TaskQueue = "procession"
	// CallTimeout bounds one call to Temporal.
	CallTimeout = 5 * time.Second
	// DefaultRetention is the default time for which Temporal keeps an ended workflow.
	DefaultRetention = 72 * time.Hour

	identity = "procession"
)

// Options configure an Engine.
type Options struct {
	// Address is host:port of Temporal's frontend. It may contain NamespacePlaceholder.
	Address     string
	Credentials Credentials
	// Clusters are additional clusters by name.
	Clusters map[string]Cluster
	// ClusterOf returns the name of the additional cluster that a namespace is in, "" for the default one. It may be nil without
	// additional clusters.
	ClusterOf func(ctx context.Context, namespace string) (string, error)
	// Namespace is the namespace of the workflows that the service owns; "" is DefaultNamespace.
	Namespace string
	// Retention is the time for which new namespaces keep an ended workflow; 0 is
	// DefaultRetention. Existing namespaces are not changed.
	Retention time.Duration
	// Provision reports whether a namespace is created by other means than Temporal's own API, and its problem if it is not ready. It may be
	// nil.
	Provision func(ctx context.Context, namespace string) (managed bool, err error)
	// Keys returns the encryption keys of payloads. It may be nil if there are none.
	Keys KeySource
	// Logger receives the log of the Temporal SDK.
	Logger *slog.Logger
}

// Engine is a connection to Temporal, and to the additional clusters that namespaces are in. It is safe for concurrent use.
type Engine struct {
	client    client.Client
	workflows workflowservice.WorkflowServiceClient
	operator  operatorservice.OperatorServiceClient
	router    *router
	namespace string
	retention time.Duration
	provision func(ctx context.Context, namespace string) (managed bool, err error)
	keys      KeySource
	logger    *slog.Logger
}

// New returns an Engine without calling Temporal. The caller must close it.
func New(o Options) (*Engine, error) {
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	o.Namespace = cmp.Or(o.Namespace, DefaultNamespace)
	clusters := newRouter(o)
	c, err := client.NewLazyClient(client.Options{
		HostPort:    addressOf(o.Address, o.Namespace),
		Namespace:   o.Namespace,
		Identity:    identity,
		Logger:      sdklog.NewStructuredLogger(o.Logger),
		Credentials: o.Credentials.token(),
		ConnectionOptions: client.ConnectionOptions{
			// The dial options configure TLS; this setting keeps the SDK consistent with
			// them.
			TLS: o.Credentials.tlsConfig(),
			// Payloads are small and the server is near.
			GrpcCompression: &client.GrpcCompressionNone{},
			DialOptions:     append(o.Credentials.DialOptions(), grpc.WithChainUnaryInterceptor(clusters.intercept)),
		},
	})
	if err != nil {
		clusters.close()
		return nil, fmt.Errorf("preparing the connection to Temporal: %w", err)
	}
	return &Engine{
		client: c, router: clusters, workflows: c.WorkflowService(), operator: c.OperatorService(), namespace: o.Namespace,
		retention: o.Retention, provision: o.Provision, keys: o.Keys, logger: o.Logger,
	}, nil
}

// connectParams returns a short backoff between attempts to connect, so that queued
// work continues soon after Temporal is available again.
func connectParams() grpc.ConnectParams {
	pauses := backoff.DefaultConfig
	pauses.BaseDelay, pauses.MaxDelay = 100*time.Millisecond, time.Second
	return grpc.ConnectParams{Backoff: pauses, MinConnectTimeout: CallTimeout}
}

// Close ends the connections.
func (e *Engine) Close() {
	e.client.Close()
	e.router.close()
}

// Namespace returns the namespace of the workflows that the service owns.
func (e *Engine) Namespace() string { return e.namespace }

// Client returns the SDK's client of the service's namespace.
func (e *Engine) Client() client.Client { return e.client }

// Ping reports whether Temporal answers and accepts the service's credentials.
func (e *Engine) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	if _, err := e.workflows.GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{}); err != nil {
		return fmt.Errorf("pinging Temporal: %w", err)
	}
	return nil
}

// Identity returns the name of the default cluster and its number among clusters that replicate to each other, which is 0 if an older
// Temporal does not report it.
func (e *Engine) Identity(ctx context.Context) (name string, number int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	info, err := e.workflows.GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
	if err != nil {
		return "", 0, fmt.Errorf("reading the name of Temporal's cluster: %w", err)
	}
	return info.GetClusterName(), info.GetInitialFailoverVersion(), nil
}
