package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// NamespacePlaceholder stands for the namespace in the address of a cluster with an address for each namespace.
const NamespacePlaceholder = "{namespace}"

// Cluster describes the connection to a Temporal cluster.
type Cluster struct {
	// Address is host:port of the frontend. It may contain NamespacePlaceholder.
	Address     string
	Credentials Credentials
}

// router sends the calls about namespaces of additional clusters to those clusters. Calls without a namespace, and calls about other
// namespaces, take the connection that they are made on.
type router struct {
	// own is the namespace of the connection that calls are made on.
	own string
	// clusterOf returns the name of the cluster of a namespace, "" for the default one.
	clusterOf func(ctx context.Context, namespace string) (string, error)
	// clusters are the additional clusters, and the default one if it has an address for each namespace.
	clusters map[string]Cluster

	mu sync.Mutex
	// connections are those to addresses.
	connections map[string]*clusterConnection
}

func newRouter(o Options) *router {
	r := &router{own: o.Namespace, clusterOf: o.ClusterOf, clusters: maps.Clone(o.Clusters), connections: map[string]*clusterConnection{}}
	if strings.Contains(o.Address, NamespacePlaceholder) {
		if r.clusters == nil {
			r.clusters = map[string]Cluster{}
		}
		r.clusters[""] = Cluster{Address: o.Address, Credentials: o.Credentials}
	}
	return r
}

// connect returns the connection to a namespace of a cluster. It does not call Temporal.
func (r *router) connect(name string, c Cluster, namespace string) (*clusterConnection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := name + " " + addressOf(c.Address, namespace)
	if made := r.connections[key]; made != nil {
		return made, nil
	}
	connection, err := grpc.NewClient(addressOf(c.Address, namespace), c.Credentials.DialOptions()...)
	if err != nil {
		return nil, fmt.Errorf("preparing the connection to the cluster %s: %w", name, err)
	}
	r.connections[key] = &clusterConnection{name: name, connection: connection, token: c.Credentials.Token}
	return r.connections[key], nil
}

// addressOf returns the address of a namespace.
func addressOf(address, namespace string) string {
	return strings.ReplaceAll(address, NamespacePlaceholder, namespace)
}

func (r *router) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.connections {
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
	c, found := r.clusters[name]
	if name == "" && (!found || namespace == r.own) {
		return invoke(ctx, method, request, reply, own, options...)
	}
	if !found {
		return status.Error(codes.FailedPrecondition, fmt.Sprintf("the cluster %s of the namespace %s is not configured", name, namespace))
	}
	connection, err := r.connect(name, c, namespace)
	if err != nil {
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	return connection.invoke(ctx, namespace, method, request, reply, options)
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
