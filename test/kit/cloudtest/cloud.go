// Package cloudtest is a stand-in for the operations API of Temporal Cloud. It has asynchronous operations, resource versions, unique
// names, API keys, and the errors that callers have to cope with.
package cloudtest

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/cloud-sdk/api/cloudservice/v1"
	"go.temporal.io/cloud-sdk/api/identity/v1"
	namespacepb "go.temporal.io/cloud-sdk/api/namespace/v1"
	"go.temporal.io/cloud-sdk/api/operation/v1"
	"go.temporal.io/cloud-sdk/api/resource/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/test/kit/certtest"
)

const (
	// Key is the API key of the operations API.
	Key = "operations-key"
	// Account is the suffix of namespaces.
	Account = "a1b2c"

	// operationPolls is the number of polls after which an operation ends.
	operationPolls = 1
	// exhaustedEvery is the number of calls between two that meet a limit.
	exhaustedEvery = 7
)

// Cloud is a running stand-in. Its fields may be changed under its lock, with Change.
type Cloud struct {
	cloudservice.UnimplementedCloudServiceServer

	Address string
	// Roots are the authorities of its certificate, RootsFile their file.
	Roots     *x509.CertPool
	RootsFile string
	// Clock tells which keys have expired.
	Clock func() time.Time
	// Created is called with each new namespace.
	Created func(namespace string)
	// Failures are the reasons with which the next operations of a type, such as CreateNamespace, fail.
	Failures map[string][]string
	// Applied is called after a change of a type and before its answer.
	Applied func(operation string)
	// DeniedReads is the number of reads of a new namespace that are denied.
	DeniedReads int

	mu         sync.Mutex
	calls      int
	inFlight   atomic.Int64
	maxAtOnce  int
	operations map[string]*pending
	namespaces map[string]*namespacepb.Namespace
	unreadable map[string]int
	accounts   map[string]*identity.ServiceAccount
	keys       map[string]*identity.ApiKey
	secrets    map[string]string
}

// pending is an operation with the change that its end makes.
type pending struct {
	*operation.AsyncOperation

	polls int
	apply func()
}

// Start starts a stand-in that ends with the test.
func Start(t *testing.T) *Cloud {
	t.Helper()
	owner := certtest.New(t)
	certificate, _ := owner.Issue("cloud")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &Cloud{
		Address: listener.Addr().String(), Roots: owner.Pool(), RootsFile: owner.File("ca.pem"), Clock: time.Now, Failures: map[string][]string{},
		operations: map[string]*pending{}, namespaces: map[string]*namespacepb.Namespace{}, unreadable: map[string]int{},
		accounts: map[string]*identity.ServiceAccount{}, keys: map[string]*identity.ApiKey{}, secrets: map[string]string{},
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(certificate)), grpc.UnaryInterceptor(c.admitCall))
	cloudservice.RegisterCloudServiceServer(s, c)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Stop()
		require.NoError(t, <-served)
	})
	return c
}

// Change calls f under the lock.
func (c *Cloud) Change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// Namespace returns a copy of a namespace, nil if there is none.
func (c *Cloud) Namespace(name string) *namespacepb.Namespace {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := proto.Clone(c.namespaces[name]).(*namespacepb.Namespace)
	return found
}

// Put replaces a namespace by a copy.
func (c *Cloud) Put(n *namespacepb.Namespace) {
	c.mu.Lock()
	defer c.mu.Unlock()
	copied := clone(n)
	copied.ResourceVersion = uuid.NewString()
	c.namespaces[n.GetNamespace()] = copied
}

// MaxAtOnce returns the largest number of calls at the same time.
func (c *Cloud) MaxAtOnce() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.maxAtOnce
}

// CountIdentities returns the numbers of service accounts and API keys.
func (c *Cloud) CountIdentities() (accounts, keys int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.accounts), len(c.keys)
}

// Authenticate returns the namespace that a secret gives access to, "" for none.
func (c *Cloud) Authenticate(secret string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, key := range c.keys {
		if c.secrets[id] == secret && key.GetState() == resource.ResourceState_RESOURCE_STATE_ACTIVE &&
			key.GetSpec().GetExpiryTime().AsTime().After(c.Clock()) {
			return c.accounts[key.GetSpec().GetOwnerId()].GetSpec().GetNamespaceScopedAccess().GetNamespace()
		}
	}
	return ""
}

// admitCall checks the headers and answers some calls with RESOURCE_EXHAUSTED.
func (c *Cloud) admitCall(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	headers, _ := metadata.FromIncomingContext(ctx)
	if !slices.Equal(headers.Get("authorization"), []string{"Bearer " + Key}) {
		return nil, status.Error(codes.Unauthenticated, "invalid API key")
	}
	if !strings.HasPrefix(strings.Join(headers.Get("temporal-cloud-api-version"), ","), "v0.") {
		return nil, status.Error(codes.InvalidArgument, "the version of the API is missing")
	}
	atOnce := c.inFlight.Add(1)
	defer c.inFlight.Add(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.maxAtOnce = max(c.maxAtOnce, int(atOnce))
	c.calls++
	if c.calls%exhaustedEvery == 0 {
		return nil, status.Error(codes.ResourceExhausted, "too many requests")
	}
	return handle(ctx, request)
}

// startOperation registers an operation. Its apply is called when it ends with success.
func (c *Cloud) startOperation(id, kind string, apply func()) (*operation.AsyncOperation, error) {
	if id == "" {
		id = uuid.NewString()
	}
	if c.operations[id] != nil {
		return nil, status.Error(codes.AlreadyExists, "the id of the operation is in use")
	}
	o := &pending{
		AsyncOperation: &operation.AsyncOperation{Id: id, OperationType: kind, State: operation.AsyncOperation_STATE_PENDING}, apply: apply,
	}
	c.operations[id] = o
	if c.Applied != nil {
		c.Applied(kind)
	}
	return clone(o.AsyncOperation), nil
}

func clone[M proto.Message](m M) M {
	copied, _ := proto.Clone(m).(M)
	return copied
}

// GetAsyncOperation implements cloudservice.CloudServiceServer.
func (c *Cloud) GetAsyncOperation(
	_ context.Context, r *cloudservice.GetAsyncOperationRequest,
) (*cloudservice.GetAsyncOperationResponse, error) {
	o := c.operations[r.GetAsyncOperationId()]
	if o == nil {
		return nil, status.Error(codes.NotFound, "operation not found")
	}
	o.polls++
	if o.polls > operationPolls && o.GetState() == operation.AsyncOperation_STATE_PENDING {
		if reasons := c.Failures[o.GetOperationType()]; len(reasons) > 0 {
			o.State, o.FailureReason = operation.AsyncOperation_STATE_FAILED, reasons[0]
			c.Failures[o.GetOperationType()] = reasons[1:]
		} else {
			o.State = operation.AsyncOperation_STATE_FULFILLED
			o.apply()
		}
	}
	return &cloudservice.GetAsyncOperationResponse{AsyncOperation: clone(o.AsyncOperation)}, nil
}

// GetCurrentIdentity implements cloudservice.CloudServiceServer.
func (c *Cloud) GetCurrentIdentity(
	context.Context, *cloudservice.GetCurrentIdentityRequest,
) (*cloudservice.GetCurrentIdentityResponse, error) {
	return &cloudservice.GetCurrentIdentityResponse{}, nil
}

// GetNamespace implements cloudservice.CloudServiceServer.
func (c *Cloud) GetNamespace(_ context.Context, r *cloudservice.GetNamespaceRequest) (*cloudservice.GetNamespaceResponse, error) {
	n := c.namespaces[r.GetNamespace()]
	if n == nil {
		return nil, status.Error(codes.NotFound, "namespace not found")
	}
	if c.unreadable[r.GetNamespace()] > 0 {
		c.unreadable[r.GetNamespace()]--
		return nil, status.Error(codes.PermissionDenied, "request unauthorized")
	}
	return &cloudservice.GetNamespaceResponse{Namespace: clone(n)}, nil
}

// CreateNamespace implements cloudservice.CloudServiceServer.
func (c *Cloud) CreateNamespace(
	_ context.Context, r *cloudservice.CreateNamespaceRequest,
) (*cloudservice.CreateNamespaceResponse, error) {
	name := r.GetSpec().GetName() + "." + Account
	if c.namespaces[name] != nil {
		return nil, status.Error(codes.AlreadyExists, "namespace exists")
	}
	if err := checkSpec(r.GetSpec()); err != nil {
		return nil, err
	}
	o, err := c.startOperation(r.GetAsyncOperationId(), "CreateNamespace", func() {
		if c.namespaces[name] != nil {
			panic("the namespace was created twice")
		}
		c.unreadable[name] = c.DeniedReads
		c.namespaces[name] = &namespacepb.Namespace{
			Namespace: name, ResourceVersion: uuid.NewString(), Spec: clone(r.GetSpec()), State: resource.ResourceState_RESOURCE_STATE_ACTIVE,
		}
		if c.Created != nil {
			c.Created(name)
		}
	})
	return &cloudservice.CreateNamespaceResponse{Namespace: name, AsyncOperation: o}, err
}

// checkSpec refuses specifications that Temporal Cloud refuses.
func checkSpec(s *namespacepb.NamespaceSpec) error {
	if len(s.GetReplicas()) == 0 || s.GetRetentionDays() < 1 || s.GetRetentionDays() > 90 {
		return status.Error(codes.InvalidArgument, "invalid region or retention")
	}
	mtls := s.GetMtlsAuth()
	if mtls.GetEnabled() == s.GetApiKeyAuth().GetEnabled() || mtls.GetEnabled() && !x509.NewCertPool().AppendCertsFromPEM(mtls.GetAcceptedClientCa()) {
		return status.Error(codes.InvalidArgument, "invalid authentication")
	}
	return nil
}

// UpdateNamespace implements cloudservice.CloudServiceServer.
func (c *Cloud) UpdateNamespace(
	_ context.Context, r *cloudservice.UpdateNamespaceRequest,
) (*cloudservice.UpdateNamespaceResponse, error) {
	n := c.namespaces[r.GetNamespace()]
	if n == nil {
		return nil, status.Error(codes.NotFound, "namespace not found")
	}
	if n.GetResourceVersion() != r.GetResourceVersion() {
		return nil, status.Error(codes.FailedPrecondition, "the resource version is not the current one")
	}
	o, err := c.startOperation(r.GetAsyncOperationId(), "UpdateNamespace", func() {
		n.Spec, n.ResourceVersion = clone(r.GetSpec()), uuid.NewString()
	})
	return &cloudservice.UpdateNamespaceResponse{AsyncOperation: o}, err
}

// GetServiceAccounts implements cloudservice.CloudServiceServer. Its pages have one account.
func (c *Cloud) GetServiceAccounts(
	_ context.Context, r *cloudservice.GetServiceAccountsRequest,
) (*cloudservice.GetServiceAccountsResponse, error) {
	page := &cloudservice.GetServiceAccountsResponse{}
	for _, id := range sortedKeys(c.accounts) {
		if id <= r.GetPageToken() {
			continue
		}
		if len(page.ServiceAccount) == 1 {
			page.NextPageToken = page.GetServiceAccount()[0].GetId()
			break
		}
		page.ServiceAccount = append(page.ServiceAccount, clone(c.accounts[id]))
	}
	return page, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// CreateServiceAccount implements cloudservice.CloudServiceServer.
func (c *Cloud) CreateServiceAccount(
	_ context.Context, r *cloudservice.CreateServiceAccountRequest,
) (*cloudservice.CreateServiceAccountResponse, error) {
	access := r.GetSpec().GetNamespaceScopedAccess()
	if c.namespaces[access.GetNamespace()] == nil || access.GetAccess().GetPermission() != identity.NamespaceAccess_PERMISSION_WRITE {
		return nil, status.Error(codes.InvalidArgument, "invalid namespace or permission")
	}
	for _, account := range c.accounts {
		if account.GetSpec().GetName() == r.GetSpec().GetName() {
			return nil, status.Error(codes.AlreadyExists, "the name is in use")
		}
	}
	id := uuid.NewString()
	o, err := c.startOperation(r.GetAsyncOperationId(), "CreateServiceAccount", func() {
		c.accounts[id] = &identity.ServiceAccount{
			Id: id, ResourceVersion: uuid.NewString(), Spec: clone(r.GetSpec()), State: resource.ResourceState_RESOURCE_STATE_ACTIVE,
		}
	})
	return &cloudservice.CreateServiceAccountResponse{ServiceAccountId: id, AsyncOperation: o}, err
}

// DeleteServiceAccount implements cloudservice.CloudServiceServer.
func (c *Cloud) DeleteServiceAccount(
	_ context.Context, r *cloudservice.DeleteServiceAccountRequest,
) (*cloudservice.DeleteServiceAccountResponse, error) {
	account := c.accounts[r.GetServiceAccountId()]
	if account.GetResourceVersion() != r.GetResourceVersion() {
		return nil, status.Error(codes.FailedPrecondition, "the resource version is not the current one")
	}
	o, err := c.startOperation(r.GetAsyncOperationId(), "DeleteServiceAccount", func() { delete(c.accounts, account.GetId()) })
	return &cloudservice.DeleteServiceAccountResponse{AsyncOperation: o}, err
}

// GetApiKeys implements cloudservice.CloudServiceServer.
func (c *Cloud) GetApiKeys(_ context.Context, r *cloudservice.GetApiKeysRequest) (*cloudservice.GetApiKeysResponse, error) { //nolint:revive,staticcheck // the name of the contract
	page := &cloudservice.GetApiKeysResponse{}
	for _, id := range sortedKeys(c.keys) {
		if key := c.keys[id]; key.GetSpec().GetOwnerId() == r.GetOwnerId() {
			page.ApiKeys = append(page.ApiKeys, clone(key))
		}
	}
	return page, nil
}

// CreateApiKey implements cloudservice.CloudServiceServer. The key is valid when the operation has ended.
func (c *Cloud) CreateApiKey(_ context.Context, r *cloudservice.CreateApiKeyRequest) (*cloudservice.CreateApiKeyResponse, error) { //nolint:revive,staticcheck // the name of the contract
	if c.accounts[r.GetSpec().GetOwnerId()] == nil {
		return nil, status.Error(codes.NotFound, "service account not found")
	}
	id, secret := uuid.NewString(), fmt.Sprintf("tmprl_%s", uuid.New())
	key := &identity.ApiKey{
		Id: id, ResourceVersion: uuid.NewString(), Spec: clone(r.GetSpec()), State: resource.ResourceState_RESOURCE_STATE_ACTIVATING,
	}
	o, err := c.startOperation(r.GetAsyncOperationId(), "CreateApiKey", func() { key.State = resource.ResourceState_RESOURCE_STATE_ACTIVE })
	if err != nil {
		return nil, err
	}
	c.keys[id], c.secrets[id] = key, secret
	return &cloudservice.CreateApiKeyResponse{KeyId: id, Token: secret, AsyncOperation: o}, nil
}

// DeleteApiKey implements cloudservice.CloudServiceServer.
func (c *Cloud) DeleteApiKey(_ context.Context, r *cloudservice.DeleteApiKeyRequest) (*cloudservice.DeleteApiKeyResponse, error) { //nolint:revive,staticcheck // the name of the contract
	key := c.keys[r.GetKeyId()]
	if key == nil {
		return nil, status.Error(codes.NotFound, "API key not found")
	}
	if key.GetResourceVersion() != r.GetResourceVersion() {
		return nil, status.Error(codes.FailedPrecondition, "the resource version is not the current one")
	}
	o, err := c.startOperation(r.GetAsyncOperationId(), "DeleteApiKey", func() { delete(c.keys, key.GetId()) })
	return &cloudservice.DeleteApiKeyResponse{AsyncOperation: o}, err
}
