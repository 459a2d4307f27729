package console_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// delegateTask has an account claim a task and delegate it.
func (s *site) delegateTask(task uuid.UUID, by, to demo.Account, note string) {
	s.t.Helper()
	_, err := s.app.ClaimProcessItemTask(s.t.Context(), s.callerOf(by), task)
	require.NoError(s.t, err)
	_, err = s.app.DelegateProcessItemTask(s.t.Context(), s.callerOf(by), task, app.PrincipalKey{ID: &to.ID}, note)
	require.NoError(s.t, err)
}

func TestTaskIsDelegatedAndTakenBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	process := s.startLoan("Loan to delegate")
	task := s.createTask(process, "APPROVE_LOAN", "")
	bob, carol := s.signIn("Bob"), s.signIn("Carol")
	bob.openPath("tasks/" + task.String())
	bob.Click("form[action$=claim] button")
	bob.AwaitText("Release")
	bob.Click("form[action$=delegate] button")
	bob.Type("#note", "The amount looks odd.")
	bob.Type("#assign [name=q]", "caro")
	bob.Await(`document.querySelectorAll(".person").length === 1`)
	bob.RequireAccessible()
	bob.Click(".person")
	bob.AwaitText("You delegated this task to Carol.")
	bob.RequireAccessible()

	carol.openPath("tasks/" + task.String())
	carol.AwaitText("Bob delegated this task to you.")
	require.Contains(t, carol.Text(".task-note"), "The amount looks odd.")
	carol.RequireAccessible()

	bob.Click("form[action$=claim] button")
	bob.AwaitText("Release")
	bob.Await(`!document.body.innerText.includes("delegated this task")`)
	bob.openPath("processes/" + process.String() + "/timeline")
	bob.AwaitText("delegated “Approve the loan” to Carol")
	bob.AwaitText("took “Approve the loan” back")
}

// Who does one of two opposed tasks sees before the claim why another person must do the other.
func TestClaimOfOpposedTaskIsDisabled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.applyManifests(`
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: PAYMENT, tenant: demo}
spec:
  name: Payment
  items:
    - {code: CHECK, type: TASK, name: Check, candidates: [{user: bob}]}
    - {code: APPROVE, type: TASK, name: Approve, fourEyesWith: [CHECK], candidates: [{user: bob}, {user: carol}]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`)
	alice, bob := s.callerOf(demo.Alice()), demo.Bob().ID
	started, _, err := s.app.CreateProcess(t.Context(), alice, app.NewProcess{Definition: app.DefinitionKey{Code: "PAYMENT"}})
	require.NoError(t, err)
	_, _, err = s.app.CreateProcessItem(t.Context(), alice, app.NewItem{
		Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "CHECK", Owner: app.PrincipalKey{ID: &bob},
	})
	require.NoError(t, err)
	approve, _, err := s.app.CreateProcessItem(t.Context(), alice, app.NewItem{Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "APPROVE"})
	require.NoError(t, err)

	someone := s.signIn("Bob")
	someone.openPath("tasks/" + approve.ID.String())
	someone.AwaitText("You do “Check” in this process, so another person must do this task.")
	require.Zero(t, someone.Count("form[action$=claim] button"))
	require.Equal(t, 1, someone.Count("button[disabled][aria-describedby=four-eyes]"))
	someone.RequireAccessible()

	carol := s.signIn("Carol")
	carol.openPath("tasks/" + approve.ID.String())
	carol.Click("form[action$=claim] button")
	carol.AwaitText("Release")

	manager := s.signIn("Alice")
	manager.openPath("tasks/assign?task=" + approve.ID.String())
	manager.Type("#assign [name=q]", "bob")
	manager.Await(`document.querySelectorAll(".person").length === 1`)
	manager.Click(".person")
	manager.AwaitText("Another person must do this task: the person does its counterpart in the process.")
}
