package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestTask(t *testing.T) { //nolint:funlen // one story in a browser
	t.Parallel()
	t.Run("is claimed and completed", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan to claim"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.openPath("tasks?q=Loan+to+claim")
		bob.AwaitText("1 in all")
		bob.Click(".row-link")
		bob.AwaitPath(web.Root + "tasks/" + task.String() + "?q=Loan+to+claim&view=to-claim")
		bob.Click("form[action$=claim] button")
		bob.AwaitText("Release")
		bob.AwaitPath(web.Root + "tasks/" + task.String() + "?view=mine")
		require.Contains(t, bob.Text(".view[aria-current]"), "Mine")
		bob.Click("[data-complete]")
		bob.Click("[data-anyway] button")
		bob.AwaitText("“Approve the loan” is completed.")
		require.NotContains(t, bob.Path(), task.String(), "the next task is shown")
	})
	t.Run("is claimed and completed without scripts", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan without scripts"), "APPROVE_LOAN", `{"FIRST_NAME":"Ada","LAST_NAME":"Example"}`)
		b := s.openBrowser()
		b.Scripts(false)
		b.Open(s.url + "sign-in?return=%2Fconsole%2Ftasks%3Fq%3Dwithout%2Bscripts")
		b.Click("button[data-user=Bob]")
		b.AwaitText("1 in all")
		b.Click(".row-link")
		b.Click("form[action$=claim] button")
		b.Click("[data-complete]")
		b.AwaitText("Approval is required.")
		b.Click(`label:nth-of-type(1) [name="v/APPROVAL"]`)
		b.Type(`[name="v/AMOUNT"]`, "7500")
		b.Click(".form-actions button[value=save]")
		b.Await(`document.querySelector(".form [name=base]").value.includes("APPROVAL")`)
		b.Click("[data-complete]")
		b.AwaitText("The task is completed.")
		done, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		require.JSONEq(t, `{"FIRST_NAME":"Ada","LAST_NAME":"Example","AMOUNT":7500,"APPROVAL":"YES"}`, string(done.Item.Task.Data.Value))
	})
	t.Run("that asks for nothing is completed", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan that is granted"), "NOTIFICATION_GRANTED", "")
		s.assignTask(task, demo.Carol())
		carol := s.signIn("Carol")
		carol.openPath("tasks/" + task.String())
		carol.AwaitText("There is nothing to fill in.")
		require.Equal(t, "Seen", carol.Text("[data-complete]"))
		carol.Click("[data-complete]")
		carol.AwaitText("“The loan is granted” is completed.")
	})
	t.Run("claimed by another meanwhile is shown with the reason", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan of two"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.openPath("tasks/" + task.String())
		s.assignTask(task, demo.Alice())
		bob.Click("form[action$=claim] button")
		bob.AwaitText("Another person has claimed this task.")
		bob.AwaitText("Alice")
	})
	t.Run("of another person is edited by a manager only after a question", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan with two editors"), "APPROVE_LOAN", `{"FIRST_NAME":"Ada"}`)
		s.assignTask(task, demo.Bob())
		alice := s.signIn("Alice")
		alice.openPath("tasks/" + task.String())
		alice.AwaitText("Bob is working on this task.")
		require.Zero(t, alice.Count("#form [name^=v]:not([type=hidden])"))
		alice.RequireAccessible()
		alice.Click(".task-owner a")
		alice.AwaitText("You are editing the form of Bob.")
		alice.Click("#form input[type=radio]")
		alice.Await(`document.querySelector("[data-status]").dataset.state === "saved"`)
		alice.openPath("tasks/" + s.createTask(s.startLoan("Loan of nobody"), "APPROVE_LOAN", "").String())
		alice.AwaitText("Nobody is working on this task.")
	})
	t.Run("is assigned to a person that is searched for, and released", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.createTask(s.startLoan("Loan to assign"), "APPROVE_LOAN", "")
		alice := s.signIn("Alice")
		alice.openPath("tasks/" + task.String())
		alice.Click("form[action$=assign] button")
		alice.Type("#assign [name=q]", "bO")
		alice.Await(`document.querySelectorAll(".person").length === 1`)
		alice.Click(".person")
		alice.AwaitText("Release")
		require.Contains(t, alice.Text(".pane .facts"), "Bob")
		alice.Click("form[action$=release] button")
		alice.AwaitText("Ready")
		require.NotContains(t, alice.Text(".pane .facts"), "Bob")
	})
}

func TestInbox(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	t.Run("has pages with true totals", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		process := s.startLoan("Paging")
		for range 26 {
			s.createTask(process, "APPROVE_LOAN", "")
		}
		last := s.createTask(s.startLoan("Paging last"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.openPath("tasks?q=Paging")
		bob.AwaitText("27 in all")
		require.Equal(t, 25, bob.Count(".row-item"))
		bob.Click("a[rel=next]")
		bob.AwaitPath(web.Root + "tasks?page=2&q=Paging&view=to-claim")
		require.Equal(t, 2, bob.Count(".row-item"))
		bob.openPath("tasks?q=Paging&sort=newest")
		require.Equal(t, "to-claim-"+last.String(), bob.firstRow())
		bob.openPath("tasks?q=Paging&page=9")
		bob.AwaitPath(web.Root + "tasks?page=2&q=Paging&view=to-claim")
		bob.openPath("tasks?q=Paging&definition=" + demo.Onboarding().String())
		bob.AwaitText("No task matches your search.")
	})
	t.Run("has a view for each relation", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		process := s.startLoan("Views of Bob")
		ready, mine := s.createTask(process, "APPROVE_LOAN", ""), s.createTask(process, "APPROVE_LOAN", "")
		s.assignTask(mine, demo.Bob())
		done := s.createTask(process, "APPROVE_LOAN", "")
		s.assignTask(done, demo.Bob())
		_, err := s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Bob()), done)
		require.NoError(t, err)
		bob := s.signIn("Bob")
		for view, want := range map[string]uuid.UUID{"to-claim": ready, "mine": mine, "done": done} {
			bob.openPath("tasks?q=Views+of+Bob&view=" + view)
			bob.AwaitText("1 in all")
			require.Equal(t, view+"-"+want.String(), bob.firstRow())
		}
		bob.openPath("tasks?q=Views+of+Bob&view=all")
		bob.AwaitText("3 in all")
	})
	t.Run("announces new tasks", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		s.createTask(s.startLoan("Newsworthy one"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.openPath("tasks?q=Newsworthy")
		bob.AwaitText("1 in all")
		s.createTask(s.startLoan("Newsworthy two"), "APPROVE_LOAN", "")
		bob.AwaitText("1 new")
		require.Equal(t, 1, bob.Count(".row-item"))
		bob.Click(".news")
		bob.AwaitText("2 in all")
	})
	t.Run("claims several tasks with a result for each", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		free, taken := s.createTask(s.startLoan("Several A"), "APPROVE_LOAN", ""), s.createTask(s.startLoan("Several B"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.openPath("tasks?q=Several")
		for _, task := range []uuid.UUID{free, taken} {
			bob.Click(fmt.Sprintf("[name=task][value=%q]", task))
		}
		s.assignTask(taken, demo.Alice())
		bob.Click("[formaction$=claim]")
		bob.AwaitText("1 task is yours now.")
		refused := bob.Text(".outcome-refused")
		require.Contains(t, refused, "Several B")
		require.Contains(t, refused, "Another person has claimed this task.")
		bob.AwaitPath(web.Root + "tasks?q=Several&view=to-claim")
		s.requireAccessible(bob.Tab)
		bob.Click("#outcome .btn-close")
		bob.Await(`!document.querySelector("#outcome")`)
	})
}

func TestSeveralTasksAreAssigned(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	free, taken := s.createTask(s.startLoan("Together A"), "APPROVE_LOAN", ""), s.createTask(s.startLoan("Together B"), "APPROVE_LOAN", "")
	alice := s.signIn("Alice")
	alice.openPath("tasks?view=all&q=Together")
	for _, task := range []uuid.UUID{free, taken} {
		alice.Click(fmt.Sprintf("[name=task][value=%q]", task))
	}
	alice.Click("[formaction$=assign]")
	alice.AwaitText("Who should do these 2 tasks?")
	_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), taken)
	require.NoError(t, err)
	_, err = s.app.CompleteProcessItemTask(t.Context(), s.callerOf(demo.Bob()), taken)
	require.NoError(t, err)
	alice.Type("#assign [name=q]", "bob")
	alice.Await(`document.querySelectorAll(".person").length === 1`)
	alice.Click(".person")
	alice.AwaitText("1 task was assigned.")
	require.Regexp(t, `Together B\s+[A-Z].*\.`, alice.Text(".outcome-refused"))
	opened, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Alice()), free)
	require.NoError(t, err)
	require.Equal(t, "Bob", opened.OwnerName)
}

// firstRow returns the id of the first row.
func (p *person) firstRow() string {
	p.s.t.Helper()
	p.Await(`document.querySelector(".row-item")`)
	return browsertest.Eval[string](p.Tab, `document.querySelector(".row-item").id`)
}

// assignTask makes an account the owner of a task.
func (s *site) assignTask(task uuid.UUID, to demo.Account) {
	s.t.Helper()
	_, err := s.app.AssignProcessItemTask(s.t.Context(), s.callerOf(demo.Alice()), task, app.PrincipalKey{ID: &to.ID})
	require.NoError(s.t, err)
}

func TestResultsOfSeveralTasks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	free, taken, hidden := s.createTask(s.startLoan("Several free"), "APPROVE_LOAN", ""), s.createTask(s.startLoan("Several taken"), "APPROVE_LOAN", ""), uuid.New()
	s.assignTask(taken, demo.Alice())
	bob := s.clientWithToken(demo.Bob().Secret)
	answer := s.sendRequest(bob, http.MethodPost, "tasks/claim", url.Values{
		"task": {taken.String(), hidden.String(), free.String()}, "return": {"/console/tasks?view=all"},
	})
	require.Equal(t, http.StatusSeeOther, answer.status)
	list := answer.header.Get("Location")
	require.Contains(t, list, "/console/tasks?changed=1&did=claim&")
	page := string(s.sendRequest(bob, http.MethodGet, strings.TrimPrefix(list, web.Root), nil).body)
	for _, text := range []string{"1 task is yours now.", "Several taken", "Another person has claimed this task.", "tasks/" + hidden.String(), "does not exist"} {
		require.Contains(t, page, text)
	}
	// The address of a refused form leads to the list.
	require.Equal(t, "/console/tasks", s.sendRequest(bob, http.MethodGet, "tasks/claim", nil).header.Get("Location"))
}

// A selection ends with its view, and views without choices offer no actions.
func TestSelectionEndsWithItsView(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Chosen once"), "APPROVE_LOAN", "")
	bob := s.signIn("Bob")
	bob.openPath("tasks?q=Chosen+once")
	bob.Click(fmt.Sprintf("[name=task][value=%q]", task))
	bob.Await(`getComputedStyle(document.querySelector(".bulk")).display !== "none"`)
	bob.Click(".view[href*='view=all']")
	bob.Await(`document.querySelector(".view[aria-current][href*='view=all']")`)
	require.Zero(t, bob.Count("[name=task]:checked"))
	bob.openPath("tasks?view=mine")
	require.Zero(t, bob.Count(".bulk [formaction$=claim]"))
	bob.openPath("tasks?view=done")
	require.Zero(t, bob.Count("[name=task], .bulk"))
}

// The list opens instead of a next task that was taken meanwhile.
func TestNextTaskThatWasTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.t = t
	query := "?completed=" + uuid.NewString() + "&view=mine"
	answer := s.sendRequest(s.clientWithToken(demo.Bob().Secret), "GET", "tasks/"+uuid.NewString()+query, nil)
	require.Equal(t, http.StatusSeeOther, answer.status)
	require.Equal(t, web.Root+"tasks"+query, answer.header.Get("Location"))
}

// After the completion of a task the next one opens: first the user's own ones in the order of the list, then those to claim.
func TestCompletionOpensTheNextTask(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	var own []uuid.UUID
	for i := range 3 {
		own = append(own, s.createTask(s.startLoan(fmt.Sprintf("Loan number %d", i)), "APPROVE_LOAN", ""))
		s.assignTask(own[i], demo.Bob())
	}
	free := s.createTask(s.startLoan("Loan to claim next"), "APPROVE_LOAN", "")
	bob := s.signIn("Bob")
	complete := func() {
		bob.Await(`document.querySelector("[data-complete]")`)
		bob.Press(kb.Enter, chromedp.ModifierCtrl)
		bob.Await(`document.querySelector("[data-anyway] button")`)
		bob.Click("[data-anyway] button")
	}
	bob.openPath("tasks/" + own[1].String() + "?view=mine")
	for _, next := range []uuid.UUID{own[2], own[0]} {
		complete()
		bob.AwaitPath(web.Root + "tasks/" + next.String() + "?view=mine")
		bob.AwaitText("“Approve the loan” is completed.")
		bob.AwaitText("The process continues by itself.")
	}
	s.requireAccessible(bob.Tab)
	complete()
	bob.AwaitPath(web.Root + "tasks/" + free.String() + "?view=to-claim")
	bob.Press("c")
	complete()
	bob.AwaitPath(web.Root + "tasks?view=to-claim")
	bob.AwaitText("“Approve the loan” is completed.")
}

// Without a connection a bar says why links have no effect.
func TestOfflineBar(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.signIn("Bob")
	bob.Eval(`const send = window.fetch; window.restore = () => { window.fetch = send; }; window.fetch = () => Promise.reject(new TypeError("offline"))`)
	bob.Click(".area[href$=tasks]")
	bob.AwaitText("No connection.")
	s.requireAccessible(bob.Tab)
	bob.Eval(`window.restore()`)
	bob.Click(".area[href$=tasks]")
	bob.AwaitPath(web.Root + "tasks")
	bob.Await(`document.querySelector("#offline").textContent === ""`)
}
