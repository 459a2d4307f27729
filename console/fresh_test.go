package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// freshness states for every form of the console whether it needs a sign-in of the last 10 minutes. Forms that
// issue secrets, revoke secrets of others or change rights need it. The word after "rights" forms depends on their content.
const freshness = `
sign-in                                             no
sign-in/issuer                                      no
sign-in/again                                       no
sign-out                                            no
preferences                                         no
profile                                             no
sessions/end-others                                 no
sessions/:id/end                                    no
notifications/read                                  no
notifications/mails                                 no
unsubscribe/:token                                  no
notifications/:id                                   no
tokens/confirm                                        no
tokens/:id/revoke                                     no
absences                                            no
absences/:tenant/:code/end                          no
tasks/assign                                        no
tasks/delegate                                      no
tasks/claim                                         no
tasks/release                                       no
tasks/complete                                      no
tasks/:id/planning                                  no
tasks/:id/assistance                                no
tasks/:id/assistance/accept                         no
tasks/:id/form                                      no
tasks/:id/form/files                                no
tasks/:id/form/items                                no
tasks/:id/form/json                                 no
start/:id/form                                      no
start/:id/form/files                                no
start/:id/form/items                                no
start/:id/form/json                                 no
processes/:id/messages                              no
processes/:id/threads                               no
processes/:id/runs/:run/cancel                      no
processes/:id/act/:code                             no
processes/:id/finish/:how                           no
processes/:id/act/:code/form                        no
processes/:id/act/:code/form/files                  no
processes/:id/act/:code/form/items                  no
processes/:id/act/:code/form/json                   no
processes/:id/edit/form                             no
processes/:id/edit/form/files                       no
processes/:id/edit/form/items                       no
processes/:id/edit/form/json                        no
processes/:id/messages/:code/form                   no
processes/:id/messages/:code/form/files             no
processes/:id/messages/:code/form/items             no
processes/:id/messages/:code/form/json              no
processes/:id/repair/:kind                          no
processes/:id/repair-value/:value/form              no
processes/:id/repair-value/:value/form/files        no
processes/:id/repair-value/:value/form/items        no
processes/:id/repair-value/:value/form/json         no
artifacts/:id/runs/:run/cancel                      no
artifacts/:id/act/:code                             no
artifacts/:id/form                                  no
artifacts/:id/form/files                            no
artifacts/:id/form/items                            no
artifacts/:id/form/json                             no
artifacts/:id/act/:code/form                        no
artifacts/:id/act/:code/form/files                  no
artifacts/:id/act/:code/form/items                  no
artifacts/:id/act/:code/form/json                   no
artifacts/new/:id/form                              no
artifacts/new/:id/form/files                        no
artifacts/new/:id/form/items                        no
artifacts/new/:id/form/json                         no
incidents/retry                                     no
incidents/dismiss                                   no
incidents/acknowledge                               no
incidents/mute                                      no
incidents/unmute                                    no
incidents/assign                                    no
incidents/comment                                   no
bulk/new                                            no
bulk/:id/start                                      no
bulk/:id/stop                                       no
receivers/test                                      no
webhooks/ping                                       no
webhooks/pause                                      no
webhooks/resume                                     no
webhooks/enable                                     no
webhooks/rotate                                     yes
webhooks/replay                                     no
webhooks/deliveries/:id/replay                      no
definitions/check                                   no
definitions/apply                                   rights
people/:tenant/:kind/:code/disable                  yes
people/:tenant/:kind/:code/delete                   yes
people/unowned                                      yes
people/:tenant/:kind/:code/secrets                  yes
people/:tenant/:kind/:code/secrets/:id/revoke       yes
people/:tenant/:kind/:code/access                   yes
people/:tenant/:kind/:code/sessions/end             no
people/:tenant/:kind/:code/files                    no
people/:tenant/:kind/:code/files/delete             no
people/:tenant/:kind/:code/variables                yes
`

// staleClient returns a browser that was signed in 11 minutes ago.
func (s *site) staleClient(user demo.Account) *http.Client {
	s.t.Helper()
	browser := s.clientWithToken(user.Secret)
	s.ageSession(user)
	return browser
}

// ageSession makes the sign-in of the last session of a user 11 minutes old.
func (s *site) ageSession(user demo.Account) {
	s.t.Helper()
	sql[string](s, `UPDATE console_sessions SET authenticated_at = now() - interval '11 minutes'
		WHERE id = (SELECT id FROM console_sessions WHERE principal_id = $1 ORDER BY created_at DESC LIMIT 1) RETURNING id::text`, user.ID)
}

// asksForSignIn reports whether an answer is the page for a fresh sign-in.
func (r reply) asksForSignIn() bool {
	return r.status == http.StatusForbidden && strings.Contains(string(r.body), `id="confirm"`)
}

func TestFormsThatNeedAFreshSignIn(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	needs := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(freshness)) {
		fields := strings.Fields(line)
		needs[fields[0]] = fields[1]
	}
	for _, name := range console.RouteNames() {
		method, path, _ := strings.Cut(name, " ")
		if method != http.MethodPost {
			continue
		}
		need, listed := needs[path]
		require.True(t, listed, "say of %s whether it needs a fresh sign-in", path)
		delete(needs, path)
		at := strings.NewReplacer(":tenant", "demo", ":kind", "User", ":code", "carol", ":id", uuid.NewString(), ":run", uuid.NewString(), ":how", "cancel").Replace(path)
		require.Equal(t, need == "yes", s.sendRequest(s.staleClient(demo.Alice()), method, at, url.Values{"name": {"x"}}).asksForSignIn(), path)
	}
	require.Empty(t, needs, "these are no forms")
}

func TestManifestsThatChangeRightsNeedAFreshSignIn(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	const head = "apiVersion: procession/v1\nkind: Group\nmetadata: {code: FRESH, tenant: demo}\nspec:\n  name: "
	apply := func(browser *http.Client, text string) reply {
		return s.sendRequest(browser, http.MethodPost, "definitions/apply", url.Values{"text": {text}})
	}
	member := head + "Fresh\n  members: [{user: bob}]\n"
	require.Equal(t, http.StatusSeeOther, apply(s.staleClient(demo.Alice()), head+"Fresh\n").status, "a new group without members")
	require.Equal(t, http.StatusSeeOther, apply(s.staleClient(demo.Alice()), head+"Another name\n").status, "another name")
	require.Equal(t, http.StatusBadRequest, apply(s.staleClient(demo.Alice()), "not a manifest").status)

	alice := s.staleClient(demo.Alice())
	challenge := apply(alice, member)
	require.True(t, challenge.asksForSignIn(), "a member")
	require.Contains(t, string(challenge.body), "members: [{user: bob}]", "the input is kept")
	require.Zero(t, sql[int](s, `SELECT count(*) FROM group_members m JOIN groups g ON g.id = m.group_id WHERE g.code = 'FRESH'`))

	wrong := s.sendRequest(alice, http.MethodPost, "sign-in/again?to=/console/definitions/apply", url.Values{"text": {member}, "sign-in-token": {demo.Bob().Secret}})
	require.Equal(t, http.StatusUnauthorized, wrong.status, "the token of another user")
	require.Contains(t, string(wrong.body), "members: [{user: bob}]")
	require.NotContains(t, string(wrong.body), demo.Bob().Secret)
	require.True(t, apply(alice, member).asksForSignIn())

	right := s.sendRequest(alice, http.MethodPost, "sign-in/again?to=/console/definitions/apply", url.Values{"text": {member}, "sign-in-token": {demo.Alice().Secret}})
	require.Equal(t, http.StatusTemporaryRedirect, right.status)
	require.Equal(t, "/console/definitions/apply", right.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, apply(alice, member).status)
	for _, to := range []string{"https://attacker.example/", "//attacker.example", "/v2024-06-14/tenants"} {
		again := s.sendRequest(alice, http.MethodPost, "sign-in/again?to="+url.QueryEscape(to), url.Values{"sign-in-token": {demo.Alice().Secret}})
		require.Equal(t, web.Root, again.header.Get("Location"), to)
	}
}

func TestFreshSignInWithATokenContinues(t *testing.T) {
	t.Parallel()
	clock := &movedClock{}
	s := makeSiteAt(t, clock.currentTime)
	s.t = t
	alice := s.signIn("Alice")
	clock.advance(11 * time.Minute)
	alice.openPath("people/demo/User/carol")
	alice.Type("form[action$=secrets] [name=name]", "Quarterly")
	alice.Click("form[action$=secrets] button[type=submit]")
	alice.AwaitText("Your input is kept")
	alice.RequireAccessible()
	alice.requireFit()
	alice.Type("#token", demo.Alice().Secret+"\r")
	alice.AwaitText("Quarterly")
	alice.Await(`document.querySelector("[data-copy]") !== null`)
}

func TestFreshSignInThroughAnIssuer(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Alice())
	alice := oidctest.Members{"sub": "Alice-at-issuer", "email": demo.Alice().Email, "email_verified": true}
	s := makeSite(t, trusted)
	s.t = t
	browser := s.clientWithToken("")
	s.sendRequest(browser, http.MethodGet, s.followRedirects(browser, s.beginSignIn(browser, issuer)), nil)
	s.ageSession(demo.Alice())
	issue := func() reply {
		return s.sendRequest(browser, http.MethodPost, "people/demo/User/carol/secrets", url.Values{"name": {uuid.NewString()[:8]}})
	}
	again := func() reply {
		answer := s.sendRequest(browser, http.MethodPost, "sign-in/issuer", url.Values{"issuer": {issuer.URL()}, "again": {"true"}})
		to, err := url.Parse(strings.TrimPrefix(answer.header.Get("Refresh"), "0; url="))
		require.NoError(t, err)
		require.Equal(t, "0", to.Query().Get("max_age"))
		return s.sendRequest(browser, http.MethodGet, s.followRedirects(browser, to), nil)
	}
	require.True(t, issue().asksForSignIn())
	for name, claims := range map[string]oidctest.Members{
		"another user":              {"sub": "Bob-at-issuer", "email": demo.Bob().Email, "email_verified": true},
		"authenticated long ago":    alice.With(oidctest.Members{"auth_time": time.Now().Add(-11 * time.Minute).Unix()}),
		"no time of authentication": alice.With(oidctest.Members{"auth_time": nil}),
	} {
		issuer.SetUser(claims)
		require.Equal(t, http.StatusUnauthorized, again().status, name)
		require.True(t, issue().asksForSignIn(), name)
	}
	issuer.SetUser(alice)
	require.Contains(t, string(again().body), "You have signed in again")
	require.Equal(t, http.StatusOK, issue().status)
}

func TestFreshSignInThroughAnIssuerContinues(t *testing.T) {
	t.Parallel()
	clock := &movedClock{}
	issuer, trusted := newIssuer(t, "Example staff", demo.Alice())
	issuer.SetClock(clock.currentTime)
	s := makeSiteAt(t, clock.currentTime, trusted)
	s.t = t
	b := s.openBrowser()
	b.Click("form[action$=issuer] button")
	b.AwaitPath(web.Root)
	clock.advance(11 * time.Minute)
	b.Open(s.url + "people/demo/User/carol")
	b.Type("form[action$=secrets] [name=name]", "Quarterly")
	b.Click("form[action$=secrets] button[type=submit]")
	b.AwaitText("in a new tab")
	b.RequireAccessible()
	b.Click("form[action$=issuer] button")
	b.AwaitText("Quarterly")
}
