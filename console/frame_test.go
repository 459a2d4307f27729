package console_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// A program that was built without assets says so, and works.
func TestPagesWarnAboutMissingAssets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var log strings.Builder
	options := s.options
	options.Assets, options.Log = &assets.Set{}, slog.New(slog.NewTextHandler(&log, nil))
	handler, err := console.New(options)
	require.NoError(t, err)
	require.Contains(t, log.String(), "The console has no style sheet and no script")
	require.Contains(t, log.String(), "run make assets")
	server := httptest.NewServer(chain.New(s.chain).Handler(handler))
	t.Cleanup(server.Close)
	bare := &site{t: t, url: server.URL + web.Root}
	for path, client := range map[string]*http.Client{"sign-in": bare.clientWithToken(""), "tasks": bare.clientWithToken(demo.Bob().Secret)} {
		answer := bare.sendRequest(client, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, answer.status)
		require.Contains(t, string(answer.body), "was built without the console&#39;s style sheet")
		require.NotContains(t, string(answer.body), "<script")
	}
}

func TestPagesAreInTheChosenLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.signIn("Bob")
	bob.Click("#menu > summary")
	bob.Set("#preference-language", "de")
	bob.AwaitText("Zu übernehmen")
}

func TestThemeIsStored(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.openBrowser()
	require.Equal(t, "light", browsertest.Eval[string](b, `document.documentElement.dataset.bsTheme`))
	b.Set("#preference-theme", "dark")
	b.Await(`document.documentElement.dataset.bsTheme === "dark"`)
	b.Open(s.url + "sign-in")
	require.Equal(t, "dark", browsertest.Eval[string](b, `document.documentElement.dataset.bsTheme`))
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.createTask(s.startLoan("Keyboard one"), "APPROVE_LOAN", `{"FIRST_NAME":"Carol","LAST_NAME":"Demo","AMOUNT":"1","APPROVAL":"NO"}`)
	second := s.createTask(s.startLoan("Keyboard two"), "APPROVE_LOAN", "")
	bob := s.signIn("Bob")
	bob.openPath("tasks?q=Keyboard")

	bob.Press("j")
	bob.Press("j")
	bob.Await(`document.activeElement.closest(".row-item")?.id === "to-claim-` + second.String() + `"`)
	bob.Press("k")
	bob.Await(`document.activeElement.closest(".row-item")?.id === "to-claim-` + first.String() + `"`)
	bob.Press(kb.Enter)
	bob.Await(`document.querySelector(".task-head")`)
	bob.Press("c")
	bob.AwaitText("Release")
	bob.Press(kb.Enter, chromedp.ModifierCtrl)
	bob.AwaitText("is completed.")

	// Keys that are pressed while the page is replaced have no effect.
	bob.Await(`!document.querySelector(".htmx-request, .htmx-swapping, .htmx-settling")`)
	bob.Press("?")
	bob.AwaitText("Next row")
	bob.Press(kb.Escape)
	bob.Await(`!document.querySelector("dialog[open]")`)
	bob.Press("k", chromedp.ModifierCtrl)
	bob.Await(`document.querySelector("#palette[open] .target")`)
	bob.Press("Keyboard two")
	bob.Await(`document.querySelector("#palette .target .row-subject")?.innerText === "Keyboard two"`)
	bob.Press(kb.Enter)
	bob.AwaitPath(web.Root + "tasks/" + second.String())

	// Keys type letters in an input, and have no effect once they are turned off.
	bob.openPath("tasks?q=Keyboard")
	bob.Press("/")
	bob.Press("c?")
	require.Contains(t, browsertest.Eval[string](bob.Tab, `document.querySelector("[name=q]").value`), "c?")
	bob.Click("#menu > summary")
	bob.Set("#preference-keys", "off")
	bob.Await(`document.querySelector("#page[data-keys=off]")`)
	bob.Press("?")
	require.Zero(t, bob.Count("dialog[open]"))
}

func TestScreensAreAccessibleAndFit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Accessible"), "APPROVE_LOAN", `{"FIRST_NAME":"Carol","AMOUNT":"7500"}`)
	screens := []string{
		"", "tasks?q=Accessible", "tasks?q=nothing+at+all", "tasks/" + task.String(), "tasks/assign?task=" + task.String(),
		"tasks/delegate?task=" + task.String(), "tasks/" + task.String() + "/planning", "tasks?due=overdue", "sessions", "profile", "absences", "tokens", "notifications", "notifications/mails",
		"palette?q=Accessible", "tasks/" + task.String()[:35] + "x", "reference", "reference/admin", "reference/2024-06-14?q=nothing+at+all",
		"reference/2024-06-14/operations/createProcess", "reference/2022-10-08/schemas/Task",
	}
	visitor := s.openBrowser()
	s.requireAccessible(visitor)
	visitor.Size(320, 700)
	visitor.RequireNoSidewaysScroll()
	bob := s.signIn("Bob")
	for _, path := range screens {
		bob.Size(1280, 800)
		bob.openPath(path)
		s.requireAccessible(bob.Tab)
		// Without an id of its own a screen would be mixed with the one before it.
		bob.AwaitContent()
		bob.Size(320, 700)
		bob.RequireNoSidewaysScroll()
	}
	bob.Press("?")
	bob.Await(`document.querySelector("#keys[open]")`)
	s.requireAccessible(bob.Tab)
}

// The next tab follows the service when the one that did is gone. Where its stream is
// refused, it asks from time to time.
func TestPagesPollWithoutAStream(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.createTask(s.startLoan("Polled one"), "APPROVE_LOAN", "")
	first := s.signIn("Bob")
	second := &person{first.NewTab(), s}
	for _, tab := range []*person{first, second} {
		tab.openPath("tasks?q=Polled")
		tab.AwaitText("1 in all")
	}
	browsertest.Eval[bool](second.Tab, `(window.EventSource = class {
		static CLOSED = 2;
		readyState = 2;
		constructor() { window.tried ??= Date.now(); }
		addEventListener(name, handle) { if (name === "error") setTimeout(handle); }
	}, true)`)
	first.Open("about:blank")
	s.createTask(s.startLoan("Polled two"), "APPROVE_LOAN", "")
	// The pause between attempts takes most of the time of one wait.
	second.Await(`Date.now() - window.tried > 10000`)
	second.AwaitText("1 new")
}
