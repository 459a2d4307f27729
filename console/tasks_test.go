package console_test

import (
	"testing"

	"github.com/procession-dev/procession/console/web"
)

func TestTask(t *testing.T) {
	t.Parallel()
	t.Run("is claimed", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		task := s.task(s.loan("Loan to claim"), "APPROVE_LOAN", "")
		bob := s.signIn("Bob")
		bob.open("tasks?q=Loan+to+claim")
		bob.AwaitText("1 in all")
		bob.Click(".row-link")
		bob.AwaitPath(web.Root + "tasks/" + task.String() + "?q=Loan+to+claim&view=to-claim")
		bob.Click("form[action$=claim] button")
		bob.AwaitText("Claimed")
	})
}
