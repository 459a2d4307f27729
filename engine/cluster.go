package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Cluster describes the connection to a Temporal cluster.
type Cluster struct {
	// Address is host:port of the frontend.
	Address     string
	Credentials Credentials
}

// router sends the calls about namespaces of additional clusters to those clusters. Calls without a namespace, and calls about other
// namespaces, take the connection that they are made on.
type router struct {
	// clusterOf returns the name of the cluster of a namespace, "" for the default one.
	clusterOf func(ctx context.Context, namespace string) (string, error)
	clusters  map[string]*clusterConnection
}

// newRouter prepares the connections without calling Temporal.
func newRouter(o Options) (*router, error) {
	r := &router{clusterOf: o.ClusterOf, clusters: map[string]*clusterConnection{}}
	for name, c := range o.Clusters {
		connection, err := grpc.NewClient(c.Address, c.Credentials.dialOptions()...)
		if err != nil {
			r.close()
			return nil, fmt.Errorf("preparing the connection to the cluster %s: %w", name, err)
		}
		r.clusters[name] = &clusterConnection{name: name, connection: connection, token: c.Credentials.Token}
	}
	return r, nil
}

func (r *router) close() {
	for _, c := range r.clusters {
		_ = c.connection.Close()
	}
}

// intercept is a grpc.UnaryClientInterceptor.
func (r *router) intercept(
	ctx context.Context, method string, request, reply any, own *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	about, ok := request.(interface{ GetNamespace() string })
	if !ok || len(r.clusters) == 0 {
		return invoke(ctx, method, request, reply, own, options...)
	}
	namespace := about.GetNamespace()
	name, err := r.clusterOf(ctx, namespace)
	if err != nil {
		return status.Error(codes.Unavailable, fmt.Sprintf("finding the cluster of the namespace %s: %v", namespace, err))
	}
	if name == "" {
		return invoke(ctx, method, request, reply, own, options...)
	}
	c := r.clusters[name]
	if c == nil {
		return status.Error(codes.FailedPrecondition, fmt.Sprintf("the cluster %s of the namespace %s is not configured", name, namespace))
	}
	return c.invoke(ctx, namespace, method, request, reply, options)
}

// clusterPause is the time for which calls to a cluster fail at once after it did not answer.
const clusterPause = time.Second

// clusterConnection is a connection to an additional cluster. While the cluster does not answer, it attempts one call a second and
// fails the others, so that they do not delay the work of other clusters.
type clusterConnection struct {
	name       string
	connection *grpc.ClientConn
	token      func() (string, error)

	mu      sync.Mutex
	retryAt time.Time
}

func (c *clusterConnection) invoke(
	ctx context.Context, namespace, method string, request, reply any, options []grpc.CallOption,
) error {
	headers, _ := metadata.FromOutgoingContext(ctx)
	headers = headers.Copy()
	headers.Delete("authorization")
	headers.Set("temporal-namespace", namespace)
	if c.token != nil {
		token, err := c.token()
		if err != nil {
			return status.Error(codes.Unavailable, fmt.Sprintf("reading the service's token for the cluster %s: %v", c.name, err))
		}
		headers.Set("authorization", "Bearer "+token)
	}
	if !c.admitCall() {
		return status.Error(codes.Unavailable, "the cluster "+c.name+" does not answer")
	}
	err := c.connection.Invoke(metadata.NewOutgoingContext(ctx, headers), method, request, reply, options...)
	c.recordAnswer(err)
	return err
}

// admitCall reports whether a call may be made.
func (c *clusterConnection) admitCall() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now() //nolint:forbidigo // the pause of a connection, as in gRPC
	if c.retryAt.IsZero() {
		return true
	}
	if now.Before(c.retryAt) {
		return false
	}
	c.retryAt = now.Add(clusterPause)
	return true
}

// recordAnswer notes whether the cluster answered.
func (c *clusterConnection) recordAnswer(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch status.Code(err) { //nolint:exhaustive // all other codes are answers
	case codes.Unavailable, codes.DeadlineExceeded:
		c.retryAt = time.Now().Add(clusterPause) //nolint:forbidigo // as above
	case codes.Canceled:
	default:
		c.retryAt = time.Time{}
	}
}

// clusterError is the failure of a call because an additional cluster is unavailable.
type clusterError struct {
	cluster string
	err     error
}

func (e *clusterError) Error() string { return "cluster " + e.cluster + ": " + e.err.Error() }

func (e *clusterError) Unwrap() error { return e.err }

// InOtherCluster reports whether an error of Execute or DescribeTaskQueue means that an additional cluster is unavailable. Calls about
// namespaces of other clusters are not affected.
func InOtherCluster(err error) bool {
	_, ok := errors.AsType[*clusterError](err)
	return ok
}

// attribute makes the error of an unavailable additional cluster a clusterError.
func (r *router) attribute(ctx context.Context, namespace string, err error) error {
	if len(r.clusters) == 0 || !Unavailable(err) {
		return err
	}
	if name, lookup := r.clusterOf(context.WithoutCancel(ctx), namespace); lookup == nil && name != "" {
		return &clusterError{cluster: name, err: err}
	}
	return err
}
