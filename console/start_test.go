package console_test

import (
	"path"
	"testing"

	"github.com/google/uuid"
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
		carol.openPath("start?q=loa")
		carol.Click(".tile a")
		carol.Type("#f-subject", "Started "+hostile)
		carol.Type("#f-metadata-FIRST_5fNAME", "Given-2")
		carol.Click("[data-complete]")
		carol.AwaitText("started by Carol")
		carol.AwaitText("Given-2")
		carol.openPath("processes/" + old)
		carol.Click(".again a")
		carol.AwaitText("With the values of Loan to repeat")
		carol.Click("[data-complete]")
		carol.AwaitText("Family-1")
		require.NotContains(t, carol.Path(), old)
	})
	t.Run("has the entity, and asks before it starts without what is missing", func(t *testing.T) {
		t.Parallel()
		alice := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Alice")
		alice.openPath("start/" + demo.Onboarding().String())
		alice.Type("#f-subject", "Onboarding of one")
		alice.Type("#f-entity-age", "7")
		alice.openPath("start/" + demo.Onboarding().String())
		alice.Await(`document.getElementById("f-entity-age")?.value === "7"`)
		alice.Click("[data-complete]")
		alice.AwaitText("Name is required.")
		alice.requireFit()
		alice.Click("[data-anyway] button")
		alice.AwaitText("started by Alice")
		alice.AwaitText("Onboarding of one")
		id, err := uuid.Parse(path.Base(alice.Path()))
		require.NoError(t, err)
		started, err := s.app.RetrieveProcess(t.Context(), s.callerOf(demo.Alice()), id)
		require.NoError(t, err)
		require.JSONEq(t, `{"age":7}`, string(started.Entity.Value))
	})
	t.Run("is accessible and fits on a phone", func(t *testing.T) {
		t.Parallel()
		carol := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Carol")
		for _, at := range []string{"start", "start/" + demo.Loan().String()} {
			carol.Size(1280, 800)
			carol.openPath(at)
			carol.requireFit()
		}
	})
	t.Run("is refused to those who may not", func(t *testing.T) {
		t.Parallel()
		bob := (&site{t: t, url: s.url, db: s.db, app: s.app}).signIn("Bob")
		bob.openPath("start")
		bob.AwaitText("There are no processes that you may start.")
		bob.openPath("start/" + demo.Loan().String())
		bob.AwaitText("Not allowed")
	})
}
