package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestWorkOfPeopleWhoLeave(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const process, task, erin = "01980000-0000-7000-8000-0000000000c1", "01980000-0000-7000-8000-0000000000c2", "01980000-0000-7000-8000-0000000000e1"
	file := filepath.Join(t.TempDir(), "erin.yaml")
	write := func(more string) {
		require.NoError(t, os.WriteFile(file, []byte("apiVersion: procession/v1\nkind: User\nmetadata: {code: erin, tenant: north, id: "+erin+
			", labels: {team: leavers}}\nspec: {name: Erin, email: erin@north.example"+more+"}\n"), 0o600))
	}
	write("")
	w.succeeds("apply", "-f", file)
	w.create(`{"id":"` + process + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)
	w.ask(ownerToken, http.MethodPost, "/v2024-06-14/process-items", `{"id":"`+task+`","type":"TASK","processId":"`+process+
		`","processItemDefinitionCode":"REVIEW","ownerId":"`+erin+`"}`, http.StatusCreated)

	require.Contains(t, w.succeeds("work", "show", "erin", "--tenant", "north"), task)
	write(", disabled: true")
	require.Contains(t, w.fails(cli.ExitConflict, "apply", "-f", file), "1 claimed task")
	require.Contains(t, w.fails(cli.ExitConflict, "apply", "-f", w.empty(), "--prune", "-l", "team=leavers", "--tenant", "north"), "1 claimed task")
	require.Contains(t, w.fails(cli.ExitConflict, "delete", "user", "erin", "--yes"), "1 claimed task")
	require.Contains(t, w.fails(cli.ExitUsage, "delete", "user", "erin", "--yes", "--hand-over", "bob"), "must be keep, release")
	w.succeeds("apply", "-f", file, "--hand-over", "keep")
	require.Contains(t, w.succeeds("work", "list"), task)
	require.Equal(t, "1 task, 0 processes, 0 incidents handed over\n", w.succeeds("work", "hand-over", "erin", "--tenant", "north", "--to", "release"))
	require.NotContains(t, w.succeeds("work", "list"), task)
	w.succeeds("delete", "user", "erin", "--yes", "--hand-over", "release")
}

// empty returns a manifest of another resource.
func (w *terminal) empty() string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "group.yaml")
	require.NoError(w.t, os.WriteFile(file, []byte("apiVersion: procession/v1\nkind: Group\nmetadata: {code: EMPTY, tenant: north}\nspec: {name: Empty}\n"), 0o600))
	return file
}
