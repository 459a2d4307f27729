package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestPlanning(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startLoan("Loan to plan")
	task := s.createTask(process, "APPROVE_LOAN", "")
	s.createTask(process, "APPROVE_LOAN", "")
	s.assignTask(task, demo.Bob())
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.String() + "?q=Loan+to+plan&view=mine")
	// The definition sets the due date.
	bob.AwaitText("Due")
	bob.Click("a[href*='/planning']")
	bob.AwaitPath(web.Root + "tasks/" + task.String() + "/planning?return=" + url.QueryEscape(web.Root+"tasks/"+task.String()+"?q=Loan+to+plan&view=mine"))
	bob.requireFit()
	bob.Set("[name=due]", "2024-05-01T10:00")
	bob.Set("[name=priority]", "URGENT")
	bob.Click("#planning button[type=submit]")
	bob.AwaitPath(web.Root + "tasks/" + task.String() + "?q=Loan+to+plan&view=mine")
	bob.AwaitText("Overdue")
	bob.AwaitText("Urgent")
	planned, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	require.Equal(t, domain.PriorityUrgent, planned.Priority())
	require.WithinDuration(t, time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC), *planned.DueAt, 15*time.Hour)

	bob.openPath("tasks?view=all&q=Loan+to+plan&sort=due")
	bob.AwaitText("2 in all")
	bob.openPath("tasks?view=all&q=Loan+to+plan&due=overdue&sort=priority")
	bob.AwaitText("1 in all")
	require.Contains(t, bob.Text(".rows"), "Overdue")
	bob.openPath("")
	require.Contains(t, bob.Text("#mine"), "Overdue")
}

// A form that shows another planning than the stored one is refused. The seconds of a due date that stays are kept, so that it is
// not reported again.
func TestStalePlanningIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan to plan twice"), "APPROVE_LOAN", "")
	s.assignTask(task, demo.Bob())
	due := time.Date(2031, 5, 1, 10, 0, 30, 0, time.UTC)
	plan := func() domain.TaskPlan {
		opened, err := s.app.OpenTask(t.Context(), s.callerOf(demo.Bob()), task)
		require.NoError(t, err)
		return opened.Item.Task.Plan
	}
	_, err := s.app.UpdateProcessItemTaskPlanning(t.Context(), s.callerOf(demo.Bob()), task, domain.TaskPlan{DueAt: &due})
	require.NoError(t, err)
	bob := s.clientWithToken("demo-token-bob")
	path := "tasks/" + task.String() + "/planning"
	valueOf := func(name string) string {
		page := string(s.sendRequest(bob, http.MethodGet, path, nil).body)
		found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(strings.ReplaceAll(page, ` type="datetime-local"`, ""))
		require.NotNil(t, found, page)
		return found[1]
	}
	form := url.Values{"before": {valueOf("before")}, "due": {strings.Fields(valueOf("before"))[0]}, "priority": {"HIGH"}}
	require.Equal(t, http.StatusSeeOther, s.sendRequest(bob, http.MethodPost, path, form).status)
	require.Equal(t, domain.TaskPlan{DueAt: &due, Priority: domain.PriorityHigh}, plan())

	form.Set("priority", "URGENT")
	answer := s.sendRequest(bob, http.MethodPost, path, form)
	require.Equal(t, http.StatusConflict, answer.status)
	require.Contains(t, string(answer.body), "The planning was changed meanwhile.")
	require.Equal(t, domain.PriorityHigh, plan().Priority)
	form.Set("before", valueOf("before"))
	require.Equal(t, http.StatusSeeOther, s.sendRequest(bob, http.MethodPost, path, form).status)
	require.Equal(t, domain.PriorityUrgent, plan().Priority)
}

func TestPlanningIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan not to plan"), "APPROVE_LOAN", "")
	path := "tasks/" + task.String() + "/planning"
	alice := s.clientWithToken("demo-token-alice")
	for name, form := range map[string]url.Values{
		"time": {"due": {"soon"}, "priority": {"HIGH"}}, "priority": {"priority": {"NOW"}}, "range": {"due": {"1815-12-10T10:00"}, "priority": {"HIGH"}},
	} {
		answer := s.sendRequest(alice, http.MethodPost, path, form)
		require.Equal(t, http.StatusBadRequest, answer.status, name)
		require.Contains(t, string(answer.body), `name="due"`, "the form stays")
		require.Contains(t, string(answer.body), form.Get("due"), "what was entered stays")
	}
	bob := s.clientWithToken("demo-token-bob")
	require.Equal(t, http.StatusForbidden, s.sendRequest(bob, http.MethodPost, path, url.Values{"priority": {"HIGH"}}).status)
	shown := s.sendRequest(bob, http.MethodGet, path, nil)
	require.NotContains(t, string(shown.body), `name="due"`)
	require.Equal(t, http.StatusNotFound, s.sendRequest(s.clientWithToken("demo-token-carol"), http.MethodGet, "tasks/01970000-0000-7000-8000-0000000000ff/planning", nil).status)
}
