package authn_test

import (
	"crypto/ecdsa"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
)

// verify checks a token by the published keys, as others do, and returns its
// claims.
func verify(t *testing.T, i issuance, token domain.EngineToken) map[string]any {
	t.Helper()
	parsed, err := jwt.ParseSigned(token.Token.Reveal(), []jose.SignatureAlgorithm{jose.ES256})
	require.NoError(t, err)
	require.Len(t, parsed.Headers, 1)
	require.Equal(t, "JWT", parsed.Headers[0].ExtraHeaders[jose.HeaderType])
	published := parseJWKS(t, i.Issuer)
	keys := published.Key(parsed.Headers[0].KeyID)
	require.Len(t, keys, 1)
	var registered jwt.Claims
	claims := map[string]any{}
	require.NoError(t, parsed.Claims(keys[0].Key, &registered, &claims))
	require.NoError(t, registered.ValidateWithLeeway(jwt.Expected{
		Issuer: "procession", AnyAudience: jwt.Audience{"temporal"}, Time: i.clock.Now(),
	}, 0))
	return claims
}

func signedBy(t *testing.T, i issuance) string {
	t.Helper()
	token, err := i.SystemToken(i.clock.Now())
	require.NoError(t, err)
	parsed, err := jwt.ParseSigned(token.Token.Reveal(), []jose.SignatureAlgorithm{jose.ES256})
	require.NoError(t, err)
	verify(t, i, token)
	return parsed.Headers[0].KeyID
}

func unix(at time.Time) float64 { return float64(at.Unix()) }

func TestEngineToken(t *testing.T) {
	t.Parallel()
	i, principal := newIssuance(t), uuid.New()
	now := i.clock.Now()
	id := uuid.New()
	token, err := i.EngineToken(authn.EngineAccess{
		ID: id, Principal: principal, Namespace: "demo",
		TaskQueues: []string{"second", "first", "second"}, TenantTaskQueues: []string{"first", "third", "second", "B"},
	}, now)
	require.NoError(t, err)
	require.Equal(t, now.Add(time.Hour), token.ExpiredAt)
	require.Equal(t, now.Add(62*time.Minute).Truncate(time.Second), token.NotAfter)

	claims := verify(t, i, token)
	require.Equal(t, map[string]any{
		"iss": "procession", "aud": []any{"temporal"}, "sub": principal.String(), "jti": id.String(),
		"iat": unix(now.Add(-time.Minute)), "nbf": unix(now.Add(-time.Minute)),
		"exp":         unix(token.ExpiredAt.Add(2 * time.Minute)),
		"permissions": []any{"demo:write"}, "task_queues": []any{"first", "second"},
		"tenant_task_queues": []any{"B", "first", "second", "third"},
	}, claims)
}

// access returns the engine access of a new principal to the namespace demo.
func access(queues ...string) authn.EngineAccess {
	return authn.EngineAccess{ID: uuid.New(), Principal: uuid.New(), Namespace: "demo", TaskQueues: queues, TenantTaskQueues: queues}
}

func TestOperatorAccessReadsOneNamespaceForAnHourAtMost(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	id, operator, now := uuid.New(), uuid.New(), i.clock.Now()
	until := now.Add(authn.MaxOperatorAccess)
	token, err := i.OperatorToken(id, operator, "demo", now, until)
	require.NoError(t, err)
	require.Equal(t, until, token.NotAfter, "without grace")
	claims := verify(t, i, token)
	require.Equal(t, []any{"demo:read"}, claims["permissions"])
	require.Equal(t, true, claims["read_only"])
	require.Equal(t, operator.String(), claims["sub"])
	require.Equal(t, id.String(), claims["jti"])
	require.EqualValues(t, until.Unix(), claims["exp"])
	require.Empty(t, claims["task_queues"])
	require.Empty(t, claims["tenant_task_queues"])
	worker, err := i.EngineToken(access("queue"), now)
	require.NoError(t, err)
	require.NotContains(t, verify(t, i, worker), "read_only")

	certificate, err := i.OperatorCertificate(operator, "demo", nil, now, until)
	require.NoError(t, err)
	require.Equal(t, "demo", certificate.Namespace)
	require.Equal(t, until.UTC().Truncate(time.Second), certificate.NotAfter)

	for _, wrong := range []struct {
		namespace string
		until     time.Time
	}{
		{"demo", until.Add(time.Second)}, {"", until}, {"temporal-system", until}, {"*", until},
	} {
		_, err := i.OperatorToken(id, operator, wrong.namespace, now, wrong.until)
		require.Error(t, err, wrong)
		_, err = i.OperatorCertificate(operator, wrong.namespace, nil, now, wrong.until)
		require.Error(t, err, wrong)
	}
}

func TestEngineTokenWithoutQueuesPermitsNothing(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	token, err := i.EngineToken(access(), i.clock.Now())
	require.NoError(t, err)
	claims := verify(t, i, token)
	require.Equal(t, []any{}, claims["permissions"])
	require.Equal(t, []any{}, claims["task_queues"])
}

func TestNoAccessToNamespacesThatMeanMore(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	for _, namespace := range []string{"", "temporal-system", "*", "demo:write", "demo*"} {
		t.Run(namespace, func(t *testing.T) {
			t.Parallel()
			elsewhere := access("queue")
			elsewhere.Namespace = namespace
			_, err := i.EngineToken(elsewhere, i.clock.Now())
			require.Error(t, err)
			_, err = i.EngineCertificate(uuid.New(), namespace, nil, i.clock.Now())
			require.Error(t, err)
		})
	}
}

func TestSystemToken(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	now := i.clock.Now()
	token, err := i.SystemToken(now)
	require.NoError(t, err)
	require.Equal(t, now.Add(5*time.Minute), token.ExpiredAt)
	claims := verify(t, i, token)
	require.Equal(t, "procession", claims["sub"])
	require.Equal(t, []any{"temporal-system:admin"}, claims["permissions"])
	require.InDelta(t, unix(token.ExpiredAt), claims["exp"], 0)
}

func TestJWKSShowsPublicKeysOnly(t *testing.T) {
	t.Parallel()
	i := newIssuance(t)
	keys := parseJWKS(t, i.Issuer).Keys
	require.Len(t, keys, 1)
	require.Equal(t, "sig", keys[0].Use)
	require.Equal(t, "ES256", keys[0].Algorithm)
	require.NotEmpty(t, keys[0].KeyID)
	require.True(t, keys[0].Valid())
	require.True(t, keys[0].IsPublic())
	require.IsType(t, (*ecdsa.PublicKey)(nil), keys[0].Key)
	require.NotContains(t, string(i.JWKS()), `"d"`)
}

func TestNewIssuerRefuses(t *testing.T) {
	t.Parallel()
	_, err := authn.NewIssuer(nil, "", authn.DefaultCertificateLifetime)
	require.Error(t, err)
	for _, lifetime := range []time.Duration{
		-time.Hour, 0, authn.MinCertificateLifetime - 1, authn.MaxCertificateLifetime + 1,
	} {
		_, err := authn.NewIssuer(nil, "procession", lifetime)
		require.Error(t, err, "%s", lifetime)
	}
}
