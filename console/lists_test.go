package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// A list has pages of the chosen size, a way to each of them, and keeps the size while it is sorted and searched.
func TestPagesOfLists(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	for i := range 120 {
		s.startLoan(fmt.Sprintf("Loan %03d of many", i))
	}
	alice := s.clientWithToken(demo.Alice().Secret)
	count := func(path string) int {
		answer := s.sendRequest(alice, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, answer.status)
		return strings.Count(string(answer.body), `<tr class="row-item"`)
	}
	for path, rows := range map[string]int{
		"processes": 25, "processes?size=50": 50, "processes?size=100": 100, "processes?size=100&page=2": 20,
		"processes?size=7": 25, "processes?size=100000": 25, "processes?size=x": 25,
	} {
		require.Equal(t, rows, count(path), path)
	}
	browser := s.signIn("Alice")
	browser.openPath("processes?q=of+many")
	browser.Click(".pager-sizes a:nth-child(2)")
	browser.Await(`document.querySelectorAll("tr.row-item").length === 50`)
	require.Equal(t, "50", browser.Text(".pager-sizes [aria-current]"))
	browser.Click("th:first-child .sort-head")
	browser.Await(`document.querySelector("tr.row-item .row-title").innerText === "Loan 000 of many"`)
	require.Equal(t, "ascending", browsertest.Eval[string](browser.Tab, `document.querySelector("th:first-child").getAttribute("aria-sort")`))
	browser.Click("th:first-child .sort-head")
	browser.Await(`document.querySelector("tr.row-item .row-title").innerText === "Loan 119 of many"`)
	require.Equal(t, 50, browser.Count("tr.row-item"))
	require.Equal(t, "descending", browsertest.Eval[string](browser.Tab, `document.querySelector("th:first-child").getAttribute("aria-sort")`))
	browser.openPath("processes?q=of+many")
	browser.Eval(`document.querySelector(".pager-jump [name=page]").value = "5"`)
	browser.Click(".pager-jump button")
	browser.Await(`document.querySelectorAll("tr.row-item").length === 20`)
	require.Contains(t, browser.Path(), "q=of+many")
	for _, width := range []int64{390, 1280} {
		browser.Size(width, 800)
		browser.requireFit()
	}
}

// A list is searched while words are typed, without regard to case. The field keeps focus and text, and the history has one
// entry.
func TestSearchWhileTyping(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.createTask(s.startLoan("Kredit für Müller"), "APPROVE_LOAN", "")
	s.createTask(s.startLoan("Loan of another"), "APPROVE_LOAN", "")
	bob := s.signIn("Bob")
	bob.openPath("tasks")
	bob.AwaitText("2 in all")
	entries := browsertest.Eval[int](bob.Tab, "history.length")
	bob.Type(".list [name=q]", "MÜLLER")
	bob.AwaitText("1 in all")
	require.Contains(t, bob.Text(".list .rows"), "Kredit für Müller")
	require.Equal(t, "MÜLLER", browsertest.Eval[string](bob.Tab, `document.activeElement.matches("[name=q]") ? document.activeElement.value : "no focus"`))
	require.Contains(t, bob.Path(), "q=M%C3%9CLLER")
	require.LessOrEqual(t, browsertest.Eval[int](bob.Tab, "history.length"), entries+1)
}

// All tasks of a page are selected at once. Those without anything to fill in are completed together, the others stay, with the reason.
func TestSeveralTasksAreCompleted(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	ids := make([]string, 3)
	for i := range ids {
		code := "NOTIFICATION_GRANTED"
		if i == 0 {
			code = "APPROVE_LOAN"
		}
		task := s.createTask(s.startLoan(fmt.Sprintf("Loan %d to be told of", i)), code, "")
		s.assignTask(task, demo.Carol())
		ids[i] = task.String()
	}
	carol := s.signIn("Carol")
	carol.openPath("tasks?view=mine")
	carol.AwaitText("3 in all")
	carol.Click(".row-item input[type=checkbox]")
	require.True(t, browsertest.Eval[bool](carol.Tab, `document.querySelector("[data-selects-all]").indeterminate`))
	carol.Click("[data-selects-all]")
	require.Equal(t, 3, carol.Count(".row-item input:checked"))
	carol.Click(".bulk button[formaction$=complete]")
	carol.AwaitText("2 tasks were completed.")
	carol.AwaitText("1 task was not changed:")
	carol.AwaitText("There is something to fill in. Open the task to complete it.")
	carol.AwaitText("1 in all")
	require.Equal(t, int64(2), sql[int64](s, "SELECT count(*) FROM process_items WHERE task_state = 'COMPLETED'"))
	s.requireAccessible(carol.Tab)

	// Tasks of others are not completed.
	answer := s.sendRequest(s.clientWithToken(demo.Bob().Secret), http.MethodPost, "tasks/complete", url.Values{"task": {ids[0], uuid.NewString()}})
	require.Equal(t, http.StatusSeeOther, answer.status)
	require.Contains(t, answer.header.Get("Location"), "changed=0")
}
