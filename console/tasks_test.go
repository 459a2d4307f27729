package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

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
		bob.Await(`document.querySelector(".pane .text-green")`)
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
		b.AwaitText("Completed")
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
		carol.Click("[data-complete]")
		carol.Await(`document.querySelector(".facts .text-green")`)
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
		require.Equal(t, "task-"+last.String(), bob.firstRow())
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
			require.Equal(t, "task-"+want.String(), bob.firstRow())
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
		bob.AwaitText("Results")
		results := bob.Text(".results")
		require.Contains(t, results, "Several A\nClaimed")
		require.Contains(t, results, "Several B\nAnother person has claimed this task.")
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
	alice.AwaitText("Results")
	results := alice.Text(".results")
	require.Contains(t, results, "Together A\nClaimed")
	require.Regexp(t, `Together B\n[A-Z].*\.`, results)
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
	answer := s.sendRequest(s.clientWithToken(demo.Bob().Secret), http.MethodPost, "tasks/claim", url.Values{
		"task": {taken.String(), hidden.String(), free.String()},
	})
	page := string(answer.body)
	var at []int
	for _, text := range []string{"Several taken", "Another person has claimed this task.", "tasks/" + hidden.String(), "does not exist", "Several free", "Claimed"} {
		at = append(at, strings.Index(page, text))
	}
	require.NotContains(t, at, -1, page)
	require.True(t, slices.IsSorted(at), "the results are in the order of the tasks")
}
