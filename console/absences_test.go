package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

func absenceOf(days int, substitute demo.Account) url.Values {
	now := time.Now().UTC()
	return url.Values{
		"tenant": {"demo"}, "from": {now.Format(time.DateOnly)}, "last": {now.AddDate(0, 0, days).Format(time.DateOnly)},
		"substitute": {" " + strings.ToUpper(substitute.Email)},
	}
}

// A person without a role plans an absence, which gives the substitute the tasks, and ends it. Others do not end it.
func TestPeoplePlanAndEndTheirOwnAbsences(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	task := s.createTask(s.startLoan("Loan of a person on holiday"), "APPROVE_LOAN", "")
	_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	bob, carol := s.clientWithToken(demo.Bob().Secret), s.clientWithToken(demo.Carol().Secret)
	page := func(browser *http.Client, path string) string {
		return string(s.sendRequest(browser, http.MethodGet, path, nil).body)
	}
	require.Contains(t, page(bob, "profile"), `href="/console/absences"`)
	require.Contains(t, page(bob, "absences"), "No absence is planned.")

	require.Equal(t, http.StatusSeeOther, s.sendRequest(bob, http.MethodPost, "absences", absenceOf(3, demo.Carol())).status)
	require.Contains(t, page(bob, "absences"), "Carol does your tasks")
	require.Contains(t, page(carol, "absences"), "You do the tasks of Bob")
	require.Contains(t, page(carol, "tasks?view=substituted"), "instead of Bob")

	end := regexp.MustCompile(`/console/(absences/demo/[^/"]+/end)`)
	require.False(t, end.MatchString(page(carol, "absences")), "only the absent person ends the absence")
	path := end.FindStringSubmatch(page(bob, "absences"))[1]
	require.Equal(t, http.StatusNotFound, s.sendRequest(carol, http.MethodPost, path, nil).status)
	require.Equal(t, http.StatusNotFound, s.sendRequest(bob, http.MethodPost, strings.Replace(path, "demo", "other", 1), nil).status)
	require.Equal(t, http.StatusSeeOther, s.sendRequest(bob, http.MethodPost, path, nil).status)
	require.Contains(t, page(bob, "absences"), "No absence is planned.")
	require.NotContains(t, page(carol, "tasks"), "instead of Bob")
}

func TestWrongOwnAbsencesChangeNothing(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	bob := s.clientWithToken(demo.Bob().Secret)
	require.Equal(t, http.StatusSeeOther, s.sendRequest(bob, http.MethodPost, "absences", absenceOf(0, demo.Carol())).status)
	changed := func(name, value string) url.Values {
		form := absenceOf(0, demo.Carol())
		form.Set(name, value)
		return form
	}
	for problem, form := range map[string]url.Values{
		"You have another absence at this time.":                               absenceOf(1, demo.Alice()),
		"The substitute must be another active user with this e-mail address.": changed("substitute", demo.Bob().Email),
		"active user": changed("substitute", "nobody@demo.example"),
		"The last day must not be before the first one": changed("last", "2020-01-01"),
		"and not in the past":                           changed("from", "tomorrow"),
	} {
		answer := s.sendRequest(bob, http.MethodPost, "absences", form)
		require.Equal(t, http.StatusUnprocessableEntity, answer.status, problem)
		require.Contains(t, string(answer.body), problem)
		require.Contains(t, string(answer.body), `value="`+form.Get("substitute"), "the input is kept")
	}
	require.Equal(t, http.StatusNotFound, s.sendRequest(bob, http.MethodPost, "absences", changed("tenant", "other")).status)
	require.Equal(t, 1, sql[int](s, `SELECT count(*) FROM absences WHERE principal_id = $1`, demo.Bob().ID))
}
