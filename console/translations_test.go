package console_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
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

const partlyTranslated = `
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: PARTLY, tenant: demo}
spec:
  name: Partly translated
  metadataSchema:
    type: object
    properties: {PURPOSE: {type: string, title: Purpose}, PLACE: {type: object, title: Place, properties: {CITY: {type: string, title: City}}}}
  items:
    - code: CHECK
      type: TASK
      name: Check
      form: true
      dataSchema:
        type: object
        properties: {NAME: {type: string, title: Name of the person}, NOTE: {type: string, title: Note}}
      uiSchema:
        type: VerticalLayout
        elements:
          - {type: Control, scope: "#/properties/NAME", options: {placeholder: Family name first}}
          - {type: Control, scope: "#/properties/NOTE"}
      contextDataSchema:
        type: object
        properties: {LIMIT: {type: number, title: Limit}, SINCE: {type: string, format: date, title: Since}}
      candidates: [{user: alice}]
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
  i18n:
    de: {PARTLY.name: Ähnlich, PURPOSE.label: Zweck, PLACE.CITY.label: Ort, NOTE.label: Bemerkung, LIMIT.label: Grenze}
`

// Texts without a German translation are English on a German page, and marked.
func TestTextsWithoutTranslationAreMarked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.applyManifests(partlyTranslated)
	caller := s.callerOf(demo.Alice())
	started, _, err := s.app.CreateProcess(t.Context(), caller, app.NewProcess{
		Definition: app.DefinitionKey{Code: "PARTLY"}, Subject: "Any subject", Metadata: json.RawMessage(`{"PURPOSE":"x","PLACE":{"CITY":"Bern"}}`),
	})
	require.NoError(t, err)
	task, _, err := s.app.CreateProcessItem(t.Context(), caller, app.NewItem{
		Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "CHECK", ContextData: json.RawMessage(`{"LIMIT":12345.5,"SINCE":"2026-01-31"}`),
	})
	require.NoError(t, err)
	s.assignTask(task.ID, demo.Alice())
	alice := s.signIn("Alice")
	alice.Cookie(s.url, &http.Cookie{Name: ui.LanguageCookie, Value: "de", Path: "/"})

	alice.openPath("processes/" + started.ID.String())
	alice.AwaitText("Zweck")
	require.Contains(t, texts(alice.Tab, ".facts dt"), "Ort")
	require.Contains(t, texts(alice.Tab, ".facts dt[lang=en]"), "Place")
	alice.openPath("tasks/" + task.ID.String())
	require.Equal(t, []string{"Grenze", "Since"}, texts(alice.Tab, ".task-context dt"))
	require.Equal(t, []string{"Since"}, texts(alice.Tab, ".task-context dt[lang=en]"))
	require.Equal(t, "12.345,5", alice.Text(".task-context dd"))
	require.Equal(t, "Name of the person", alice.Text("label[for=f-NAME][lang=en]"))
	require.Equal(t, 1, alice.Count(`#f-NAME[placeholder="Family name first"][lang=en]`))
	require.Equal(t, "Bemerkung", alice.Text("label[for=f-NOTE]:not([lang])"))
	s.requireAccessible(alice.Tab)

	// The names in the definitions have another order: Loan, Partly translated.
	loan := s.startLoan("Sorted")
	s.createTask(loan, "APPROVE_LOAN", `{}`)
	for path, list := range map[string]struct{ selector, name string }{
		"start":                     {".tile .row-title", "Ähnlich"},
		"processes":                 {"select[name=definition] option:not([value=''])", "Ähnlich"},
		"processes?sort=definition": {"[data-rows] .row-about", "Ähnlich"},
		"tasks?view=all&sort=name":  {".row-title", "Kredit genehmigen"},
	} {
		alice.openPath(path)
		shown := texts(alice.Tab, list.selector)
		require.Contains(t, shown, list.name, path)
		require.Greater(t, len(shown), 1)
		require.Equal(t, browsertest.Eval[[]string](alice.Tab, `[...document.querySelectorAll("`+list.selector+`")].map((e) => e.textContent.trim()).sort(new Intl.Collator("de", {numeric: true}).compare)`), shown)
	}
}

// texts returns the texts of the elements of a selector.
func texts(b *browsertest.Tab, selector string) []string {
	return browsertest.Eval[[]string](b, "[...document.querySelectorAll("+strconv.Quote(selector)+")].map(e => e.textContent.trim())")
}
