package console_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// hostile is a text that would be markup and a formula, if texts were not escaped.
const hostile = `=<img src=x onerror="document.title='broken'">'"&amp;<script>document.title='broken'</script>`

// loanOf starts a loan of Carol's for a person.
func (s *site) loanOf(subject, firstName, lastName string) string {
	s.t.Helper()
	definition := demo.Loan()
	metadata, err := json.Marshal(map[string]string{"FIRST_NAME": firstName, "LAST_NAME": lastName})
	require.NoError(s.t, err)
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Carol()), app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition}, Subject: subject, Metadata: metadata,
	})
	require.NoError(s.t, err)
	return started.ID.String()
}

// signInWithoutScript is signIn in a browser that runs no scripts.
func (s *site) signInWithoutScript(name string) *person {
	s.t.Helper()
	p := &person{browsertest.New(s.t), s}
	p.Scripts(false)
	p.enterCredentials(name)
	return p
}

// fetchText fetches a path in the browser's tab.
func (p *person) fetchText(path string) string {
	p.s.t.Helper()
	return browsertest.Eval[string](p.Tab, "fetch("+quoteText(p.s.url+path)+").then((r) => r.text())")
}

func quoteText(text string) string {
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
	p.s.requireAccessible(p.Tab)
	p.Size(320, 700)
	p.RequireNoSidewaysScroll()
	require.NotEqual(p.s.t, "broken", browsertest.Eval[string](p.Tab, "document.title"), "a text became markup")
}

// requireAccessible shows that the page in a browser is accessible in both schemes, and leaves the light one.
func (s *site) requireAccessible(b *browsertest.Tab) {
	s.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		b.Scheme(scheme)
		b.Await("document.documentElement.dataset.bsTheme === " + quoteText(scheme))
		b.RequireAccessible()
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := s.loanOf("Listed loan "+hostile, hostile, "Listed-name")
	s.loanOf("Listed loan of another", "Given-1", "Listed-name-2")
	definition := demo.Loan().String()

	t.Run("are found by subject, value, person, state and id", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		for path, found := range map[string]string{
			"processes?q=listed-name":                                        "2 in all",
			"processes?q=LISTED-NAME-2":                                      "1 in all",
			"processes?q=" + id:                                              "1 in all",
			"processes?by=me&q=listed+loan":                                  "2 in all",
			"processes?state=COMPLETED&q=listed-name":                        "No process matches",
			"processes?definition=" + definition + "&f.LAST_NAME=name-2":     "1 in all",
			"processes?definition=" + definition + "&q=listed-name&page=900": "2 in all",
		} {
			carol.openPath(path)
			carol.AwaitText(found)
		}
		carol.openPath("processes?definition=" + definition + "&q=listed-name")
		carol.AwaitText("Last name")
		carol.AwaitText(hostile)
		carol.requireFit()
	})
	t.Run("are exported as a table", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		table := carol.fetchText("processes.csv?definition=" + definition + "&q=listed-name&sort=subject")
		require.Contains(t, table, "id,Subject,Process,State,Condition,Started by,Open tasks,Started,Changed,FIRST_NAME,LAST_NAME\r\n"+id+",\"Listed loan =<img")
		require.Contains(t, table, `,"'=<img src=x onerror`, "a value is not a formula")
		require.Contains(t, table, "Given-1,Listed-name-2\r\n")
	})
	t.Run("of others are not listed", func(t *testing.T) {
		t.Parallel()
		bob := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Bob")
		bob.openPath("processes?q=listed-name")
		bob.AwaitText("No process matches")
	})
}

func TestProcess(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	s := newSite(t)
	share := func(t *testing.T) *site { t.Helper(); return &site{t: t, url: s.url, db: s.db, app: s.app} }

	t.Run("shows what happens while it is looked at", func(t *testing.T) {
		t.Parallel()
		s := share(t)
		id := uuid.MustParse(s.loanOf("Followed", "Live", "Shown"))
		alice := s.signIn("Alice")
		alice.openPath("processes/" + id.String())
		alice.AwaitText("started by Carol")
		alice.Click(".columns .copy")
		alice.Await(`document.querySelector(".columns .copy.done")`)
		s.createTask(id, "APPROVE_LOAN", "")
		alice.AwaitText("1 open task")
		_, err := s.app.CancelProcess(t.Context(), s.callerOf(demo.Alice()), id)
		require.NoError(t, err)
		alice.Await(`/Cancel/.test(document.querySelector("#process-state").textContent)`)
	})
	t.Run("is shown with all that belongs to it", func(t *testing.T) {
		t.Parallel()
		s := share(t)
		id := s.loanOf("Loan "+hostile, hostile, "Shown")
		task := s.createTask(uuid.MustParse(id), "APPROVE_LOAN", "")
		_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		_, _, err = s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{
			Type: domain.ItemMessage, ProcessID: uuid.MustParse(id), Text: hostile,
		})
		require.NoError(t, err)
		document, err := s.app.UploadProcessDocument(t.Context(), s.callerOf(demo.Alice()), uuid.MustParse(id), storage.File{
			Name: hostile + ".txt", ContentType: "text/html", Body: strings.NewReader(hostile),
		})
		require.NoError(t, err)
		alice := s.signIn("Alice")
		for tab, texts := range map[string][]string{
			"":           {hostile, "Shown", "started by Carol", "1 open task", id},
			"/items":     {"Approve the loan", "with Bob", hostile},
			"/timeline":  {"Bob claimed “Approve the loan”", "Carol started the process", "Alice wrote a message", "Alice uploaded a document"},
			"/messages":  {hostile},
			"/documents": {"txt", "by Alice"},
			"/related":   {"There are no related processes"},
			"/runs":      {"No action has been used yet"},
		} {
			alice.openPath("processes/" + id + tab)
			for _, text := range texts {
				alice.AwaitText(text)
			}
			alice.Size(1280, 800)
			alice.requireFit()
		}
		alice.openPath("processes/" + id + "/documents")
		answer := browsertest.Eval[[]string](alice.Tab, `fetch(document.querySelector("a[download]").href).then(async (r) => [
			await r.text(), r.headers.get("content-disposition"), r.headers.get("x-content-type-options"), r.headers.get("content-security-policy")])`)
		require.Equal(t, hostile, answer[0])
		require.Contains(t, answer[1], "attachment")
		require.Equal(t, []string{"nosniff", "default-src 'none'; sandbox"}, answer[2:])
		require.NotEmpty(t, document.ID)
	})
	t.Run("is cancelled after the dialog said what happens", func(t *testing.T) {
		t.Parallel()
		s := share(t)
		id := s.startLoan("Loan to cancel")
		s.createTask(id, "APPROVE_LOAN", "")
		s.createTask(id, "LOAN_APPLICATION", "")
		alice := s.signIn("Alice")
		alice.openPath("processes/" + id.String())
		alice.Click("a[href$='finish/cancel']")
		alice.AwaitText("2 open tasks will be cancelled.")
		alice.Click("form[action$='finish/cancel'] button")
		alice.AwaitText("Cancelled")
		alice.AwaitPath(web.Root + "processes/" + id.String())
		require.Zero(t, alice.Count("a[href$='finish/cancel']"))
	})
	t.Run("carries messages into threads", func(t *testing.T) {
		t.Parallel()
		s := share(t)
		id := s.startLoan("Loan to discuss")
		alice := s.signIn("Alice")
		alice.openPath("processes/" + id.String() + "/messages")
		alice.Type("textarea[name=text]", "First word")
		alice.Click(".message-form button")
		alice.AwaitText("Alice")
		alice.Click("form[action$=threads] button")
		alice.AwaitText("opened by Alice")
		alice.Type(".conversation:nth-of-type(2) textarea", "In the thread")
		alice.Click(".conversation:nth-of-type(2) button")
		alice.Await(`[...document.querySelectorAll(".conversation")].at(1).innerText.includes("In the thread")`)
	})
}

// Each kind of user action works from the drop-down of a process.
func TestProcessActions(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	shared := newSite(t)
	act := func(t *testing.T, code string, scripts bool) (*site, uuid.UUID, *person) {
		t.Helper()
		s := &site{t: t, url: shared.url, db: shared.db, app: shared.app}
		id := s.startLoan("Loan for " + code)
		signIn := s.signIn
		if !scripts {
			signIn = s.signInWithoutScript
		}
		alice := signIn("Alice")
		alice.openPath("processes/" + id.String())
		alice.Click("details.actions-menu > summary")
		alice.Click("[href$='act/" + code + "'], [action$='act/" + code + "'] button")
		return s, id, alice
	}
	t.Run("that makes a file", func(t *testing.T) {
		t.Parallel()
		s, id, alice := act(t, "REPORT", true)
		alice.AwaitText("The file is being created")
		runs, err := s.app.FindProcessActions(t.Context(), s.callerOf(demo.Alice()), id, domain.PageRequest{Size: 5}, nil)
		require.NoError(t, err)
		require.Len(t, runs.Items, 1)
		content := "%PDF " + hostile + "\x00\xff"
		_, _, err = s.app.UploadProcessActionDocument(t.Context(), s.callerOf(demo.LoanWorker()), id, runs.Items[0].ID, storage.File{
			Name: "report.pdf", ContentType: "application/pdf", Body: strings.NewReader(content),
		})
		require.NoError(t, err)
		alice.AwaitText("Download the file")
		sum := browsertest.Eval[string](alice.Tab, `fetch(document.querySelector("#run-file").href).then((r) => r.arrayBuffer())
			.then((bytes) => crypto.subtle.digest("SHA-256", bytes)).then((d) => [...new Uint8Array(d)].map((b) => b.toString(16).padStart(2, "0")).join(""))`)
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(content))), sum)
	})
	t.Run("that runs in the background", func(t *testing.T) {
		t.Parallel()
		_, _, alice := act(t, "NUDGE", false)
		alice.AwaitText("This runs in the background")
		alice.Click("form[action$='/cancel'] button")
		alice.AwaitText("Cancelled")
	})
	t.Run("that starts a related process", func(t *testing.T) {
		t.Parallel()
		_, id, alice := act(t, "TOP_UP", true)
		alice.Type("#f-metadata-FIRST_5fNAME", "Given-1")
		alice.Click("[data-complete]")
		alice.AwaitText("Given-1")
		alice.AwaitText("started by Alice")
		alice.Click("a.tab[href$=related]")
		alice.AwaitText("it started this process")
		alice.Await(`document.querySelectorAll("a[href$='` + id.String() + `']").length === 1`)
	})
	t.Run("that adds a task", func(t *testing.T) {
		t.Parallel()
		s := &site{t: t, url: shared.url, db: shared.db, app: shared.app}
		id := s.startLoan("Loan for a task")
		task := s.createTask(id, "LOAN_APPLICATION", `{"FIRST_NAME":"A","LAST_NAME":"B","CURRENCY":"EUR","AMOUNT":"1"}`)
		_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Carol()), task)
		require.NoError(t, err)
		alice := s.signIn("Alice")
		alice.openPath("processes/" + id.String())
		require.Zero(t, alice.Count("[action$='act/EXTRA_REVIEW']"), "it is not available yet")
		_, err = s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Carol()), task)
		require.NoError(t, err)
		alice.openPath("processes/" + id.String())
		alice.Click("details.actions-menu > summary")
		alice.Click("[action$='act/EXTRA_REVIEW'] button")
		alice.AwaitText("Approve the loan")
	})
	t.Run("that writes, opens a thread or sends a signal", func(t *testing.T) {
		t.Parallel()
		s := &site{t: t, url: shared.url, db: shared.db, app: shared.app, database: shared.database, administration: shared.administration}
		id := s.startTalk("To talk about")
		alice := s.signIn("Alice")
		for _, c := range []struct{ code, field, typed, shown string }{
			// Messages are CommonMark, which decodes entities.
			{"WRITE", "#text", "A note " + hostile, "A note " + strings.ReplaceAll(hostile, "&amp;", "&")},
			{"DISCUSS", "", "", "Discussion"},
			{"HURRY", `[name="v/input"]`, "tomorrow", "This is done."},
		} {
			alice.openPath("processes/" + id.String())
			alice.Click("details.actions-menu > summary")
			alice.Click("[href$='act/" + c.code + "'], [action$='act/" + c.code + "'] button")
			if c.field != "" {
				alice.Type(c.field, c.typed)
				alice.Click("form[action*='act/'] .btn-primary")
			}
			alice.AwaitText(c.shown)
		}
		require.EqualValues(t, 1, sql[int64](s, `SELECT count(*) FROM engine_commands WHERE signal_name = 'Hurry' AND signal_input::text = '"tomorrow"'`))
	})
	t.Run("that is not there is refused", func(t *testing.T) {
		t.Parallel()
		s := &site{t: t, url: shared.url, db: shared.db, app: shared.app}
		id := s.startLoan("Loan without the action")
		carol := s.signIn("Carol")
		carol.openPath("processes/" + id.String() + "/act/REPORT")
		carol.AwaitText("Not found")
	})
}
