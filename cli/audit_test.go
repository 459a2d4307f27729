package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

// A change of a group is found by its type, shown as a diff with its reason, and its effect on rights is listed for the times before
// and after it.
func TestChangesAndRightsOfAPastTime(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := strings.TrimSpace(w.succeeds("get", "group", "REVIEWERS", "-o", "jq=.status.lastModifiedAt"))
	changed := `{"apiVersion":"procession/v1","kind":"Group","metadata":{"code":"REVIEWERS","tenant":"north","labels":{"app":"loans"}},
		"spec":{"name":"Reviewers","members":[{"user":"administrator"}]}}`
	w.withInput(changed).succeeds("apply", "-f", "-", "--reason", "member is on leave")
	w.awaitEvents(1, "--type", "RESOURCE.CHANGED")
	id := strings.TrimSpace(w.succeeds("events", "--type", "RESOURCE.CHANGED", "-o", "jq=.[].id"))
	shown := w.succeeds("events", "show", id)
	require.Regexp(t, `(?m)^Type +RESOURCE\.CHANGED$`, shown)
	require.Regexp(t, `(?m)^ +reason +member is on leave$`, shown)
	require.Contains(t, shown, "--- REVIEWERS\n+++ REVIEWERS\n")
	require.Contains(t, shown, "-    - user: member\n+    - user: administrator\n")
	require.Equal(t, "member\n", w.succeeds("events", "show", id, "-o", "jq=.before.spec.members[].user"))

	require.Regexp(t, `claim +REVIEW +user administrator +\S.* group REVIEWERS\n`, w.succeeds("rights", "LOAN/REVIEW"))
	then := w.runs("rights", "LOAN/REVIEW", "--at", before)
	require.NoError(t, then.err)
	require.Regexp(t, `claim +REVIEW +user member +\S.* group REVIEWERS\n`, then.stdout)
	require.Contains(t, then.stderr, "At ")
	require.Regexp(t, `claim +APPLY +the initiator of the process`, w.succeeds("rights", "LOAN"))
	require.Equal(t, "owner\nworker\n", w.succeeds("rights", "LOAN", "-o",
		`jq=.rights[] | select(.may == "manage processes") | .holders[].code`))

	require.Contains(t, w.fails(cli.ExitUsage, "rights", "LOAN", "--at", "yesterday"), "--at must be a time such as 2027-01-31T08:00")
	require.Contains(t, w.fails(cli.ExitUsage, "rights", "LOAN", "--at", "2020-01-31T08:00"), "is before the recorded history of the tenant")
	require.Contains(t, w.fails(cli.ExitNotFound, "rights", "LOAN/NONE"), "LOAN/NONE not found")
	require.Contains(t, w.fails(cli.ExitNotFound, "events", "show", "01970000-0000-7000-8000-000000000001"), "not found")
	require.Contains(t, w.fails(cli.ExitUsage, "events", "show", "x"), "is not an id")
}
