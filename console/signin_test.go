package console_test

import (
	"testing"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	t.Run("by the button of a demo user", func(t *testing.T) {
		t.Parallel()
		carol := newSite(t).signIn("Carol")
		carol.AwaitText("Carol")
	})
	t.Run("by token, back to where the visitor wanted to go", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		b := s.openBrowser()
		b.Open(s.url + "tasks?view=mine")
		b.AwaitPath(web.Root + "sign-in?return=%2Fconsole%2Ftasks%3Fview%3Dmine")
		b.Type("#token", "wrong\r")
		b.AwaitText("Sign-in failed")
		b.Type("#token", demo.Bob().Secret+"\r")
		b.AwaitPath(web.Root + "tasks?view=mine")
	})
	t.Run("ends with sign-out", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		bob := s.signIn("Bob")
		bob.Click("details.menu > summary")
		bob.Click("form[action$=sign-out] button")
		bob.AwaitPath(web.Root + "sign-in")
		bob.openPath("tasks")
		bob.AwaitPath(web.Root + "sign-in?return=%2Fconsole%2Ftasks")
	})
}
