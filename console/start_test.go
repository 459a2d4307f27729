package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

func TestStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.loanOf("Loan to repeat", "Given-1", "Family-1")
	t.Run("a process, without a script, and again with its values", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signInWithoutScript("Carol")
		carol.open("start?q=loa")
		carol.Click(".tile a")
		carol.Type("#subject", "Started "+hostile)
		carol.Type("#member-FIRST_NAME", "Given-2")
		carol.Click(".form-actions button")
		carol.AwaitText("started by Carol")
		carol.AwaitText("Given-2")
		carol.open("processes/" + old)
		carol.Click(".again a")
		carol.AwaitText("With the values of Loan to repeat")
		carol.Click(".form-actions button")
		carol.AwaitText("Family-1")
		require.NotContains(t, carol.Path(), old)
	})
	t.Run("is accessible and fits on a phone", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		for _, path := range []string{"start", "start/" + demo.Loan().String()} {
			carol.Size(1280, 800)
			carol.open(path)
			carol.requireFit()
		}
	})
	t.Run("is refused to those who may not", func(t *testing.T) {
		t.Parallel()
		bob := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Bob")
		bob.open("start")
		bob.AwaitText("There is nothing that you may start.")
		bob.open("start/" + demo.Loan().String())
		bob.AwaitText("Not allowed")
	})
}
