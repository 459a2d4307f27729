package console_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/test/kit/browsertest"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// newIssuer starts an issuer that signs in a demo user, and returns it with its settings.
func newIssuer(t *testing.T, name string, user demo.Account) (*oidctest.Issuer, authn.OIDCIssuer) {
	t.Helper()
	issuer := oidctest.NewIssuer(t, oidctest.NewKey(t, "ES256", "es"))
	issuer.SetUser(oidctest.Members{"sub": user.Name + "-at-issuer", "email": user.Email, "email_verified": true})
	return issuer, authn.OIDCIssuer{
		Issuer: issuer.URL(), Audiences: []string{"procession"}, Tenants: []string{authn.AllTenants}, Operators: true,
		Name: name, ClientID: "console",
	}
}

func TestSignInThroughAnIssuer(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Bob())
	issuer.RequireSecret("of the client")
	trusted.ClientSecretFile = filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(trusted.ClientSecretFile, []byte("of the client\n"), 0o600))
	s := makeSite(t, trusted)
	s.t = t
	const button = "form[action$=issuer] button"

	b := s.openBrowser()
	b.Open(s.url + "sign-in?return=%2Fconsole%2Fsessions")
	b.AwaitText("Continue with Example staff")
	b.Click(button)
	b.AwaitPath(web.Root + "sessions")
	b.AwaitText("Bob")

	issuer.SetUser(oidctest.Members{"sub": "unknown", "email": "unknown@demo.example", "email_verified": true})
	unknown := s.openBrowser()
	unknown.Click(button)
	unknown.AwaitText("the response of the identity provider is not valid here, or you have no access")
}

// letIn maps a value of the groups claim of an issuer to REVIEWERS, and creates people with addresses of demo.example.
func (s *site) letIn(issuer string) {
	s.t.Helper()
	owner := demo.Alice()
	call := domain.Call{Caller: domain.Caller{
		PrincipalID: owner.ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Role: domain.RoleOwner}},
	}}
	found, err := s.administration.RetrieveResource(s.t.Context(), call, resource.Key{Tenant: "demo", Kind: resource.KindTenant, Code: "demo"})
	require.NoError(s.t, err)
	spec, ok := found.Spec.(*resource.TenantSpec)
	require.True(s.t, ok)
	spec.Provisioning = &resource.ProvisioningSpec{SignIn: []resource.SignInRule{{
		Issuer: issuer, Groups: []resource.ClaimMapping{{Value: "loan-reviewers", Group: "REVIEWERS"}},
		Create: &resource.SignInCreation{EmailDomains: []string{"demo.example"}},
	}}}
	text, err := json.Marshal(found.Document)
	require.NoError(s.t, err)
	_, err = s.administration.ApplyResources(s.t.Context(), call, administration.ApplyRequest{Documents: []json.RawMessage{text}})
	require.NoError(s.t, err)
}

func TestSignInFollowsTheGroupsClaim(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Bob())
	trusted.GroupsClaim, trusted.Scopes = "groups", []string{"groups"}
	s := makeSite(t, trusted)
	s.t = t
	s.letIn(issuer.URL())

	const button = "form[action$=issuer] button"
	signIn := func(claims oidctest.Members) *browsertest.Tab {
		claims["email_verified"] = true
		issuer.SetUser(claims)
		b := s.openBrowser()
		b.Open(s.url + "sign-in?return=%2Fconsole%2Fsessions")
		b.Click(button)
		return b
	}
	nora := oidctest.Members{"sub": "nora", "email": "nora@demo.example", "name": "Nora", "groups": []string{"loan-reviewers", "others"}}
	signIn(nora).AwaitText("Nora")
	alice := s.signIn("Alice")
	alice.openPath("people?kind=User&source=SIGN_IN")
	alice.AwaitText("nora@demo.example")
	alice.openPath("people/demo/User/nora")
	alice.AwaitText("Source: Sign-in")
	alice.AwaitText("by sign-in")
	alice.openPath("people?kind=User&group=REVIEWERS")
	alice.AwaitText("nora@demo.example")

	delete(nora, "groups")
	signIn(nora).AwaitText("Nora")
	alice.openPath("people/demo/User/nora")
	alice.AwaitText("In no group.")

	signIn(oidctest.Members{"sub": "guest", "email": "guest@elsewhere.example"}).AwaitText("your account there does not get access here")
}

// beginSignIn starts a sign-in through an issuer in a browser, and returns the address at the issuer.
func (s *site) beginSignIn(browser *http.Client, issuer *oidctest.Issuer) *url.URL {
	s.t.Helper()
	answer := s.sendRequest(browser, http.MethodPost, "sign-in/issuer", url.Values{"issuer": {issuer.URL()}})
	require.Equal(s.t, http.StatusOK, answer.status)
	to, err := url.Parse(strings.TrimPrefix(answer.header.Get("Refresh"), "0; url="))
	require.NoError(s.t, err)
	return to
}

// followRedirects returns the path and query of the redirect at an address.
func (s *site) followRedirects(browser *http.Client, at *url.URL) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, at.String(), nil)
	require.NoError(s.t, err)
	answer, err := browser.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	require.Equal(s.t, http.StatusFound, answer.StatusCode)
	to := answer.Header.Get("Location")
	require.True(s.t, strings.HasPrefix(to, s.url), to)
	return strings.TrimPrefix(to, s.url)
}

// A party that runs one of the issuers sends its visitors on to another one, with the state, nonce and
// challenge of a sign-in of its own there, and would redeem their codes (RFC 9700, section 4.4).
func TestSignInThroughOneIssuerIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	honest, trusted := newIssuer(t, "Honest", demo.Alice())
	attacker, other := newIssuer(t, "Attacker", demo.Carol())
	s := makeSite(t, trusted, other)
	s.t = t
	for name, namesItself := range map[string]bool{"without iss": false, "with iss": true} {
		if namesItself {
			honest.NameItself()
		}
		browser, victim := s.clientWithToken(""), s.clientWithToken("")
		own, started := s.beginSignIn(browser, honest), s.beginSignIn(victim, attacker)
		require.NotEqual(t, own.Query().Get("redirect_uri"), started.Query().Get("redirect_uri"), name)

		// The attacker redirects the victim to the honest issuer, which sends browsers to its own redirect
		// URI only. One that names itself may be careless about that.
		backs := []string{own.Query().Get("redirect_uri")}
		if namesItself {
			backs = append(backs, started.Query().Get("redirect_uri"))
		}
		for _, back := range backs {
			sent := *own
			query := own.Query()
			query.Set("redirect_uri", back)
			query.Set("state", started.Query().Get("state"))
			sent.RawQuery = query.Encode()
			require.Equal(t, http.StatusUnauthorized, s.sendRequest(victim, http.MethodGet, s.followRedirects(victim, &sent), nil).status, name)
			require.Zero(t, attacker.Requests(oidctest.TokenPath), "%s: the code is not given to the attacker", name)
		}
		s.requireSignedIn(victim, false, name)
	}
}

func TestAuthorizationResponsesAreChecked(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Names itself", demo.Bob())
	issuer.NameItself()
	s := makeSite(t, trusted)
	s.t = t
	for name, c := range map[string]struct {
		change func(url.Values)
		text   string
	}{
		"another state":      {func(q url.Values) { q.Set("state", "guessed") }, "begun in another browser"},
		"no state":           {func(q url.Values) { q.Del("state") }, "begun in another browser"},
		"another issuer":     {func(q url.Values) { q.Set("iss", "https://attacker.example") }, "begun in another browser"},
		"an issuer twice":    {func(q url.Values) { q.Add("iss", issuer.URL()) }, "begun in another browser"},
		"no issuer":          {func(q url.Values) { q.Del("iss") }, "begun in another browser"},
		"an error":           {func(q url.Values) { q.Set("error", "access_denied") }, "did not sign you in"},
		"an error elsewhere": {func(q url.Values) { q.Set("error", "x"); q.Del("iss") }, "begun in another browser"},
		"another code":       {func(q url.Values) { q.Set("code", "guessed") }, "you have no access"},
	} {
		browser := s.clientWithToken("")
		path, query, _ := strings.Cut(s.followRedirects(browser, s.beginSignIn(browser, issuer)), "?")
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		c.change(values)
		answer := s.sendRequest(browser, http.MethodGet, path+"?"+values.Encode(), nil)
		require.Equal(t, http.StatusUnauthorized, answer.status, name)
		require.Contains(t, string(answer.body), c.text, name)
		s.requireSignedIn(browser, false, name)
	}
	stranger := s.sendRequest(s.clientWithToken(""), http.MethodGet, "sign-in/callback/x?state=x&code=y", nil)
	require.Contains(t, string(stranger.body), "begun in another browser")
	require.Equal(t, http.StatusNotFound, s.sendRequest(s.clientWithToken(""), http.MethodGet, "sign-in/issuer?issuer="+issuer.URL(), nil).status,
		"a link starts no sign-in")
}

func TestSignInKeepsLongReturnPathsOut(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Bob())
	s := makeSite(t, trusted)
	s.t = t
	for name, c := range map[string]struct{ back, want string }{
		"short":           {"/console/tasks?view=mine", "/console/tasks?view=mine"},
		"long":            {"/console/tasks?q=" + strings.Repeat("a", 6000), web.Root},
		"long by quoting": {"/console/tasks?q=" + strings.Repeat(`"&<`, 900), web.Root},
	} {
		browser := s.clientWithToken("")
		answer := s.sendRequest(browser, http.MethodPost, "sign-in/issuer", url.Values{"issuer": {issuer.URL()}, "return": {c.back}})
		require.Len(t, answer.cookies, 1, name)
		require.LessOrEqual(t, len(answer.cookies[0].String()), 4096, name)
		to, err := url.Parse(strings.TrimPrefix(answer.header.Get("Refresh"), "0; url="))
		require.NoError(t, err)
		require.Equal(t, c.want, s.sendRequest(browser, http.MethodGet, s.followRedirects(browser, to), nil).header.Get("Location"), name)
	}
}

func TestCookiesAreSmall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	long := strings.Repeat("x", 6000)
	answer := s.sendRequest(s.clientWithToken(""), http.MethodPost, "preferences", url.Values{
		"language": {long}, "theme": {long}, "keys": {long}, "return": {"/console/" + long},
	})
	require.NotEmpty(t, answer.cookies)
	for _, cookie := range answer.cookies {
		require.Less(t, len(cookie.String()), 200, cookie.Name)
	}
}

// An issuer that accepts connections and is silent holds no visitor longer than the visitor waits, and is
// asked once for all.
func TestSignInThroughASilentIssuer(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Silent", demo.Bob())
	requests, end := make(chan struct{}, 100), make(chan struct{})
	t.Cleanup(func() { close(end) })
	issuer.Answer(oidctest.MetadataPath, func(http.ResponseWriter, *http.Request) {
		requests <- struct{}{}
		<-end
	})
	s := makeSite(t, trusted)
	s.t = t
	ctx, leave := context.WithCancel(t.Context())
	var visitors sync.WaitGroup
	for range 40 {
		visitors.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"sign-in/issuer?", strings.NewReader("issuer="+url.QueryEscape(issuer.URL())))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if answer, err := new(http.Client).Do(r); err == nil {
				_ = answer.Body.Close()
			}
		})
	}
	<-requests
	started := time.Now()
	leave()
	visitors.Wait()
	require.Less(t, time.Since(started), 5*time.Second)
	require.Empty(t, requests, "one request serves all")
}
