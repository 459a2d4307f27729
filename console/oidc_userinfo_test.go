package console_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// Claims that the ID token lacks are read from the UserInfo endpoint, and no others.
func TestSignInReadsUserInfo(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Bob())
	trusted.GroupsClaim = "groups"
	s := makeSite(t, trusted)
	s.t = t
	s.letIn(issuer.URL())
	person := oidctest.Members{
		"sub": "nora", "name": "Nora", "email": "nora@demo.example", "email_verified": true, "groups": []string{"loan-reviewers"},
	}
	fails := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "overloaded", http.StatusInternalServerError)
	}
	const groupsOf = `SELECT coalesce(string_agg(g.code, ' '), '') FROM principals p
		LEFT JOIN group_members m ON m.principal_id = p.id LEFT JOIN groups g ON g.id = m.group_id WHERE p.email = $1`
	for _, c := range []struct {
		name          string
		token, info   oidctest.Members
		instead       http.HandlerFunc
		status        int
		email, groups string
	}{
		{"nothing in the token", oidctest.Members{"sub": "nora"}, person, nil, 303, "nora@demo.example", "REVIEWERS"},
		{"no groups at all", oidctest.Members{"sub": "nora"}, person.Without("groups"), nil, 303, "nora@demo.example", ""},
		{"groups in the answer", person.Without("groups"), person, nil, 303, "nora@demo.example", "REVIEWERS"},
		{"an answer about another", oidctest.Members{"sub": "nora"}, person.With(oidctest.Members{"sub": "bob"}), nil, 401, "", ""},
		{"an answer without a subject", oidctest.Members{"sub": "nora"}, person.Without("sub"), nil, 401, "", ""},
		{"no answer about groups", person.Without("groups"), person, fails, 503, "nora@demo.example", "REVIEWERS"},
		{"all in the token", person, person, fails, 303, "nora@demo.example", "REVIEWERS"},
		{"groups in the token", person, person.With(oidctest.Members{"groups": []string{}}), nil, 303, "nora@demo.example", "REVIEWERS"},
		{
			"an address that the token does not verify", person.With(oidctest.Members{"sub": "eve", "email": "eve@demo.example", "email_verified": false}),
			person.With(oidctest.Members{"sub": "eve", "email": "eve@demo.example"}), nil, 401, "eve@demo.example", "",
		},
		{
			"a verification of another address", person.With(oidctest.Members{"sub": "eve", "email": "eve@demo.example"}).Without("email_verified"),
			oidctest.Members{"sub": "eve", "email_verified": true},
			nil, 401, "eve@demo.example", "",
		},
	} {
		issuer.Resume()
		issuer.SetUser(c.token)
		issuer.SetUserInfo(c.info)
		if c.instead != nil {
			issuer.Answer(oidctest.UserInfoPath, c.instead)
		}
		browser := s.clientWithToken("")
		answer := s.sendRequest(browser, http.MethodGet, s.followRedirects(browser, s.beginSignIn(browser, issuer)), nil)
		require.Equal(t, c.status, answer.status, "%s: %s", c.name, answer.body)
		s.requireSignedIn(browser, c.status == http.StatusSeeOther, c.name)
		if c.email != "" {
			require.Equal(t, c.groups, sql[string](s, groupsOf, c.email), c.name)
		}
	}
}

// People whom the service knows get in while the UserInfo endpoint does not answer, unless their groups depend on it.
func TestKnownPeopleSignInWithoutUserInfo(t *testing.T) {
	t.Parallel()
	issuer, trusted := newIssuer(t, "Example staff", demo.Bob())
	s := makeSite(t, trusted)
	s.t = t
	signIn := func() reply {
		browser := s.clientWithToken("")
		return s.sendRequest(browser, http.MethodGet, s.followRedirects(browser, s.beginSignIn(browser, issuer)), url.Values{})
	}
	issuer.SetUserInfo(oidctest.Members{"sub": "of-bob", "email": demo.Bob().Email, "email_verified": true})
	issuer.SetUser(oidctest.Members{"sub": "of-bob"})
	issuer.Answer(oidctest.UserInfoPath, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusForbidden) })
	require.Equal(t, http.StatusServiceUnavailable, signIn().status, "the address is unknown")
	issuer.Resume()
	require.Equal(t, http.StatusSeeOther, signIn().status)
	issuer.Answer(oidctest.UserInfoPath, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusForbidden) })
	require.Equal(t, http.StatusSeeOther, signIn().status, "the subject is known")
}
