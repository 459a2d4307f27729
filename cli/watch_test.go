package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

// --watch shows the present rows and then their changes.
func TestChangesAreWatched(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	member := w.as(memberToken)
	for name, c := range map[string]struct {
		by           *terminal
		args         []string
		first, later string
	}{
		"tasks":     {member, []string{"tasks", "list", "--watch"}, `REVIEW .*READY`, `REVIEW .*CLAIMED`},
		"processes": {member, []string{"processes", "list", "--watch"}, `LOAN .*RUNNING`, `LOAN .*COMPLETED`},
		"manifests": {w, []string{"get", "groups", "--watch"}, `REVIEWERS`, `NEW`},
		"history":   {member, []string{"processes", "history", workProcess, "--follow"}, `started`, `completed`},
	} {
		shown := c.by.startFollowing(c.args...)
		shown.await(t, c.first)
		defer func() {
			shown.await(t, c.later)
			require.NoError(t, shown.stop(), name)
		}()
	}
	const other = "01980000-0000-7000-8000-0000000000c9"
	started := member.startFollowing("start", "LOAN", "--id", other, "--watch")
	started.await(t, "^"+other+"$")

	w.succeeds("apply", "-f", w.writeFile("group.yaml", group("NEW", "")))
	member.succeeds("tasks", "claim", workReview)
	w.succeeds("processes", "complete", workProcess, "--yes")
	w.succeeds("processes", "cancel", other, "--yes")
	started.await(t, "cancelled")
	defer started.interrupt()
	require.ErrorContains(t, <-started.ended, "the process was cancelled")
}

func TestApplyWaitsForWorkers(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("apply", "-f", "testdata/north", "--wait", "1ms")
	require.Equal(t, cli.ExitFailure, o.exitCode())
	require.ErrorContains(t, o.err, "after 1ms, some applied definitions cannot run:")
}

func TestHealthShowsBacklogs(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	requireGolden(t, "health.txt", w.succeeds("health"))
	require.Equal(t, "0\n", w.succeeds("health", "--tenant", "north", "-o", "jq=.openIncidents"))
	require.Contains(t, w.fails(cli.ExitDenied, "health", "--checks"), "operators")
	require.Contains(t, w.as(memberToken).fails(cli.ExitDenied, "health"), "MEMBER")
}
