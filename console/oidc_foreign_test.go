package console_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

var foreignIssuer = flag.String("foreign-issuer", "", "folder in which npm has installed oidc-provider; by default the one of make compat, if it is there")

// foreign is an OpenID Connect provider of another author, oidc-provider of npm, and a site that trusts it.
type foreign struct {
	*site

	url   string
	clock *movedClock
	// trusted are its settings.
	trusted authn.OIDCIssuer
}

// newForeign starts a provider and a site. secret is the secret of the client, "" for a public client.
func newForeign(t *testing.T, secret string) *foreign {
	t.Helper()
	dir := *foreignIssuer
	if dir == "" {
		dir = "../.procession/compat/oidc"
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules/oidc-provider")); err != nil {
		if *foreignIssuer != "" {
			require.NoError(t, err)
		}
		t.Skip("needs oidc-provider, which make compat installs")
	}
	script, err := filepath.Abs("../test/compat/oidc-node/provider.mjs")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	f := &foreign{url: strings.TrimSpace(address), clock: &movedClock{}}
	f.trusted = authn.OIDCIssuer{
		Issuer: f.url, Audiences: []string{"the-api"}, Tenants: []string{authn.AllTenants}, ClientID: "console", GroupsClaim: "groups",
		Scopes: []string{"groups"},
	}
	if secret != "" {
		f.trusted.ClientSecretFile = filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(f.trusted.ClientSecretFile, []byte(secret), 0o600))
	}
	f.site = makeSiteAt(t, f.clock.currentTime, f.trusted)
	f.t = t
	f.letIn(f.url)
	f.set(map[string]any{"redirects": []string{f.callback()}, "secret": secret})
	return f
}

func (f *foreign) callback() string {
	return strings.TrimSuffix(f.site.url, web.Root) + f.trusted.Callback()
}

// set changes settings of the provider.
func (f *foreign) set(settings map[string]any) {
	f.t.Helper()
	body, err := json.Marshal(settings)
	require.NoError(f.t, err)
	answer, err := http.Post(f.url+"/control", "application/json", bytes.NewReader(body)) //nolint:forbidigo // a provider of tests
	require.NoError(f.t, err)
	require.NoError(f.t, answer.Body.Close())
	require.Equal(f.t, http.StatusOK, answer.StatusCode)
}

// visit follows redirects from an address of the provider until one leads to an address with a prefix, and returns that.
func (f *foreign) visit(browser *http.Client, at, until string) string {
	f.t.Helper()
	for range 10 {
		request, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, at, nil)
		require.NoError(f.t, err)
		answer, err := browser.Do(request)
		require.NoError(f.t, err)
		require.NoError(f.t, answer.Body.Close())
		to, err := answer.Location()
		require.NoError(f.t, err, "%s: %d", at, answer.StatusCode)
		if at = to.String(); strings.HasPrefix(at, until) {
			return at
		}
	}
	f.t.Fatalf("too many redirects, the last to %s", at)
	return ""
}

// signIn signs in at the provider after a change of the authorization request, and returns the answer of the console.
func (f *foreign) signIn(change func(url.Values)) (*http.Client, reply) {
	f.t.Helper()
	browser := f.clientWithToken("")
	began := f.sendRequest(browser, http.MethodPost, "sign-in/issuer", url.Values{"issuer": {f.url}})
	require.Equal(f.t, http.StatusOK, began.status, string(began.body))
	to, err := url.Parse(strings.TrimPrefix(began.header.Get("Refresh"), "0; url="))
	require.NoError(f.t, err)
	if change != nil {
		query := to.Query()
		change(query)
		to.RawQuery = query.Encode()
	}
	back := f.visit(browser, to.String(), f.site.url)
	return browser, f.sendRequest(browser, http.MethodGet, strings.TrimPrefix(back, f.site.url), nil)
}

// requireSignIn requires that a sign-in ends with a status, and with a text for a refusal.
func (f *foreign) requireSignIn(name string, status int, text string) {
	f.t.Helper()
	browser, answer := f.signIn(nil)
	require.Equal(f.t, status, answer.status, "%s: %s", name, answer.body)
	require.Contains(f.t, string(answer.body), text, name)
	f.requireSignedIn(browser, status == http.StatusSeeOther, name)
}

func claimsOf(name string, more map[string]any) map[string]any {
	claims := map[string]any{"sub": "of-" + name, "name": name, "email": name + "@demo.example", "email_verified": true}
	for claim, value := range more {
		claims[claim] = value
	}
	return claims
}

// People, and their groups, follow the claims of a foreign provider, wherever it has them.
func TestForeignIssuerSignsPeopleIn(t *testing.T) {
	t.Parallel()
	f := newForeign(t, "")
	const groupsOf = `SELECT coalesce(string_agg(g.code, ' '), '') FROM principals p
		JOIN group_members m ON m.principal_id = p.id JOIN groups g ON g.id = m.group_id WHERE p.email = $1`
	reviewers := []string{"others", "loan-reviewers"}
	for place, inToken := range map[string]bool{"nora": false, "nils": true} {
		f.set(map[string]any{"inToken": inToken})
		for _, c := range []struct {
			name   string
			groups any
			want   string
		}{
			{"an array", reviewers, "REVIEWERS"},
			{"no claim", nil, ""},
			{"a text", "loan-reviewers", "REVIEWERS"},
			{"an empty array", []string{}, ""},
			{"an object", map[string]any{"loan-reviewers": true}, ""},
		} {
			claims := claimsOf(place, nil)
			if c.groups != nil {
				claims["groups"] = c.groups
			}
			f.set(map[string]any{"claims": claims})
			f.requireSignIn(place+" with "+c.name, http.StatusSeeOther, "")
			require.Equal(t, c.want, sql[string](f.site, groupsOf, place+"@demo.example"), c.name)
		}
		require.Equal(t, place, sql[string](f.site, `SELECT name FROM principals WHERE email = $1`, place+"@demo.example"))

		const refused = "your account there does not get access here"
		f.set(map[string]any{"claims": claimsOf("eve", map[string]any{"email_verified": false})})
		f.requireSignIn("an address that is not verified", http.StatusUnauthorized, "")
		f.set(map[string]any{"claims": claimsOf("eve", map[string]any{"email": "eve@elsewhere.example"})})
		f.requireSignIn("a domain that is not allowed", http.StatusUnauthorized, refused)
		f.set(map[string]any{"claims": claimsOf("mallory", map[string]any{"email": place + "@demo.example"})})
		f.requireSignIn("the address of another subject", http.StatusUnauthorized, "")
	}
	require.Zero(t, sql[int](f.site, `SELECT count(*) FROM principals WHERE email LIKE 'eve@%'`))
}

// A sign-in through a foreign provider that differs from its begin in one respect is refused.
func TestForeignIssuerIsChecked(t *testing.T) {
	t.Parallel()
	f := newForeign(t, "")
	f.set(map[string]any{"claims": claimsOf("nora", nil)})
	for name, c := range map[string]struct {
		change func(url.Values)
		text   string
	}{
		"another nonce":     {func(q url.Values) { q.Set("nonce", "guessed") }, "begun in another browser"},
		"no nonce":          {func(q url.Values) { q.Del("nonce") }, "begun in another browser"},
		"another state":     {func(q url.Values) { q.Set("state", "guessed") }, "begun in another browser"},
		"another challenge": {func(q url.Values) { q.Set("code_challenge", strings.Repeat("a", 43)) }, "you have no access"},
	} {
		browser, answer := f.signIn(c.change)
		require.Equal(t, http.StatusUnauthorized, answer.status, name)
		require.Contains(t, string(answer.body), c.text, name)
		f.requireSignedIn(browser, false, name)
	}
	f.set(map[string]any{"deny": true})
	f.requireSignIn("a person who does not consent", http.StatusUnauthorized, "did not sign you in")
	f.set(map[string]any{"deny": false})
	f.requireSignIn("a good one", http.StatusSeeOther, "")

	f.set(map[string]any{"rotate": true})
	f.clock.advance(time.Minute)
	f.requireSignIn("a new key", http.StatusSeeOther, "")
	for _, algorithm := range []string{"ES256", "EdDSA"} {
		f.set(map[string]any{"algorithm": algorithm})
		f.clock.advance(time.Minute)
		f.requireSignIn(algorithm, http.StatusSeeOther, "")
	}
	f.set(map[string]any{"algorithm": "PS256"})
	f.requireSignIn("an algorithm that is not allowed", http.StatusUnauthorized, "you have no access")
}

// The secret of a confidential client is sent as RFC 6749, section 2.3.1, wants it.
func TestForeignIssuerKnowsTheClient(t *testing.T) {
	t.Parallel()
	f := newForeign(t, "a+b c:d%2F&")
	f.set(map[string]any{"claims": claimsOf("nora", nil)})
	f.requireSignIn("the secret", http.StatusSeeOther, "")
	require.NoError(t, os.WriteFile(f.trusted.ClientSecretFile, []byte("another"), 0o600))
	f.requireSignIn("another secret", http.StatusUnauthorized, "you have no access")
}

// The ID token of a foreign provider is a credential for its audience, until it expires.
func TestForeignIssuersTokensAreChecked(t *testing.T) {
	t.Parallel()
	f := newForeign(t, "")
	f.set(map[string]any{"claims": claimsOf("bob", nil), "inToken": true})
	config := oauth2.Config{
		ClientID: "console", RedirectURL: f.callback(), Scopes: []string{"openid", "email"},
		Endpoint: oauth2.Endpoint{AuthURL: f.url + "/auth", TokenURL: f.url + "/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	verifier := oauth2.GenerateVerifier()
	back, err := url.Parse(f.visit(f.clientWithToken(""), config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), f.site.url))
	require.NoError(t, err)
	issued, err := config.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	require.NoError(t, err)
	token, isText := issued.Extra("id_token").(string)
	require.True(t, isText)

	reason := func(token, audience string) domain.SignInReason {
		trusted := f.trusted
		trusted.Audiences = []string{audience}
		oidc, err := authn.NewOIDC(f.db, []authn.OIDCIssuer{trusted}, f.clock.currentTime)
		require.NoError(t, err)
		authenticator, err := authn.NewAuthenticator(f.db, f.clock.currentTime, authn.WithOIDC(oidc))
		require.NoError(t, err)
		_, err = authenticator.Authenticate(t.Context(), "Bearer "+token)
		if err == nil {
			return ""
		}
		var denial *domain.SignInError
		require.ErrorAs(t, err, &denial)
		return denial.Reason
	}
	require.Empty(t, reason(token, "console"))
	require.Equal(t, domain.SignInWrongAudience, reason(token, "the-api"))
	parts := strings.Split(token, ".")
	require.Equal(t, domain.SignInBadSignature, reason(parts[0]+"."+parts[1]+"."+strings.Repeat("A", len(parts[2])), "console"))
	f.clock.advance(time.Hour)
	require.Equal(t, domain.SignInExpired, reason(token, "console"))
	f.clock.advance(-time.Hour)
	f.set(map[string]any{"rotate": true})
	require.Equal(t, domain.SignInBadSignature, reason(token, "console"), "its key is withdrawn")
}
