package api_test

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// federation is a service that trusts OpenID Connect issuers.
type federation struct {
	*apitest.Service

	world oidctest.World
	log   *bytes.Buffer
}

func newFederation(t *testing.T) *federation {
	t.Helper()
	f := &federation{log: &bytes.Buffer{}}
	var options api.Options
	f.Service = apitest.NewService(t, func(o *api.Options) { options = *o })
	f.world = oidctest.World{
		Issuer: oidctest.NewIssuer(t, append([]oidctest.Key{
			oidctest.NewKey(t, "RS256", "rs"), oidctest.NewKey(t, "ES256", "es"), oidctest.NewKey(t, "EdDSA", "ed"),
		}, oidctest.UnfitKeys(t)...)...),
		Other:    oidctest.NewIssuer(t, oidctest.NewKey(t, "RS256", "other")),
		Audience: "procession", Now: f.Now(),
		Subject: "the-subject", Email: demo.Alice().Email,
		Unlinked: "unlinked-k@demo.example", Disabled: "disabled@demo.example",
	}
	conn := f.Connect()
	_, err := conn.Exec(t.Context(), `
INSERT INTO principals (id, type, name, email, created_at, disabled_at)
VALUES ($1, 'USER', 'Unlinked', $2, now(), NULL), ($3, 'USER', 'Disabled', $4, now(), now())`,
		uuid.New(), f.world.Unlinked, uuid.New(), f.world.Disabled)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))

	oidc, err := authn.NewOIDC(f.DB, []authn.OIDCIssuer{
		{Issuer: f.world.Issuer.URL(), Audiences: []string{f.world.Audience}, Tenants: []string{authn.AllTenants}},
		{Issuer: f.world.Other.URL(), Audiences: []string{f.world.Audience}, Tenants: []string{authn.AllTenants}},
	}, f.Now)
	require.NoError(t, err)
	options.Authenticator, err = authn.NewAuthenticator(f.DB, f.Now, authn.WithOIDC(oidc))
	require.NoError(t, err)
	options.Log = slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	handler := apitest.Handler(t, options)
	f.Client = contracttest.Client(contracttest.InProcess(handler), slices.Collect(maps.Values(apitest.Contracts))...)
	return f
}

// present sends a request with a token instead of the credentials of the account.
func (f *federation) present(token, method, path, body string) apitest.Answer {
	f.T.Helper()
	r := apitest.Request(f.T, demo.Alice(), method, path, body)
	r.Header["Authorization"] = []string{"Bearer " + token}
	return f.Send(r)
}

func TestOIDCTokenIsAsGoodAsAnAccessToken(t *testing.T) {
	t.Parallel()
	f := newFederation(t)
	want := f.Get(200, demo.Alice(), "/tenants")
	for _, algorithm := range []string{"RS256", "ES256", "EdDSA"} {
		got := f.present(f.world.Issuer.Key(algorithm).Token(f.world.Claims()), http.MethodGet, "/tenants", "")
		require.Equal(t, 200, got.Status, "%s: %s", algorithm, got.Body)
		require.Equal(t, want.Body, got.Body)
	}
}

// With OAuth 2.0 a caller names the tenant even if it has only one
// (specification section 5, rule 3).
func TestOIDCEngineAccessNeedsTenant(t *testing.T) {
	t.Parallel()
	f := newFederation(t)
	token := f.world.Issuer.Key("ES256").Token(f.world.Claims())
	f.Refused(403, "ACCESS_DENIED", demo.Alice(), http.MethodPost, "/authentications", `{"type":"ENGINE_TOKEN"}`)

	got := f.present(token, http.MethodPost, "/authentications", `{"type":"ENGINE_TOKEN"}`)
	require.Equal(t, 400, got.Status, got.Body)
	failure := apitest.Decode[contracttest.ErrorBody](t, got)
	require.Equal(t, "/tenantId", failure.Errors[0].Location)
	require.Equal(t, "VALIDATION", failure.Errors[0].Code)

	got = f.present(token, http.MethodPost, "/authentications",
		`{"type":"ENGINE_TOKEN","tenantId":"`+demo.TenantDemo().String()+`"}`)
	require.Equal(t, 403, got.Status, got.Body)
	require.Equal(t, "ACCESS_DENIED", apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Code, "people are no workers")
}

// Every defect of a token gets the same answer as missing credentials.
func TestBadOIDCTokensGetOneAnswer(t *testing.T) {
	t.Parallel()
	f := newFederation(t)
	good := f.world.Issuer.Key("ES256").Token(f.world.Claims())
	require.Equal(t, 200, f.present(good, http.MethodGet, "/tenants", "").Status)
	anonymous := apitest.Request(t, demo.Alice(), http.MethodGet, "/tenants", "")
	anonymous.Header.Del("Authorization")
	want := f.Send(anonymous)
	requireChallenge(t, want)

	before := f.Snapshot()
	bad := oidctest.BadTokens()
	require.GreaterOrEqual(t, len(bad), 45)
	for _, b := range bad {
		token := b.Token(f.world)
		got := f.present(token, http.MethodGet, "/tenants", "")
		require.Equal(t, 401, got.Status, "%s: %s", b.Name, got.Body)
		require.Equal(t, want.Timeless(), got.Timeless(), b.Name)
		require.Equal(t, want.Header.Values("WWW-Authenticate"), got.Header.Values("WWW-Authenticate"), b.Name)
		f.requireUnseen(t, token, got.Body)
	}
	require.Equal(t, before, f.Snapshot())
}

// requireUnseen requires that no part of a token is in the log or in the
// answer.
func (f *federation) requireUnseen(t *testing.T, token, body string) {
	t.Helper()
	for part := range strings.SplitSeq(token, ".") {
		if len(part) > 10 {
			require.NotContains(t, f.log.String(), part)
			require.NotContains(t, body, part)
		}
	}
}

func TestOIDCIssuerThatIsDown(t *testing.T) {
	t.Parallel()
	f := newFederation(t)
	token := f.world.Issuer.Key("ES256").Token(f.world.Claims())
	f.world.Issuer.Stop()
	got := f.present(token, http.MethodGet, "/tenants", "")
	require.Equal(t, 503, got.Status, got.Body)
	require.NotEmpty(t, got.Header.Get("Retry-After"))
	require.Equal(t, "UNAVAILABLE", apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Code)
	require.Contains(t, f.log.String(), f.world.Issuer.URL(), "the operator learns which one")
	require.NotContains(t, got.Body, f.world.Issuer.URL(), "the caller does not")
	f.requireUnseen(t, token, got.Body)
	f.Get(200, demo.Alice(), "/tenants")
}
