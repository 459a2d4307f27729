package access_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v4"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/temporal-server/access"
)

// publisher stands for the service: it signs tokens, publishes its key and its list of revocations.
type publisher struct {
	key        *ecdsa.PrivateKey
	http       *httptest.Server
	revocation atomic.Value // the list as it is published, a string; "" fails
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p := &publisher{key: key}
	p.revocation.Store(`{"generatedAt":"2026-01-01T00:00:00Z","tokens":[],"certificates":[]}`)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k1", Key: key.Public(), Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("/.well-known/engine-revocations.json", func(w http.ResponseWriter, _ *http.Request) {
		list, ok := p.revocation.Load().(string)
		if !ok || list == "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(list))
	})
	p.http = httptest.NewServer(mux)
	t.Cleanup(p.http.Close)
	return p
}

// options returns the options of a guard that trusts p.
func (p *publisher) options() access.Options {
	keys := p.http.URL + "/.well-known/jwks.json"
	return access.Options{
		KeySetURL: keys, KeySetRefresh: time.Hour,
		RevocationsURL: access.SiblingRevocationsURL(keys), RevocationsRefresh: 10 * time.Millisecond,
		MaxAge: time.Hour, Store: access.NewMemoryStore(),
		Issuer: "procession", Logger: slog.New(slog.DiscardHandler), TemporalLogger: log.NewNoopLogger(), Clock: time.Now,
	}
}

func newGuard(t *testing.T, o access.Options) *access.Guard {
	t.Helper()
	g, err := access.New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	return g
}

// signToken signs the claims of an engine of namespace alpha, changed by more.
func (p *publisher) signToken(t *testing.T, more jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{
		"iss": "procession", "aud": []string{"temporal"}, "sub": "robot-1", "jti": uuid.NewString(), "exp": time.Now().Add(time.Hour).Unix(),
		"permissions": []string{"alpha:write"}, "task_queues": []string{"q1"}, "tenant_task_queues": []string{"q1", "q2"},
	}
	for name, value := range more {
		claims[name] = value
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = "k1"
	signed, err := token.SignedString(p.key)
	require.NoError(t, err)
	return signed
}

// credentialsOf returns the claims that a guard reads from a token and a certificate of its subject for namespace alpha. An empty token
// sends none.
func credentialsOf(t *testing.T, g *access.Guard, token string, serial int64) *authorization.Claims {
	t.Helper()
	claims := jwt.RegisteredClaims{}
	_, _, _ = jwt.NewParser().ParseUnverified(token, &claims)
	return credentialsOver(t, g, token, serial, claims.Subject)
}

// credentialsOver is credentialsOf with the certificate of another subject.
func credentialsOver(t *testing.T, g *access.Guard, token string, serial int64, name string) *authorization.Claims {
	t.Helper()
	subject := pkix.Name{OrganizationalUnit: []string{"alpha"}, CommonName: name}
	shown := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: subject}
	info := &authorization.AuthInfo{
		TLSSubject:    &subject,
		TLSConnection: &credentials.TLSInfo{State: tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{shown}}}},
	}
	if token != "" {
		info.AuthToken = "Bearer " + token
	}
	claims, err := g.ClaimMapper().GetClaims(info)
	require.NoError(t, err)
	return claims
}

// decide asks a guard about one call of an engine of namespace alpha. An empty token sends none.
func decide(t *testing.T, g *access.Guard, token string, serial int64, api string, request proto.Message) authorization.Result {
	t.Helper()
	return authorize(t, g, credentialsOf(t, g, token, serial), api, request)
}

func authorize(t *testing.T, g *access.Guard, claims *authorization.Claims, api string, request proto.Message) authorization.Result {
	t.Helper()
	target := &authorization.CallTarget{APIName: api, Request: request}
	if named, ok := request.(interface{ GetNamespace() string }); ok {
		target.Namespace = named.GetNamespace()
	}
	result, err := g.Authorizer().Authorize(context.Background(), claims, target)
	require.NoError(t, err)
	return result
}

// call takes a call of an engine of namespace alpha through all of a guard; answer is the response of Temporal.
func call[R proto.Message](t *testing.T, g *access.Guard, token, api string, request proto.Message, answer R) (R, error) {
	t.Helper()
	return callAt(t, g, nil, token, api, request, answer)
}

// callAt is call with the frontend that looks up workflows.
func callAt[R proto.Message](t *testing.T, g *access.Guard, at *frontend, token, api string, request proto.Message, answer R) (R, error) {
	t.Helper()
	claims := credentialsOf(t, g, token, 1)
	var none R
	if result := authorize(t, g, claims, api, request); result.Decision != authorization.DecisionAllow {
		return none, errors.New(result.Reason)
	}
	ctx := context.WithValue(t.Context(), authorization.MappedClaims, claims)
	got, err := g.Interceptor()(ctx, request, &grpc.UnaryServerInfo{Server: at, FullMethod: api}, func(context.Context, any) (any, error) { return answer, nil })
	var denied *serviceerror.PermissionDenied
	if errors.As(err, &denied) {
		return none, errors.New(denied.Reason)
	}
	if err != nil {
		return none, err
	}
	typed, ok := got.(R)
	require.True(t, ok)
	return typed, nil
}

// workflowTask returns the token of a workflow task that a poll with token was given.
func workflowTask(t *testing.T, g *access.Guard, token string) []byte {
	t.Helper()
	return workflowTaskOn(t, g, token, "q1")
}

func workflowTaskOn(t *testing.T, g *access.Guard, token, queue string) []byte {
	t.Helper()
	task, err := call(t, g, token, workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName,
		&workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: queue}},
		&workflowservice.PollWorkflowTaskQueueResponse{TaskToken: []byte{8, 1}})
	require.NoError(t, err)
	return task.GetTaskToken()
}
