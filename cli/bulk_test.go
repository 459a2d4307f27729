package cli_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestBulk(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	require.Equal(t, "no bulk operations\n", w.runs("bulk", "list").stderr)
	first, _ := w.failedWorkflow("01980000-0000-7000-8000-0000000000b1", "=no funds")
	second, _ := w.failedWorkflow("01980000-0000-7000-8000-0000000000b2", "timed out")
	require.Regexp(t, `(?m)^move-processes +--to-version +move processes`, w.succeeds("bulk", "kinds"))
	require.Contains(t, w.complete("bulk preview "), "retry-incidents")

	retried := []string{"retry-incidents", "--state", "open", "--search", "no funds", "--tenant", "north"}
	id := strings.TrimSpace(w.succeeds(append([]string{"bulk", "preview", "-o", "jq=.id"}, retried...)...))
	require.Regexp(t, `^[0-9a-f-]{36}$`, id)
	shown := w.succeeds("bulk", "preview", "dismiss-incidents", "--id", first, "--id", second, "--assignee", "nobody", "--acknowledged=false")
	require.Regexp(t, `(?m)^2 +selected +bulk operation`, shown)
	require.Regexp(t, `(?m)^2 +changed`, shown)
	require.Regexp(t, `(?m)^0 +selected`, w.succeeds("bulk", "preview", "release-tasks", "--owner", uuid.NewString()))
	require.Empty(t, w.succeeds("bulk", "list"), "previews")
	w.as(memberToken).fails(cli.ExitNotFound, "bulk", "start", id, "--reason", "the bank is open")

	require.Equal(t, id+" RUNNING: 0 of 1 handled, 0 changed, 0 refused\n", w.succeeds("bulk", "start", id, "--reason", "the bank is open"))
	w.fails(cli.ExitConflict, "bulk", "start", id, "--reason", "again")
	require.Contains(t, w.complete("bulk stop "), id)
	require.Regexp(t, `(?m)^`+id+` +retry-incidents +RUNNING +1 +0 +0 .* the bank is open$`, w.succeeds("bulk", "list", "--state", "running"))
	stopped := id + " STOPPED: 0 of 1 handled, 0 changed, 0 refused\n"
	require.Equal(t, stopped, w.succeeds("bulk", "stop", id))
	require.Equal(t, stopped, w.succeeds("bulk", "watch", id))
	require.Equal(t, "id,label,state,code,message,endedAt\r\n"+first+",'=no funds,PENDING,,,\r\n", w.succeeds("bulk", "report", id), "a label is not a formula")
	require.Equal(t, "id,label,state,code,message,endedAt\r\n", w.succeeds("bulk", "report", id, "--state", "refused"))

	o := w.runs(append([]string{"bulk", "start", "--reason", "the bank is open", "--yes"}, retried...)...)
	require.NoError(t, o.err)
	require.Contains(t, o.stdout, " RUNNING: 0 of 1 handled")
	require.Regexp(t, `(?m)^1 +changed`, o.stderr)

	unknown := uuid.NewString()
	require.Equal(t, "bulk operation "+unknown+" not found", w.fails(cli.ExitNotFound, "bulk", "watch", unknown))
	w.fails(cli.ExitNotFound, "bulk", "preview", "cancel-processes", "--definition", "NO_SUCH")
	for _, wrong := range [][]string{
		{"preview"},
		{"preview", "delete-processes"},
		{"preview", "cancel-processes", "--id", "x"},
		{"preview", "cancel-processes", "--cause", "x"},
		{"preview", "assign-tasks"},
		{"preview", "move-processes", "--to-version", "2"},
		{"stop", "x"},
		{"report"},
	} {
		w.fails(cli.ExitUsage, append([]string{"bulk"}, wrong...)...)
	}
}
