package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/authn"
)

// issuersIn returns the issuers that "config print" shows.
func issuersIn(t *testing.T, args ...string) []authn.OIDCIssuer {
	t.Helper()
	var c struct {
		Issuers []authn.OIDCIssuer `yaml:"oidc-issuers"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(printed(t, append([]string{"config", "print"}, args...)...)), &c))
	return c.Issuers
}

func TestOIDCIssuersFromEveryPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
oidc-issuers:
  - issuer: https://of-the-file.example/realms/demo
    audiences: [procession, other]
    jwks-url: https://keys.example/jwks
    algorithms: [ES256]
    clock-skew: 0s
    email-claim: upn
    token-type: at+jwt
    tenants: [demo]
    operators: true
  - issuer: http://127.0.0.1:1/
    audiences: [procession]
    email-domains: [Example.com]
`), 0o600))
	skew := func(d time.Duration) *time.Duration { return &d }
	all := []string{"RS256", "ES256", "EdDSA"}
	require.Empty(t, issuersIn(t))
	require.Equal(t, []authn.OIDCIssuer{
		{
			Issuer: "https://of-the-file.example/realms/demo", Audiences: []string{"procession", "other"},
			JWKSURL: "https://keys.example/jwks", Algorithms: []string{"ES256"}, ClockSkew: skew(0), EmailClaim: "upn", TokenType: "at+jwt",
			Tenants: []string{"demo"}, Operators: true,
		},
		{
			Issuer: "http://127.0.0.1:1/", Audiences: []string{"procession"}, Algorithms: all,
			ClockSkew: skew(30 * time.Second), EmailClaim: "email", TokenType: "any", EmailDomains: []string{"Example.com"},
		},
	}, issuersIn(t, "--config", file))

	t.Setenv("PROCESSION_OIDC_ISSUERS", `[{"issuer":"https://of-the-environment.example","audiences":["a"],"clock-skew":"2m"}]`)
	fromEnvironment := authn.OIDCIssuer{
		Issuer: "https://of-the-environment.example", Audiences: []string{"a"}, Algorithms: all,
		ClockSkew: skew(2 * time.Minute), EmailClaim: "email", TokenType: "any",
	}
	require.Equal(t, []authn.OIDCIssuer{fromEnvironment}, issuersIn(t, "--config", file), "the environment wins over the file")

	got := issuersIn(t, "--config", file, "--oidc-issuers", `[{"issuer":"https://of-the-flag.example","audiences":["a"]}]`)
	require.Len(t, got, 1, "a flag wins over the environment")
	require.Equal(t, "https://of-the-flag.example", got[0].Issuer)

	t.Setenv("PROCESSION_OIDC_ISSUERS", "[]")
	require.Empty(t, issuersIn(t, "--config", file), "none in the environment win too")
}

func TestBadOIDCIssuersNameTheSetting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, complaint string }{
		"not a list":        {`{"issuer":"https://a.example"}`, "list of issuers"},
		"unknown member":    {`[{"issuer":"https://a.example","audiences":["a"],"secret":"x"}]`, "secret"},
		"no issuer":         {`[{"audiences":["a"]}]`, "issuer must be"},
		"no audience":       {`[{"issuer":"https://a.example"}]`, "audiences must"},
		"an empty audience": {`[{"issuer":"https://a.example","audiences":["a",""]}]`, "audiences must"},
		"http":              {`[{"issuer":"http://a.example","audiences":["a"]}]`, "issuer must be an https URL"},
		"keys over http":    {`[{"issuer":"https://a.example","audiences":["a"],"jwks-url":"http://a.example"}]`, "jwks-url must be"},
		"alg none":          {`[{"issuer":"https://a.example","audiences":["a"],"algorithms":["none"]}]`, "algorithms must be of"},
		"alg HS256":         {`[{"issuer":"https://a.example","audiences":["a"],"algorithms":["RS256","HS256"]}]`, "algorithms must be of"},
		"no tenant":         {`[{"issuer":"https://a.example","audiences":["a"],"tenants":["a","*"]}]`, "tenants must be"},
		"no domain":         {`[{"issuer":"https://a.example","audiences":["a"],"email-domains":["@a"]}]`, "email-domains must be"},
		"several, one for anyone": {`[{"issuer":"https://a.example","audiences":["a"],"tenants":["a"]},` +
			`{"issuer":"https://b.example","audiences":["a"]}]`, "there are several issuers"},
		"another token type": {`[{"issuer":"https://a.example","audiences":["a"],"token-type":"id"}]`, "token-type must be any or at+jwt"},
		"one redirect URI for two": {`[{"issuer":"https://a.example/b","audiences":["a"],"tenants":["a"]},` +
			`{"issuer":"https://a.example/B/","audiences":["a"],"tenants":["a"]}]`, "same redirect URI"},
		"much skew":       {`[{"issuer":"https://a.example","audiences":["a"],"clock-skew":"2m1s"}]`, "clock-skew must be"},
		"negative skew":   {`[{"issuer":"https://a.example","audiences":["a"],"clock-skew":"-1s"}]`, "clock-skew must be"},
		"skew of no unit": {`[{"issuer":"https://a.example","audiences":["a"],"clock-skew":"soon"}]`, "list of issuers"},
		"twice": {
			`[{"issuer":"https://a.example","audiences":["a"]},{"issuer":"https://a.example","audiences":["b"]}]`, "listed twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), []string{"config", "print", "--oidc-issuers", c.text}, &bytes.Buffer{}, &bytes.Buffer{})
			require.Error(t, err)
			require.Equal(t, exitUsage, exitCode(err))
			require.ErrorContains(t, err, "oidc-issuers")
			require.ErrorContains(t, err, c.complaint)
		})
	}
}

func TestOIDCIssuersOfTheEnvironmentNameTheSetting(t *testing.T) {
	t.Setenv("PROCESSION_OIDC_ISSUERS", "https://a.example")
	err := run(t.Context(), []string{"config", "print"}, &bytes.Buffer{}, &bytes.Buffer{})
	require.Equal(t, exitUsage, exitCode(err))
	require.ErrorContains(t, err, "oidc-issuers")
}

func TestTheEngineIssuerIsNoOIDCIssuer(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{
		"config", "print", "--issuer", "https://a.example", "--oidc-issuers", `[{"issuer":"https://a.example","audiences":["temporal"]}]`,
	}, &bytes.Buffer{}, &bytes.Buffer{})
	require.ErrorContains(t, err, "--issuer of engine tokens")
}
