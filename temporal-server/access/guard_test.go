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
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/log"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/temporal-server/access"
)

// publisher stands for the service: it signs tokens, publishes its key and lists what it has revoked.
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

// options are those of a guard that trusts p.
func (p *publisher) options() access.Options {
	keys := p.http.URL + "/.well-known/jwks.json"
	return access.Options{
		KeySetURL: keys, KeySetRefresh: time.Hour,
		RevocationsURL: access.SiblingRevocationsURL(keys), RevocationsRefresh: 10 * time.Millisecond,
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

// token signs the claims of an engine of namespace alpha, changed by more.
func (p *publisher) token(t *testing.T, more jwt.MapClaims) string {
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

// decide asks a guard about one call of an engine of namespace alpha. An empty token sends none.
func decide(t *testing.T, g *access.Guard, token string, serial int64, api string, request proto.Message) authorization.Result {
	t.Helper()
	subject := pkix.Name{OrganizationalUnit: []string{"alpha"}, CommonName: "robot-1"}
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
	target := &authorization.CallTarget{APIName: api, Request: request}
	if named, ok := request.(interface{ GetNamespace() string }); ok {
		target.Namespace = named.GetNamespace()
	}
	result, err := g.Authorizer().Authorize(context.Background(), claims, target)
	require.NoError(t, err)
	return result
}
