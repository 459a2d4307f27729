package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

const stored = `JSON.stringify({...sessionStorage, ...localStorage})`

// openDraft types a subject into the form to start a process, and waits until the browser keeps it.
func (p *person) openDraft(subject string) {
	p.s.t.Helper()
	p.openPath("start/" + demo.Loan().String())
	p.Type("#f-subject", subject)
	p.Await(stored + `.includes("Draft")`)
}

func TestDraftsStayWithTheirUser(t *testing.T) {
	t.Parallel()
	path := "start/" + demo.Loan().String()
	subject := func(b *browsertest.Tab) string {
		b.Await(`document.getElementById("f-subject") !== null`)
		return browsertest.Eval[string](b, `document.getElementById("f-subject").value`)
	}
	t.Run("sign-out removes them in all tabs", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		alice := s.signIn("Alice")
		other := &person{alice.NewTab(), s}
		other.openDraft("Draft of the other tab")
		alice.openDraft("Draft of Alice")
		alice.Click("details.menu > summary")
		alice.Click("form[action$=sign-out] button")
		for _, tab := range []*browsertest.Tab{alice.Tab, other.Tab} {
			tab.AwaitPath(web.Root + "sign-in")
			require.Equal(t, "{}", browsertest.Eval[string](tab, stored))
		}
		alice.Eval("history.back()")
		alice.Await(`location.search.startsWith("?return=")`)
		require.NotContains(t, alice.Text("body"), "Draft")
		alice.enterCredentials("Carol")
		alice.openPath(path)
		require.Empty(t, subject(alice.Tab))
	})
	t.Run("another user does not get them", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		alice := s.signIn("Alice")
		alice.openDraft("Draft of Alice")
		alice.enterCredentials("Carol")
		require.Equal(t, "{}", browsertest.Eval[string](alice.Tab, stored))
		alice.openPath(path)
		require.Empty(t, subject(alice.Tab))
	})
	t.Run("their user gets them after another sign-in", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		alice := s.signIn("Alice")
		alice.openDraft("Draft of Alice")
		alice.enterCredentials("Alice")
		alice.openPath(path)
		alice.Await(`document.getElementById("f-subject")?.value === "Draft of Alice"`)
	})
}

func TestEndOfASessionClearsTheBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"sign-out", "sessions/ID/end"} {
		browser := s.clientWithToken(demo.Bob().Secret)
		id := sql[string](s, `SELECT id::text FROM console_sessions WHERE principal_id = $1 ORDER BY created_at DESC LIMIT 1`, demo.Bob().ID)
		path = strings.Replace(path, "ID", id, 1)
		require.Equal(t, `"cache", "storage"`, s.sendRequest(browser, http.MethodPost, path, nil).header.Get("Clear-Site-Data"), path)
	}
}
