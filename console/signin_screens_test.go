package console_test

import (
	"fmt"
	"net/http"
	"path/filepath"
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
)

// browserNames are the user agents of other browsers that a user is signed in with.
func browserNames() []string {
	return []string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"a-client-that-names-itself-by-one-very-long-word-" + hostile,
	}
}

// issueToken issues a token that acts as Alice, as Bob or in her own name.
func (s *site) issueToken(by demo.Account, name string, expires *time.Time) {
	s.t.Helper()
	issuer := domain.Call{Caller: domain.Caller{PrincipalID: by.ID, Type: domain.PrincipalUser, Operator: true}}
	_, err := s.administration.IssueSecret(s.t.Context(), issuer, administration.ResourceKey{Tenant: "demo", Kind: resource.KindUser, Code: "alice"},
		administration.NewSecret{Name: name, ExpiresAt: expires})
	require.NoError(s.t, err)
}

// takeScreenshots requires that the page in a browser is accessible and fits on a phone, and takes pictures of it.
func (s *site) takeScreenshots(b *browsertest.Tab, name string) {
	s.t.Helper()
	require.NotEqual(s.t, " · Procession", browsertest.Eval[string](b, "document.title"), name)
	for _, size := range []int64{320, 375, 1280} {
		b.Size(size, 800)
		b.RequireNoSidewaysScroll()
		if *screenshots != "" {
			b.Screenshot(filepath.Join(*screenshots, fmt.Sprintf("%s-%d.png", name, size)))
		}
	}
	b.RequireAccessible()
}

// Every screen about signing in, sessions and tokens, in both languages and schemes.
func TestSignInScreensAreAccessibleAndFit(t *testing.T) {
	t.Parallel()
	for language, scheme := range map[string]string{"en": "light", "de": "dark"} {
		t.Run(language+" "+scheme, func(t *testing.T) {
			t.Parallel()
			clock := &movedClock{}
			issuer, trusted := newIssuer(t, "Example staff", demo.Alice())
			issuer.SetClock(clock.currentTime)
			partners, other := newIssuer(t, "Partners of the Example Corporation and its subsidiaries", demo.Carol())
			s := makeSiteAt(t, clock.currentTime, trusted, other)
			s.t = t
			for _, browser := range browserNames() {
				s.sendRequest(s.clientWithToken(""), http.MethodPost, "sign-in", map[string][]string{"token": {demo.Alice().Secret}}, "User-Agent", browser)
			}
			visitor := func() *browsertest.Tab {
				b := s.openBrowser()
				b.Eval(`document.cookie = "procession-language=` + language + `; Path=/console/"`)
				b.Scheme(scheme)
				b.Open(s.url + "sign-in")
				return b
			}
			look := func(b *browsertest.Tab, name string) { s.takeScreenshots(b, name+"-"+language) }
			s.lookAtSignIn(visitor(), partners.URL(), look)
			s.lookAtSessions(visitor(), look)
			s.lookAtFreshSignIns(visitor, clock, look)
		})
	}
}

// lookAtSignIn looks at the pages of a visitor who signs in.
func (s *site) lookAtSignIn(b *browsertest.Tab, issuer string, look func(*browsertest.Tab, string)) {
	s.t.Helper()
	look(b, "sign-in")
	b.Type("#token", "wrong\r")
	b.Await(`document.querySelector(".alert-danger")`)
	look(b, "sign-in-refused")
	// Without the header of its answer the page stays.
	b.Eval(`fetch("/console/sign-in/issuer", {method: "POST", body: new URLSearchParams({issuer: "` + issuer + `"})})
		.then((answer) => answer.text()).then((page) => { document.querySelector("main").innerHTML =
			new DOMParser().parseFromString(page, "text/html").querySelector("main").innerHTML })`)
	b.Await(`document.querySelector("main a.btn-primary")`)
	look(b, "onward")
}

// lookAtSessions looks at the sessions and tokens of Alice.
func (s *site) lookAtSessions(b *browsertest.Tab, look func(*browsertest.Tab, string)) {
	s.t.Helper()
	b.Click("form[action$=issuer] button")
	b.AwaitPath(web.Root)
	end := time.Now().AddDate(0, 3, 0)
	s.issueToken(demo.Alice(), "Reports", &end)
	b.Open(s.url + "tokens")
	look(b, "tokens-own")
	s.issueToken(demo.Bob(), "Import from the system that was there before", nil)
	for name, path := range map[string]string{
		"home-notice": "", "tokens": "tokens", "sessions": "sessions", "person": "people/demo/User/alice", "person-signed-out": "people/demo/User/bob",
	} {
		b.Open(s.url + path)
		b.AwaitContent()
		look(b, name)
	}
	b.Open(s.url + "sessions")
	b.Click("form[action$=end-others] button")
	b.Await(`document.querySelectorAll(".session").length === 1`)
	look(b, "sessions-one")
}

// lookAtFreshSignIns looks at the pages on which Alice and Carol sign in again.
func (s *site) lookAtFreshSignIns(visitor func() *browsertest.Tab, clock *movedClock, look func(*browsertest.Tab, string)) {
	s.t.Helper()
	ask := func(b *browsertest.Tab) {
		clock.advance(authn.DefaultSignInMaxAge + time.Minute)
		b.Open(s.url + "people/demo/User/carol")
		b.Type("form[action$=secrets] [name=name]", "Quarterly")
		b.Click("form[action$=secrets] button[type=submit]")
		b.Await(`document.querySelector("#confirm")`)
	}
	b := visitor()
	b.Click("form[action$=issuer] button")
	b.AwaitPath(web.Root)
	ask(b)
	look(b, "again-issuer")
	b.Eval(`document.querySelector("form[action$=issuer]").removeAttribute("target")`)
	b.Click("form[action$=issuer] button")
	b.Await(`document.querySelector("[data-signed-in-again]")`)
	look(b, "signed-in-again")
	staff := b

	b = visitor()
	b.Click("[data-user=Alice]")
	b.AwaitPath(web.Root)
	ask(b)
	look(b, "again-demo")
	require.Equal(s.t, web.Root+"people/demo/User/carol", browsertest.Eval[string](b, `document.querySelector("[name=return]").value`),
		"another language does not lead to the path of a form")
	b.Type("#token", "wrong\r")
	b.Await(`document.querySelector(".alert-danger")`)
	look(b, "again-refused")

	sql[int](s, `WITH gone AS (DELETE FROM credentials WHERE principal_id = $1 RETURNING id) SELECT count(*) FROM gone`, demo.Alice().ID)
	staff.Open(s.url + "tokens")
	staff.Await(`document.querySelector(".empty-state")`)
	look(staff, "tokens-none")
}
