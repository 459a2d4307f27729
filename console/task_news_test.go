package console_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// An open task shows the changes of others, and the actions that the viewer still has.
func TestOpenTaskFollowsOthers(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := newSite(t)
	ctx, alice := t.Context(), s.callerOf(demo.Alice())
	bobID := demo.Bob().ID
	for name, c := range map[string]struct {
		owner  *uuid.UUID
		change func(task uuid.UUID) error
		banner string
		// gone and there are selectors of buttons.
		gone, there string
	}{
		"claimed": {nil, func(task uuid.UUID) error {
			_, err := s.app.AssignProcessItemTask(ctx, alice, task, app.PrincipalKey{ID: &alice.PrincipalID})
			return err
		}, "Alice has claimed this task.", "form[action$=claim]", ".facts"},
		"assigned to another": {&bobID, func(task uuid.UUID) error {
			_, err := s.app.AssignProcessItemTask(ctx, alice, task, app.PrincipalKey{ID: &alice.PrincipalID})
			return err
		}, "Alice has claimed this task.", "[data-complete], form[action$=release]", ".task-owner"},
		"assigned to the viewer": {nil, func(task uuid.UUID) error {
			_, err := s.app.AssignProcessItemTask(ctx, alice, task, app.PrincipalKey{ID: &bobID})
			return err
		}, "Alice has given this task to you.", "form[action$=claim]", "[data-complete]"},
		"released": {&bobID, func(task uuid.UUID) error {
			_, err := s.app.ReleaseProcessItemTask(ctx, alice, task)
			return err
		}, "Alice has released this task.", "[data-complete]", "form[action$=claim]"},
		"completed": {&bobID, func(task uuid.UUID) error {
			if _, err := s.app.AssignProcessItemTask(ctx, alice, task, app.PrincipalKey{ID: &alice.PrincipalID}); err != nil {
				return err
			}
			_, err := s.app.CompleteProcessItemTask(ctx, alice, task)
			return err
		}, "Alice has completed this task.", "[data-complete]", ".facts .text-green"},
		"cancelled": {&bobID, func(task uuid.UUID) error {
			opened, err := s.app.OpenTask(ctx, alice, task)
			if err != nil {
				return err
			}
			_, err = s.app.CancelProcess(ctx, alice, opened.ProcessID)
			return err
		}, "cancelled this task.", "[data-complete]", ".task-change"},
		"no longer visible": {&bobID, func(task uuid.UUID) error {
			opened, err := s.app.OpenTask(ctx, alice, task)
			if err != nil {
				return err
			}
			if _, err := s.app.CancelProcess(ctx, alice, opened.ProcessID); err != nil {
				return err
			}
			return s.app.DeleteProcess(ctx, alice, opened.ProcessID)
		}, "no longer visible to you", "[data-complete]", ".task-change a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, url: s.url, db: s.db, app: s.app}
			task := s.createTask(s.startLoan("Loan that is "+name), "APPROVE_LOAN", "")
			if c.owner != nil {
				s.assignTask(task, demo.Bob())
			}
			bob := s.signIn("Bob")
			bob.openPath("tasks/" + task.String())
			bob.Await(`document.querySelector("#form")`)
			began := time.Now()
			require.NoError(t, c.change(task))
			bob.AwaitText(c.banner)
			t.Logf("shown after %s", time.Since(began).Round(time.Millisecond))
			require.Zero(t, bob.Count(".pane :is("+c.gone+")"))
			bob.Await("document.querySelector('.pane :is(" + c.there + ")')")
			s.requireAccessible(bob.Tab)
		})
	}
}

// Input that could not be saved before the task was taken away can be copied.
func TestUnsavedInputIsKeptWhenTheTaskIsTakenAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan that is taken away"), "APPROVE_LOAN", "")
	s.assignTask(task, demo.Bob())
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.String())
	bob.Await(`document.querySelector("[name='v/FIRST_NAME']")`)
	bob.Eval(`const send = window.fetch; window.fetch = (to, options) => options?.method === "POST" ? Promise.reject(new TypeError("offline")) : send(to, options)`)
	bob.Type(`[name="v/FIRST_NAME"]`, "Ada and twenty words more")
	bob.AwaitText("No connection.")
	s.assignTask(task, demo.Alice())
	bob.AwaitText("Alice has claimed this task.")
	require.Contains(t, bob.Text("[data-unsaved]"), "Ada and twenty words more")
	require.Equal(t, "Ada and twenty words more", browsertest.Eval[string](bob.Tab, `document.querySelector("[data-unsaved] [data-copy]").dataset.copy`))
	require.Zero(t, bob.Count("#form [name^=v]:not([type=hidden])"))
	s.requireAccessible(bob.Tab)
}

// A failure to save has a reason and a way out.
func TestFailureToSaveHasAReason(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan that is not saved"), "APPROVE_LOAN", "")
	s.assignTask(task, demo.Bob())
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.String())
	bob.Await(`document.querySelector("[name='v/FIRST_NAME']")`)
	at, err := url.Parse(s.url)
	require.NoError(t, err)
	cookies := s.clientWithToken(demo.Bob().Secret).Jar.Cookies(at)
	set := func(value func(*http.Cookie) string) {
		for _, cookie := range cookies {
			bob.Cookie(s.url, &http.Cookie{Name: cookie.Name, Value: value(cookie), Path: "/", HttpOnly: true})
		}
	}
	set(func(*http.Cookie) string { return "ended" })
	bob.Set(`[name="v/FIRST_NAME"]`, "Ada")
	bob.AwaitText("You are signed out.")
	require.Equal(t, "_blank", browsertest.Eval[string](bob.Tab, `document.querySelector("[data-sign-in]:not([hidden])").target`))
	set(func(c *http.Cookie) string { return c.Value })
	bob.Eval(`window.dispatchEvent(new Event("focus"))`)
	bob.Await(`document.querySelector("[data-status]").dataset.state === "saved" && document.querySelector("[data-sign-in]").hidden`)

	// The page does not hear of the new owner here, only the form.
	bob.Eval(`document.querySelector("[data-task-news]").removeAttribute("data-task-news")`)
	bob.Eval(`window.BroadcastChannel = undefined; document.querySelector(".pane article").removeAttribute("data-about")`)
	s.assignTask(task, demo.Alice())
	bob.Set(`[name="v/LAST_NAME"]`, "Example")
	bob.AwaitText("The task belongs to another person.")
}

// The other window of a person is named as such.
func TestOwnChangesInAnotherWindow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Loan in two windows"), "APPROVE_LOAN", "")
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.String())
	_, err := s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	bob.AwaitText("You claimed this task in another window.")
	bob.Await(`document.querySelector("[data-complete]")`)
}

// A part that cannot be loaded has no frame of a page.
func TestFailuresOfPartsHaveNoFrame(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	client := s.clientWithToken(demo.Bob().Secret)
	for _, path := range []string{"processes/" + uuid.NewString() + "/beside", "processes/" + uuid.NewString() + "/engine/history", "nothing"} {
		answer := s.sendRequest(client, http.MethodGet, path, nil, "HX-Request", "true")
		require.Equal(t, http.StatusNotFound, answer.status)
		require.NotContains(t, string(answer.body), "<main", path)
		require.Contains(t, string(answer.body), "data-failure", path)
	}
	answer := s.sendRequest(client, http.MethodGet, "nothing", nil, "Accept", "application/json")
	require.JSONEq(t, `{"status":"failed","message":"Not found. It does not exist, or you do not have access."}`, string(answer.body))
}
