package console_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// tabTo presses Tab until the selected element has the focus.
func (p *person) tabTo(selector string) {
	p.s.t.Helper()
	p.Await("document.querySelector(" + quoteText(selector) + ")")
	for range 80 {
		p.Press(kb.Tab)
		if browsertest.Eval[bool](p.Tab, "document.activeElement.matches("+quoteText(selector)+")") {
			return
		}
	}
	p.s.t.Fatalf("the key Tab does not lead to %s at %s", selector, p.Path())
}

// writeText moves the focus to a field with the key Tab, and types.
func (p *person) writeText(selector, text string) {
	p.s.t.Helper()
	p.tabTo(selector)
	p.Press(text)
}

// goTo opens the first result of the palette.
func (p *person) goTo(words, shown string) {
	p.s.t.Helper()
	p.Press("k", chromedp.ModifierCtrl)
	p.Await(`document.querySelector("#palette[open] input") === document.activeElement`)
	p.Press(words)
	p.Await("document.querySelector('#palette .target')?.innerText.includes(" + quoteText(shown) + ")")
	p.Press(kb.Enter)
	p.Await("!document.querySelector('#palette[open]')")
}

// signInByKeyboard signs a demo user in with the keyboard.
func (s *site) signInByKeyboard(name string) *person {
	s.t.Helper()
	p := &person{s.openBrowser(), s}
	p.tabTo("button[data-user=" + name + "]")
	p.Press(kb.Enter)
	p.AwaitPath(web.Root)
	return p
}

// claimable is true of the page of a task that can be claimed.
const claimable = `document.querySelector(".task-head form[action$=claim]")`

// A loan is applied for and approved with the keyboard alone.
func TestLoanByKeyboard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	carol := s.signInByKeyboard("Carol")
	carol.goTo("start", "Start")
	carol.AwaitPath(web.Root + "start")
	carol.tabTo("main .tile .row-link")
	carol.Press(kb.Enter)
	carol.writeText("#f-subject", "Loan by keyboard")
	carol.writeText("#f-metadata-FIRST_5fNAME", "Ada")
	carol.Press(kb.Enter, chromedp.ModifierCtrl)
	carol.AwaitText("started by Carol")
	process, err := uuid.Parse(path.Base(carol.Path()))
	require.NoError(t, err)

	task := s.createTask(process, "LOAN_APPLICATION", "")
	carol.goTo("loan by keyboard", "Loan by keyboard")
	carol.Await(claimable)
	carol.Press("c")
	carol.AwaitText("Release")
	carol.writeText(`[name="v/FIRST_NAME"]`, "Ada")
	carol.writeText(`[name="v/LAST_NAME"]`, "Example")
	carol.writeText(`[name="v/AMOUNT"]`, "12500")
	carol.tabTo(`[name="v/CURRENCY"][type=radio]`)
	carol.Press(" ")
	carol.Press(kb.Enter, chromedp.ModifierCtrl)
	carol.AwaitText("is completed.")
	done, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Carol()), task)
	require.NoError(t, err)
	require.JSONEq(t, `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":12500,"CURRENCY":"EUR"}`, string(done.Item.Task.Data.Value))

	approval := s.createTask(process, "APPROVE_LOAN", `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":"12500"}`)
	bob := s.signInByKeyboard("Bob")
	bob.goTo("loan by keyboard", "Approve the loan")
	bob.Await(claimable)
	bob.Press("c")
	bob.AwaitText("Release")
	bob.tabTo(`[name="v/APPROVAL"][type=radio]`)
	bob.Press(" ")
	bob.Press(kb.Enter, chromedp.ModifierCtrl)
	bob.AwaitText("is completed.")
	done, err = s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), approval)
	require.NoError(t, err)
	require.Contains(t, string(done.Item.Task.Data.Value), `"APPROVAL":"YES"`)
}

// Two browsers edit one task: different fields go together, and of one field both texts
// are shown until one is chosen.
func TestTaskInTwoBrowsers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan in two browsers"), "APPROVE_LOAN", "")
	s.assignTask(task, demo.Bob())
	value := func() string {
		opened, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		return string(opened.Item.Task.Data.Value)
	}
	stored := func(text string) string {
		return fmt.Sprintf(`document.querySelector("[name=base]").value.includes(%q)`, text)
	}
	one, other := s.signIn("Bob"), s.signIn("Bob")
	for _, b := range []*person{one, other} {
		b.openPath("tasks/" + task.String())
		b.Await(`document.querySelector("[name='v/FIRST_NAME']")`)
	}
	one.Set(`[name="v/FIRST_NAME"]`, "Ada")
	one.Await(stored("Ada"))
	other.Set(`[name="v/LAST_NAME"]`, "Example")
	other.Await(stored("Example"))
	require.JSONEq(t, `{"FIRST_NAME":"Ada","LAST_NAME":"Example"}`, value())
	other.Await(`document.querySelector("[name='v/FIRST_NAME']").value === "Ada"`)

	one.Set(`[name="v/AMOUNT"]`, "100")
	one.Await(stored("100"))
	other.Set(`[name="v/AMOUNT"]`, "200")
	other.AwaitText("You changed Amount in another window.")
	require.Contains(t, other.Text("[data-conflict]"), "100")
	require.Contains(t, other.Text("[data-conflict]"), "200")
	require.JSONEq(t, `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":100}`, value(), "nothing is overwritten silently")
	other.Click("[data-conflict] button[value^=mine]")
	other.Await(`!document.querySelector("[data-conflict]")`)
	other.Await(stored("200"))
	require.JSONEq(t, `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":200}`, value())
}
