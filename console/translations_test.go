package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestDefinitionsInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	task := s.createTask(s.startLoan("Loan in German"), "APPROVE_LOAN", `{"FIRST_NAME":"Ada","LAST_NAME":"Example"}`)
	bob := s.signIn("Bob")

	// The profile changes the language of the definitions; the page stays English and marks them.
	bob.openPath("profile")
	bob.Set("#profile-locale", "de")
	bob.Click(".profile-form button")
	bob.AwaitText("The profile is saved.")
	bob.openPath("tasks?q=genehmigen")
	bob.AwaitText("Kredit genehmigen")
	require.Equal(t, "de", browsertest.Eval[string](bob.Tab, `document.querySelector(".row-title [lang]").lang`))

	bob.Cookie(s.url, &http.Cookie{Name: ui.LanguageCookie, Value: "de", Path: "/"})
	bob.openPath("tasks?q=genehmigen")
	bob.AwaitText("Kredit genehmigen")
	require.Zero(t, bob.Count(".row-title [lang]"))
	bob.Click(".row-link")
	bob.Click("form[action$=claim] button")
	bob.AwaitText("Vorname")
	bob.AwaitText("Abgelehnt")
	bob.Click("[data-complete]")
	bob.AwaitText("Genehmigung ist erforderlich.")
	bob.Type(`[name="v/AMOUNT"]`, "viel")
	bob.AwaitText("Bitte geben Sie einen Betrag wie 1250,50 ein.")
	bob.openPath("processes")
	bob.Await(`document.querySelector("select[name=definition]").textContent.includes("Kredit")`)
	require.NotNil(t, task)

	carol := s.signIn("Carol")
	carol.Cookie(s.url, &http.Cookie{Name: ui.LanguageCookie, Value: "de", Path: "/"})
	carol.openPath("start")
	carol.AwaitText("Kredit")
	carol.Click(".tile a")
	carol.AwaitText("Nachname")
	carol.requireFit()
}

func TestDefinitionShowsItsLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	alice := s.signIn("Alice")
	alice.openPath("definitions/demo/ProcessDefinition/LOAN")
	require.Contains(t, alice.Text("section[aria-labelledby=languages]"), "100 %")
	require.Contains(t, alice.Text("section[aria-labelledby=languages]"), "German")
	alice.openPath("definitions/demo/ProcessDefinition/LOAN/edit?form=APPROVE_LOAN")
	alice.Set("select[name=language]", "de")
	alice.AwaitText("Genehmigung")
}
