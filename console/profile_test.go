package console_test

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	bob := s.signIn("Bob")
	bob.openPath("profile")
	bob.Await(`document.querySelectorAll("#profile-zones option").length > 300`)
	bob.Set("#profile-locale", "de-CH")
	bob.Type("#profile-zone", "Asia/Kathmandu")
	bob.Click(".profile-form button")
	bob.AwaitText("The profile is saved.")
	bob.AwaitText("GMT+5:45")
	bob.AwaitText("-1’234’567.89")
	require.Contains(t, browsertest.Eval[string](bob.Tab, `document.querySelector("#profile-zone").value`), "Asia/Kathmandu")

	bob.openPath("sessions")
	require.Contains(t, browsertest.Eval[string](bob.Tab, `document.querySelector("time").title`), "GMT+5:45")
}

func TestProfileIsOfTheUserInAllBrowsers(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	first, second := s.clientWithToken(demo.Bob().Secret), s.clientWithToken(demo.Bob().Secret)
	other := s.clientWithToken(demo.Alice().Secret)
	shows := func(browser *http.Client, text string) bool {
		return strings.Contains(html.UnescapeString(string(s.sendRequest(browser, http.MethodGet, "profile", nil).body)), text)
	}
	for _, browser := range []*http.Client{second, other} {
		require.True(t, shows(browser, "-1,234,567.89"))
	}
	answer := s.sendRequest(first, http.MethodPost, "profile", url.Values{"locale": {"de"}, "zone": {" Pacific/Apia\u200e"}})
	require.Equal(t, http.StatusSeeOther, answer.status)
	require.True(t, shows(second, "-1.234.567,89"))
	require.True(t, shows(second, "GMT+13"))
	require.True(t, shows(other, "-1,234,567.89"))

	for _, wrong := range []url.Values{
		{"locale": {"tlh"}}, {"locale": {"DE"}}, {"zone": {"Europe/Nowhere"}}, {"zone": {"Local"}}, {"zone": {"../../etc/passwd"}}, {"zone": {"<b>"}},
	} {
		answer := s.sendRequest(first, http.MethodPost, "profile", wrong)
		require.Equal(t, http.StatusUnprocessableEntity, answer.status, wrong)
		require.Contains(t, string(answer.body), `role="alert"`, wrong)
		require.NotContains(t, string(answer.body), "<b>", wrong)
	}
	require.True(t, shows(second, "-1.234.567,89"))

	require.Equal(t, http.StatusSeeOther, s.sendRequest(first, http.MethodPost, "profile", nil).status)
	require.True(t, shows(second, "-1,234,567.89"))
}
