package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// A change with a reason is a sentence in the audit, its page has the differences, and the rights before and after it are listed by
// time.
func TestChangeIsExplained(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	text := hostileManifests[:strings.Index(hostileManifests, "---")]
	s.applyManifests(text)
	s.applyManifests(strings.Replace(text, "{user: bob}", "{user: carol}", 1) + "  subjectTemplate: Second\n")
	const path = "definitions/demo/ProcessDefinition/HOSTILE"
	alice := s.signInWithoutScript("Alice")
	alice.openPath(path + "/edit?version=1")
	alice.Type("[name=reason]", "Second was a mistake")
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitText("This is applied.")

	alice.openPath("audit?what=" + string(domain.EventResourceChanged))
	require.Equal(t, 1, alice.Count("option[value='RESOURCE.CHANGED'][selected]"))
	require.Contains(t, alice.Text("#audit tbody tr"), "Alice changed the definition HOSTILE (Process)")
	require.Contains(t, alice.Text("#audit tbody tr"), "Second was a mistake")
	alice.Click("#audit tbody .row-link")
	alice.AwaitText("What changed")
	require.Contains(t, alice.Text(".differences .gone"), "subjectTemplate: Second")
	require.Contains(t, alice.Text("#record .page-about"), "Second was a mistake")

	alice.openPath(path)
	alice.Click("a[href$='/rights']")
	alice.AwaitText("Who could do what")
	require.Contains(t, alice.Text("#past-rights"), "Carol")
	first := sql[string](s, `SELECT to_char(min(h.since) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') FROM manifest_history h WHERE h.code = 'HOSTILE'`)
	alice.openPath(path + "/rights?" + url.Values{"at": {first}, "item": {"T"}}.Encode())
	require.Contains(t, alice.Text("#past-rights"), "Bob")
	require.NotContains(t, alice.Text("#past-rights"), "Carol")
	alice.openPath(path + "/rights?at=2020-01-31T08:00")
	require.Contains(t, alice.Text("[role=alert]"), "is before the recorded history of the tenant, which begins at")
}
