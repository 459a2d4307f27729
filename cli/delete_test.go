package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	before := w.allResources()
	require.Contains(t, w.fails(cli.ExitConflict, "delete", "group", "REVIEWERS", "--yes"), "needs Group REVIEWERS")
	require.Equal(t, "Robot/NONE not found", w.fails(cli.ExitNotFound, "delete", "robot", "NONE", "-y"))
	require.Equal(t, before, w.allResources())

	// Without --yes it asks.
	require.Contains(t, w.fails(cli.ExitUsage, "delete", "robot", "BOT"), "--yes")
	o := w.withInput("no\n").runs("delete", "robot", "BOT")
	require.Equal(t, cli.ExitFailure, o.exitCode())
	require.Equal(t, "Robot/BOT\nDelete 1? [y/N] ", o.stderr)
	require.Equal(t, before, w.allResources())
	require.Equal(t, "Robot/BOT deleted\n", w.withInput("y\n").succeeds("delete", "robot", "BOT"))
	w.fails(cli.ExitNotFound, "get", "robot", "BOT")
	require.Equal(t, "north/WebhookSubscription/EVENTS deleted\n",
		w.succeeds("delete", "webhook", "EVENTS", "--tenant", "north", "--yes"))

	for _, wrong := range [][]string{
		{"delete"},
		{"delete", "robot"},
		{"delete", "robot", "BOT", "LOAN"},
		{"delete", "cat", "BOT", "-y"},
		{"delete", "robot", "..", "-y"},
		{"delete", "robot", "BOT", "-f", "testdata/north", "-y"},
		{"delete", "-f", w.writeFile("x.yaml", "kind: Group\n"), "-y"},
	} {
		w.fails(cli.ExitUsage, wrong...)
	}
}

func TestDeleteDocuments(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	// The second definition needs the first, in whatever order they are given.
	const action = `, userActions: [{code: GO, name: Go, type: START_RELATED_PROCESS, processDefinition: LOAN, permissions: [MANAGER]}]`
	const more = "apiVersion: procession/v1\nkind: ProcessDefinition\nmetadata: {code: AFTER, tenant: north}\n" +
		"spec: {name: After, permissions: {initiators: [{user: member}]}" + action + "}\n"
	w.withInput(more).succeeds("apply", "-f", "-")
	files := []string{"delete", "-f", "testdata/north/loan.yaml", "-f", w.writeFile("more.yaml", more)}
	require.Contains(t, w.fails(cli.ExitConflict, "delete", "-f", "testdata/north/loan.yaml", "-y"), "LOAN")
	w.succeeds("delete", "artifact", "CUSTOMER", "-y")
	o := w.withInput("yes\n").runs(files...)
	require.NoError(t, o.err)
	require.Equal(t, "north/ProcessDefinition/AFTER deleted\nnorth/ProcessDefinition/LOAN deleted\n"+
		"north/DataStructure/ADDRESS deleted\nnorth/Group/REVIEWERS deleted\n", o.stdout)
	require.Contains(t, w.succeeds(append(files, "--yes")...), "north/ProcessDefinition/LOAN absent\n")
}
