package console_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/browsertest"
)

// hostile is a text that would be markup and a formula, if texts were not escaped.
const hostile = `=<img src=x onerror="document.title='broken'">'"&amp;<script>document.title='broken'</script>`

// loanOf starts a loan of Carol's for a person.
func (s *site) loanOf(subject, firstName, lastName string) string {
	s.t.Helper()
	definition := demo.Loan()
	metadata, err := json.Marshal(map[string]string{"FIRST_NAME": firstName, "LAST_NAME": lastName})
	require.NoError(s.t, err)
	started, _, err := s.app.CreateProcess(s.t.Context(), s.caller(demo.Carol()), app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition}, Subject: subject, Metadata: metadata,
	})
	require.NoError(s.t, err)
	return started.ID.String()
}

// fetch returns what the tab's browser gets from a path.
func (p *person) fetch(path string) string {
	p.s.t.Helper()
	return browsertest.Eval[string](p.Tab, "fetch("+quoted(p.s.url+path)+").then((r) => r.text())")
}

func quoted(text string) string {
	js, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(js)
}

// requireFit shows that the page is accessible in light and dark, and no wider than a
// phone.
func (p *person) requireFit() {
	p.s.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(scheme)
		p.Await("document.documentElement.dataset.bsTheme === " + quoted(scheme))
		p.RequireAccessible()
	}
	p.Size(320, 700)
	p.RequireNoSidewaysScroll()
	require.NotEqual(p.s.t, "broken", browsertest.Eval[string](p.Tab, "document.title"), "a text became markup")
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.loanOf("Listed loan "+hostile, hostile, "Listington")
	s.loanOf("Listed loan of another", "Ann", "Listington-Smythe")
	definition := demo.Loan().String()

	t.Run("are found by subject, value, person, state and id", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		for path, found := range map[string]string{
			"processes?q=listington":                                        "2 in all",
			"processes?q=LISTINGTON-SM":                                     "1 in all",
			"processes?q=" + id:                                             "1 in all",
			"processes?by=me&q=listed+loan":                                 "2 in all",
			"processes?state=COMPLETED&q=listington":                        "No process matches",
			"processes?definition=" + definition + "&f.LAST_NAME=smythe":    "1 in all",
			"processes?definition=" + definition + "&q=listington&page=900": "2 in all",
		} {
			carol.open(path)
			carol.AwaitText(found)
		}
		carol.open("processes?definition=" + definition + "&q=listington")
		carol.AwaitText("Last name")
		carol.AwaitText(hostile)
		carol.requireFit()
	})
	t.Run("are exported as a table", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		table := carol.fetch("processes.csv?definition=" + definition + "&q=listington&sort=subject")
		require.Contains(t, table, "id,Subject,Process,State,Started by,Open tasks,Started,Changed,FIRST_NAME,LAST_NAME\n"+id+",\"Listed loan =<img")
		require.Contains(t, table, `,"'=<img src=x onerror`, "a value is not a formula")
		require.Contains(t, table, "Ann,Listington-Smythe\n")
	})
	t.Run("of others are not listed", func(t *testing.T) {
		t.Parallel()
		bob := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Bob")
		bob.open("processes?q=listington")
		bob.AwaitText("No process matches")
	})
}
