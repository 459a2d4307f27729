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
	"google.golang.org/grpc/metadata"
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
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(newTransport(c)),
		grpc.WithConnectParams(connectParams()))
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
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	_, err := p.workflows.ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{PageSize: 1})
	if err == nil {
		return true, nil
	}
	refusal := serviceerror.FromStatus(serviceerror.ToStatus(err))
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](refusal); ok {
		return false, nil
	}
	return false, fmt.Errorf("probing Temporal: %w", refusal)
}

// ServerCertificate returns Temporal's certificate and the error of its verification,
// nil if it is trusted. It returns an error when Temporal cannot be reached.
func (p *Probe) ServerCertificate(ctx context.Context) (shown *x509.Certificate, untrusted, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	host, _, err := net.SplitHostPort(p.address)
	if err != nil {
		return nil, nil, fmt.Errorf("reading Temporal's address: %w", err)
	}
	config := newTransport(p.credentials).config.Clone()
	config.ServerName, config.NextProtos = host, []string{"h2"}
	// The certificate is inspected even if it is not trusted; no request is sent.
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		shown = state.PeerCertificates[0]
		options := x509.VerifyOptions{
			Roots: p.credentials.RootCAs(), DNSName: host, Intermediates: x509.NewCertPool(),
		}
		for _, certificate := range state.PeerCertificates[1:] {
			options.Intermediates.AddCert(certificate)
		}
		_, untrusted = shown.Verify(options)
		return nil
	}
	connection, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", p.address)
	if err != nil && shown == nil {
		return nil, nil, fmt.Errorf("connecting to Temporal: %w", err)
	}
	if err == nil {
		_ = connection.Close()
	}
	return shown, untrusted, nil
}
