package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

// Probe calls Temporal with the service's certificate and a given token, or without
// one, to find out which credentials Temporal accepts.
type Probe struct {
	address     string
	credentials Credentials
	connection  *grpc.ClientConn
	workflows   workflowservice.WorkflowServiceClient
}

// NewProbe returns a Probe of the Temporal at host:port without calling it. The
// caller must close it. The Token of the credentials is not used.
func NewProbe(address string, c Credentials) (*Probe, error) {
	connection, err := grpc.NewClient(address, c.DialOptions()...)
	if err != nil {
		return nil, fmt.Errorf("preparing to probe Temporal: %w", err)
	}
	return &Probe{
		address: address, credentials: c, connection: connection,
		workflows: workflowservice.NewWorkflowServiceClient(connection),
	}, nil
}

// Close ends the connection.
func (p *Probe) Close() error { return p.connection.Close() }

// Accepts reports whether Temporal accepts the token, or no token when it is
// empty, for a call that needs the service's own rights. It returns an error when
// Temporal gives neither answer.
func (p *Probe) Accepts(ctx context.Context, token string) (bool, error) {
	return p.attempt(ctx, token, func(ctx context.Context) error {
		_, err := p.workflows.ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{PageSize: 1})
		return err
	})
}

// AcceptsIn reports whether Temporal accepts the token, or no token when it is empty, for a call about a namespace, which need
// not exist. It returns an error when Temporal gives neither answer.
func (p *Probe) AcceptsIn(ctx context.Context, namespace, token string) (bool, error) {
	return p.attempt(ctx, token, func(ctx context.Context) error {
		ctx = metadata.AppendToOutgoingContext(ctx, "temporal-namespace", namespace)
		_, err := p.workflows.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
		if NamespaceMissing(serviceerror.FromStatus(serviceerror.ToStatus(err))) {
			return nil
		}
		return err
	})
}

func (p *Probe) attempt(ctx context.Context, token string, call func(context.Context) error) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	err := call(ctx)
	if err == nil {
		return true, nil
	}
	refusal := serviceerror.FromStatus(serviceerror.ToStatus(err))
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](refusal); ok {
		return false, nil
	}
	return false, fmt.Errorf("probing Temporal: %w", refusal)
}

// AnswersWithTLS reports whether Temporal speaks TLS. It returns an error when Temporal cannot be reached.
func (p *Probe) AnswersWithTLS(ctx context.Context) (bool, error) {
	// The certificate does not matter; no request is sent.
	config := tlspolicy.New()
	config.InsecureSkipVerify, config.NextProtos = true, []string{"h2"}
	reached, err := p.handshake(ctx, config)
	if !reached {
		return false, err
	}
	_, isAlert := errors.AsType[tls.AlertError](err)
	return err == nil || isAlert, nil
}

// ServerCertificate returns Temporal's certificate and the error of its verification,
// nil if it is trusted. It returns an error when Temporal cannot be reached.
func (p *Probe) ServerCertificate(ctx context.Context) (shown *x509.Certificate, untrusted, err error) {
	host, _, err := net.SplitHostPort(p.address)
	if err != nil {
		return nil, nil, fmt.Errorf("reading Temporal's address: %w", err)
	}
	config := p.credentials.tlsConfig()
	if config.ServerName == "" {
		config.ServerName = host
	}
	config.NextProtos = []string{"h2"}
	// The certificate is inspected even if it is not trusted; no request is sent.
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		shown = state.PeerCertificates[0]
		options := x509.VerifyOptions{
			Roots: p.credentials.roots(), DNSName: config.ServerName, Intermediates: x509.NewCertPool(),
		}
		for _, certificate := range state.PeerCertificates[1:] {
			options.Intermediates.AddCert(certificate)
		}
		_, untrusted = shown.Verify(options)
		return nil
	}
	if _, err := p.handshake(ctx, config); err != nil && shown == nil {
		return nil, nil, fmt.Errorf("connecting to Temporal: %w", err)
	}
	return shown, untrusted, nil
}

// handshake makes a TLS handshake with Temporal, through the proxy of the environment if there is one, and sends nothing. It
// reports whether Temporal, or a proxy of it, was reached.
func (p *Probe) handshake(ctx context.Context, config *tls.Config) (reached bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	only := &handshakeOnly{TransportCredentials: credentials.NewTLS(config), config: config, results: make(chan error, 1)}
	connection, err := grpc.NewClient(p.address, grpc.WithTransportCredentials(only))
	if err != nil {
		return false, fmt.Errorf("preparing to probe Temporal: %w", err)
	}
	defer func() { _ = connection.Close() }()
	_, err = workflowservice.NewWorkflowServiceClient(connection).GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	select {
	case result := <-only.results:
		return true, result
	default:
		return false, fmt.Errorf("reaching it: %w", err)
	}
}

// handshakeOnly is a transport without connections: it ends each one after the handshake.
type handshakeOnly struct {
	credentials.TransportCredentials
	config  *tls.Config
	results chan error
}

// ClientHandshake implements credentials.TransportCredentials.
func (h *handshakeOnly) ClientHandshake(ctx context.Context, _ string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	err := tls.Client(raw, h.config).HandshakeContext(ctx)
	select {
	case h.results <- err:
	default:
	}
	return nil, nil, errors.New("the handshake was a probe")
}

// Clone implements credentials.TransportCredentials.
func (h *handshakeOnly) Clone() credentials.TransportCredentials { return h }
