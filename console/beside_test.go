package console_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// The page of a task has the process of the task next to the form.
func TestProcessBesideTask(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	loan := uuid.MustParse(s.loanOf("Loan beside "+hostile, "Ada", "Example"))
	task := s.createTask(loan, "APPROVE_LOAN", "")
	other := s.createTask(loan, "LOAN_APPLICATION", "")
	page := "tasks/" + task.String()

	t.Run("with its state, actions and other open tasks", func(t *testing.T) {
		t.Parallel()
		alice := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Alice")
		alice.openPath(page)
		alice.Await(`document.querySelector("#beside .actions-menu")`)
		require.Contains(t, alice.Text("#beside"), "Loan · version 1")
		require.Contains(t, alice.Text("#beside"), "Ada")
		require.Equal(t, 1, alice.Count(fmt.Sprintf("#beside a[href*=%q]", other)))
		require.Zero(t, alice.Count(fmt.Sprintf("#beside-open ~ ul a[href*=%q]", task)))
		for _, width := range []int64{1280, 1920} {
			alice.Size(width, 900)
			require.True(t, browsertest.Eval[bool](alice.Tab, `document.querySelector("#beside").getBoundingClientRect().left >= document.querySelector("#form").getBoundingClientRect().right`))
			alice.RequireNoSidewaysScroll()
		}
		alice.Click(".task-subject a")
		alice.AwaitPath(web.Root + "processes/" + loan.String())
	})
	t.Run("and each part of it", func(t *testing.T) {
		t.Parallel()
		alice := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Alice")
		alice.openPath(page)
		for part, shown := range map[string]string{
			"timeline": "started the process", "documents": "There are no documents.", "messages": "Send", "process": "Other open tasks",
		} {
			alice.Click(fmt.Sprintf("#beside .tab[href*='part=%s']", part))
			alice.Await(fmt.Sprintf("document.querySelector('#beside').innerText.includes(%q)", shown))
			alice.AwaitPath(web.Root + page + "?part=" + part + "&view=to-claim")
			alice.requireFit()
			alice.Size(1280, 800)
		}
	})
	t.Run("as tabs on a phone", func(t *testing.T) {
		t.Parallel()
		alice := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Alice")
		alice.Size(390, 800)
		alice.openPath(page)
		formShown := func(shown bool) {
			alice.Await(fmt.Sprintf(`document.querySelector("#form").checkVisibility() === %t`, shown))
		}
		formShown(true)
		require.False(t, browsertest.Eval[bool](alice.Tab, `document.querySelector("#beside").checkVisibility()`))
		alice.Click("#task-parts .tab[href*='part=timeline']")
		alice.AwaitText("started the process")
		formShown(false)
		alice.requireFit()
		alice.Size(390, 800)
		alice.Click("#task-parts .tab:first-child")
		formShown(true)
	})
}

// A message that was sent at a task leaves the composer, and the form keeps its input.
func TestMessageBesideTask(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	loan := s.startLoan("Loan to talk about")
	task := s.createTask(loan, "APPROVE_LOAN", "")
	s.assignTask(task, demo.Alice())
	alice := s.signIn("Alice")
	alice.openPath("tasks/" + task.String() + "?part=messages")
	alice.Await(`document.querySelector("#beside textarea")`)
	alice.Eval(`document.querySelector("#form").mark = "kept"`)
	alice.Type("#beside textarea", "Is the income proven?")
	alice.Click("#beside .message-form button")
	alice.Await(`document.querySelector("#beside .message-text")?.innerText === "Is the income proven?"`)
	alice.requireEmptyComposer("#beside textarea")
	require.Equal(t, "kept", browsertest.Eval[string](alice.Tab, `document.querySelector("#form").mark`))
	// Messages of others appear by themselves, and leave the text in the composer.
	alice.Type("#beside textarea", "A second")
	_, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.LoanWorker()), app.NewItem{Type: domain.ItemMessage, ProcessID: loan, Text: "It is."})
	require.NoError(t, err)
	alice.Await(`document.querySelectorAll("#beside .message").length === 2`)
	require.Equal(t, "A second", browsertest.Eval[string](alice.Tab, `document.querySelector("#beside textarea").value`))

	bare := s.signInWithoutScript("Alice")
	bare.openPath("tasks/" + task.String() + "?part=messages")
	bare.Type("#beside textarea", "Without scripts")
	bare.Click("#beside .message-form button")
	bare.AwaitText("Without scripts")
	require.Contains(t, bare.Path(), "tasks/"+task.String()+"?part=messages")
}

// requireEmptyComposer requires that a composer is empty and has the focus.
func (p *person) requireEmptyComposer(selector string) {
	p.s.t.Helper()
	p.Await(fmt.Sprintf(`document.querySelector(%[1]q).value === "" && document.activeElement === document.querySelector(%[1]q)`, selector))
}

// A person who may see a task but not its process gets no link to the process.
func TestTaskWithoutItsProcess(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.applyManifests(`
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: SECRETIVE, tenant: demo}
spec:
  name: Secretive
  items:
    - {code: LOOK, type: TASK, name: Look at it, candidates: [{user: alice}], viewers: [{user: bob}]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`)
	started, _, err := s.app.CreateProcess(t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{Code: "SECRETIVE"}, Subject: "A secret",
	})
	require.NoError(t, err)
	task, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{
		Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "LOOK",
	})
	require.NoError(t, err)
	bob := s.signIn("Bob")
	bob.openPath("tasks/" + task.ID.String())
	bob.AwaitText("A secret")
	require.Zero(t, bob.Count(".pane a[href*=processes], #beside"))

	// A process without workflows has no tab for them.
	alice := s.signIn("Alice")
	alice.openPath("processes/" + started.ID.String())
	alice.Await(`document.querySelector(".tab[href$='/timeline']")`)
	require.Zero(t, alice.Count(".tab[href$='/engine']"))
}
