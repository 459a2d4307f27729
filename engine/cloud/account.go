// Package cloud maintains the namespaces of tenants and the API keys of their workers in accounts of Temporal Cloud, by its
// operations API.
package cloud

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.temporal.io/cloud-sdk/api/cloudservice/v1"
	"go.temporal.io/cloud-sdk/cloudclient"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/procession-dev/procession/engine"
)

const (
	// DefaultAddress is the operations API of Temporal Cloud.
	DefaultAddress = "saas-api.tmprl.cloud:443"
	// DefaultKeyLifetime is the default lifetime of the API key of a worker.
	DefaultKeyLifetime = 7 * 24 * time.Hour

	// requestsPerSecond and requestsAtOnce bound the use of the operations API by a process. Its limits are for the whole account, people
	// included.
	requestsPerSecond = 5
	requestsAtOnce    = 4
	// callTimeout bounds a call with its retries.
	callTimeout = time.Minute
)

// Options configure an Account.
type Options struct {
	// Address is host:port of the operations API, "" for DefaultAddress.
	Address string
	// Credentials contain the API key of the operations API as Token.
	Credentials engine.Credentials
	// Account is the suffix of the names of namespaces, as in north.a1b2c.
	Account string
	// Regions are the regions of new namespaces, the active one first.
	Regions []string
	// Retention is the time for which new namespaces keep an ended workflow.
	Retention time.Duration
	// Certificates is true if namespaces accept certificates of the service's authority, false if they accept API keys.
	Certificates bool
	// KeyLifetime is the lifetime of the API key of a worker, 0 for DefaultKeyLifetime. A key is replaced after half of it.
	KeyLifetime time.Duration
	// RequestsPerSecond bounds the calls, 0 for the default.
	RequestsPerSecond float64
}

// Account is a client of the operations API for one account. It is safe for concurrent use.
type Account struct {
	o       Options
	client  *cloudclient.Client
	service cloudservice.CloudServiceClient
}

// NewAccount returns an Account without calling Temporal Cloud. The caller must close it.
func NewAccount(o Options) (*Account, error) {
	o.KeyLifetime = cmp.Or(o.KeyLifetime, DefaultKeyLifetime)
	limit := limiter{
		rate:   rate.NewLimiter(rate.Limit(cmp.Or(o.RequestsPerSecond, requestsPerSecond)), requestsAtOnce),
		places: make(chan struct{}, requestsAtOnce),
	}
	client, err := cloudclient.New(cloudclient.Options{
		HostPort: cmp.Or(o.Address, DefaultAddress), APIKeyReader: keyReader(o.Credentials.Token), UserAgent: "procession",
		GRPCDialOptions: append(o.Credentials.DialOptions(), grpc.WithChainUnaryInterceptor(limit.intercept)),
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the connection to the operations API of Temporal Cloud: %w", err)
	}
	return &Account{o: o, client: client, service: client.CloudService()}, nil
}

// Close ends the connection.
func (a *Account) Close() { _ = a.client.Close() }

// Check reports whether the operations API answers and accepts the API key.
func (a *Account) Check(ctx context.Context) error {
	_, err := a.service.GetCurrentIdentity(ctx, &cloudservice.GetCurrentIdentityRequest{})
	return explainError(err, "reading the identity of the API key")
}

type keyReader func() (string, error)

// GetAPIKey implements cloudclient.APIKeyReader.
func (k keyReader) GetAPIKey(context.Context) (string, error) { return k() }

// limiter bounds the attempts at calls. Waiting calls are served in turn.
type limiter struct {
	rate   *rate.Limiter
	places chan struct{}
}

// intercept is a grpc.UnaryClientInterceptor.
func (l limiter) intercept(
	ctx context.Context, method string, request, reply any, connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	select {
	case l.places <- struct{}{}:
		defer func() { <-l.places }()
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
	if err := l.rate.Wait(ctx); err != nil {
		return status.Error(codes.DeadlineExceeded, "waiting for the rate limit of the operations API")
	}
	return invoke(ctx, method, request, reply, connection, options...)
}

// explainError wraps an error of the operations API and adds its remedy.
func explainError(err error, action string, arguments ...any) error {
	if err == nil {
		return nil
	}
	remedy := ""
	switch status.Code(err) { //nolint:exhaustive // other codes need no explanation
	case codes.Unauthenticated:
		remedy = ": Temporal Cloud does not accept the API key; it may have expired or be disabled: replace its file"
	case codes.PermissionDenied:
		remedy = ": the owner of the API key lacks a role: Developer of the account to create namespaces, Namespace Admin of given ones"
	case codes.ResourceExhausted:
		remedy = ": a limit of the account is reached; the service tries again later"
	}
	s := status.Convert(err)
	return &callError{code: s.Code(), text: fmt.Sprintf(action, arguments...) + ": " + s.Message() + remedy}
}

// callError is an explained error of the operations API. It keeps the code.
type callError struct {
	code codes.Code
	text string
}

func (e *callError) Error() string { return e.text }

// GRPCStatus returns the code for package status.
func (e *callError) GRPCStatus() *status.Status { return status.New(e.code, e.text) }
