package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// A person with a claimed task is disabled, which leaves the work without an owner, and the work is handed over.
func TestWorkOfALeaverIsHandedOver(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startLoan("Leaver's loan")
	task := s.createTask(process, "APPROVE_LOAN", "")
	bob := s.callerOf(demo.Bob())
	_, err := s.app.ClaimProcessItemTask(t.Context(), bob, task)
	require.NoError(t, err)
	requireOwner := func(owner domain.Call) {
		t.Helper()
		found, err := s.app.RetrieveProcessItem(t.Context(), s.callerOf(demo.Alice()), task)
		require.NoError(t, err)
		require.Equal(t, &owner.PrincipalID, found.OwnerID)
	}

	alice := s.signIn("Alice")
	alice.openPath("people/demo/User/bob")
	alice.Click("a[href$='do=disable']")
	alice.AwaitText("1 claimed task")
	s.requireAccessible(alice.Tab)
	s.takeScreenshots(alice.Tab, "leave")
	alice.Set("select[name=handOver]", "keep")
	alice.Click("form[action$='/disable'] button")
	alice.AwaitText("Disabled")
	requireOwner(bob)

	alice.openPath("people")
	alice.Click("a[href$='people/unowned']")
	alice.AwaitText("disabled")
	s.requireAccessible(alice.Tab)
	s.takeScreenshots(alice.Tab, "unowned")
	alice.Set("select[name=handOver]", "user/carol")
	alice.Click("form[action$='/unowned'] button")
	alice.Await(`!document.body.textContent.includes("Claimed task")`)
	requireOwner(s.callerOf(demo.Carol()))

	alice.openPath("people/demo/User/bob/leave?do=delete")
	alice.Set("select[name=handOver]", "user/carol")
	alice.Click("form[action$='/delete'] button")
	alice.AwaitText("New: User")
	_, err = s.app.AssignProcessItemTask(t.Context(), s.callerOf(demo.Alice()), task, app.PrincipalKey{ID: &bob.PrincipalID})
	require.Error(t, err)
}
