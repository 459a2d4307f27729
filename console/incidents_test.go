package console_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// An incident is acknowledged, assigned, muted, commented on and dismissed with the keyboard, alone and together with the others
// of its cause.
func TestIncidentsAreHandled(t *testing.T) { //nolint:funlen // one visit with all actions
	t.Parallel()
	s := makeSite(t)
	s.t = t
	loan := s.startLoan("Loan of two failures")
	incident := s.createIncident(loan, "loan 1 has no amount")
	other := s.createIncident(s.startLoan("Another loan"), "loan 2 has no amount")
	column := func(id uuid.UUID, name string) string {
		t.Helper()
		return sql[string](s, `SELECT coalesce(`+name+`::text, '') FROM incidents WHERE id = $1`, id)
	}
	alice := s.signInByKeyboard("Alice")
	path := "incidents/" + incident.String()
	alice.openPath(path)
	alice.RequireAccessible()
	press := func(selector string) {
		t.Helper()
		alice.tabTo(selector)
		alice.Press(kb.Enter)
	}

	press("button[formaction$=acknowledge]")
	alice.AwaitText("acknowledged by Alice")
	require.Zero(t, alice.Count("button[formaction$=acknowledge]"))
	require.Empty(t, column(other, "acknowledged_at"))

	press("button[value=me]")
	alice.Await(`document.querySelector("button[value=nobody]")`)
	require.Equal(t, demo.Alice().ID.String(), column(incident, "assignee_id"))
	alice.writeText(".handle-incident [name=email]", "nobody@example.com")
	press("form[action$='/assign'] button")
	alice.AwaitText("is not an owner or administrator of the tenant")
	alice.RequireAccessible()
	require.Equal(t, demo.Alice().ID.String(), column(incident, "assignee_id"))
	press("button[value=nobody]")
	alice.Await(`!document.querySelector("button[value=nobody]")`)
	require.Empty(t, column(incident, "assignee_id"))

	// A mute lasts for some hours or until a time, and may include the cause.
	until := time.Now().Add(36 * time.Hour).Truncate(time.Minute)
	alice.Set("[name=until]", until.In(time.UTC).Format("2006-01-02T15:04"))
	alice.tabTo("form[action$='/mute'] [name=all]")
	alice.Press(" ")
	alice.Click("form[action$='/mute'] button")
	alice.AwaitText("Muted until")
	alice.RequireAccessible()
	for _, id := range []uuid.UUID{incident, other} {
		require.WithinDuration(t, until, sql[time.Time](s, `SELECT muted_until FROM incidents WHERE id = $1`, id), 24*time.Hour)
	}
	press("button[formaction$=unmute]")
	alice.Await(`!document.querySelector("button[formaction$=unmute]")`)
	require.Empty(t, column(incident, "muted_until"))
	require.NotEmpty(t, column(other, "muted_until"))
	alice.Set("[name=until]", "2020-01-01T00:00")
	alice.Click("form[action$='/mute'] button")
	alice.Await(`document.querySelector("[role=alert]")`)

	alice.openPath(path)
	alice.writeText("textarea[name=text]", "The register answers again at noon.")
	press("form[action$=comment] button")
	alice.AwaitText("The register answers again at noon.")
	alice.look("incident-handled")

	require.Equal(t, 1, alice.Count("a[href^='/console/processes/"+loan.String()+"/engine?step=']"))
	press("a[href*='/engine?step=']")
	alice.AwaitText("Waits for the activity Transfer")
	alice.openPath(path)
	press("form[action$=dismiss] button")
	alice.AwaitText("Dismissed")
	require.Zero(t, alice.Count(".handle-incident"), "a closed incident has its comments only")
	require.Equal(t, 1, alice.Count("form[action$=comment]"))
	alice.RequireAccessible()

	s.requireHandledByCause(alice)
}

// requireHandledByCause requires that the list acts on all incidents of a cause.
func (s *site) requireHandledByCause(alice *person) {
	press := func(selector string) {
		alice.tabTo(selector)
		alice.Press(kb.Enter)
	}
	t := s.t
	s.createIncident(s.startLoan("A third loan"), "loan 3 has no amount")
	alice.openPath("incidents")
	press(".cause button[formaction$=acknowledge]")
	alice.Await(`document.querySelectorAll(".rows .row-about").length > 0 && document.body.innerText.split("acknowledged by Alice").length === 3`)
	require.Equal(t, 2, sql[int](s, `SELECT count(*)::int FROM incidents WHERE state = 'OPEN' AND acknowledged_at IS NOT NULL`))
	press(".cause button[value=me]")
	alice.Await(`document.querySelector("#chosen").innerText.split("Alice").length === 5`)
	alice.look("incidents-handled")
}
