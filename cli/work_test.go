package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

const (
	workProcess = "01980000-0000-7000-8000-0000000000c1"
	workTask    = "01980000-0000-7000-8000-0000000000c2"
	workReview  = "01980000-0000-7000-8000-0000000000c3"
)

// newTask creates a task of a process, as a manager does.
func (w *terminal) newTask(id, process, code string) {
	w.t.Helper()
	w.ask(ownerToken, http.MethodPost, "/v2024-06-14/process-items",
		`{"id":"`+id+`","type":"TASK","processId":"`+process+`","processItemDefinitionCode":"`+code+`"}`, http.StatusCreated)
}

// newWork starts a service with the tenant north, and a process with two tasks.
func newWork(t *testing.T) *terminal {
	t.Helper()
	w := newNorth(t)
	require.Equal(t, workProcess+"\n", w.as(memberToken).succeeds("start", "LOAN", "--id", workProcess,
		"--metadata", "CUSTOMER=Carol = Co", "--metadata", "AMOUNT:=1000", "--entity", "@"+w.writeFile("entity.json", `{"A":1}`)))
	w.newTask(workTask, workProcess, "APPLY")
	w.newTask(workReview, workProcess, "REVIEW")
	return w
}

func TestWork(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	member := w.as(memberToken)
	for file, args := range map[string][]string{
		"processes.txt":      {"processes", "list"},
		"processes-wide.txt": {"processes", "list", "-o", "wide"},
		"processes.name":     {"processes", "list", "-o", "name"},
		"process.txt":        {"processes", "show", workProcess},
		"tasks.txt":          {"tasks", "list", "--sort", "id"},
		"tasks-wide.txt":     {"tasks", "list", "--sort", "id", "-o", "wide"},
	} {
		requireGolden(t, "work/"+file, member.succeeds(args...))
	}
	require.Equal(t, "Carol = Co\n1000\n1\n",
		member.succeeds("processes", "show", workProcess, "-o", "jq=.metadata.value.CUSTOMER,.metadata.value.AMOUNT,.entity.value.A"))
	for filter, n := range map[string]string{
		"--definition LOAN": "1", "--definition OTHER": "0", "--state running": "1", "--state COMPLETED": "0",
		"--initiator member@north.example": "1", "--initiator 01980000-0000-7000-8000-000000000013": "1",
		"--initiator owner@north.example": "0", "--tenant north": "1", "--deleted only": "0", "--sort id": "1",
	} {
		require.Equal(t, n+"\n", member.succeeds(append([]string{"processes", "list", "-o", "jq=length"}, strings.Fields(filter)...)...), filter)
	}
	require.Equal(t, "1\n", w.succeeds("processes", "list", "-o", "jq=length", "--initiator", "member"))
	for filter, n := range map[string]string{
		"--code APPLY": "1", "--definition LOAN": "2", "--state READY": "2", "--state claimed": "0", "--all": "2",
		"--process " + workProcess: "2", "--tenant north": "2",
	} {
		require.Equal(t, n+"\n", member.succeeds(append([]string{"tasks", "list", "-o", "jq=length"}, strings.Fields(filter)...)...), filter)
	}

	require.Equal(t, workReview+" CLAIMED\n", member.succeeds("tasks", "claim", workReview))
	require.Equal(t, workReview+" URGENT, due 2026-02-01T12:00:00Z, follow-up -\n",
		member.succeeds("tasks", "plan", workReview, "--due", "2026-02-01T12:00:00Z", "--priority", "urgent"))
	require.Equal(t, workReview+" URGENT, due 2026-02-01T12:00:00Z, follow-up 2026-01-31T08:00:00Z\n",
		member.succeeds("tasks", "plan", workReview, "--follow-up", "2026-01-31T08:00:00Z"))
	for filter, n := range map[string]string{
		"--due overdue": "1", "--due today": "0", "--due week": "0", "--priority URGENT": "1", "--priority normal": "1", "--priority LOW": "0",
		"--sort dueAt": "2", "--sort priority,desc": "2",
	} {
		require.Equal(t, n+"\n", member.succeeds(append([]string{"tasks", "list", "-o", "jq=length"}, strings.Fields(filter)...)...), filter)
	}
	require.Equal(t, workReview+" URGENT, due -, follow-up 2026-01-31T08:00:00Z\n", member.succeeds("tasks", "plan", workReview, "--due", "none"))
	require.Equal(t, workReview+" CLAIMED\n", member.succeeds("tasks", "save", workReview,
		"--set", "/NAME=Carol", "--set", "GRADE:=1.50", "--set", "/OTHER=x", "--unset", "/OTHER"))
	requireGolden(t, "work/task.txt", member.succeeds("tasks", "show", workReview))
	require.Equal(t, workReview+" CLAIMED\n", member.withInput(`{"AMOUNT":10.0}`).succeeds("tasks", "save", workReview, "-f", "-"))
	require.Equal(t, "{\"AMOUNT\":10.0}\n", member.succeeds("tasks", "show", workReview, "-o", "jq=.task.data.value"))
	require.Equal(t, workReview+" CLAIMED\n", w.succeeds("tasks", "assign", workReview, "administrator@north.example"))
	require.Equal(t, workReview+" CLAIMED\n", w.succeeds("tasks", "assign", workReview, "member"))
	require.Equal(t, workReview+" COMPLETED\n", member.succeeds("tasks", "complete", workReview, "--set", "/DECISION=YES"))

	require.Equal(t, workProcess+" COMPLETED\n", w.succeeds("processes", "complete", workProcess, "--yes"))
	requireGolden(t, "work/history.txt", member.succeeds("processes", "history", workProcess))
	require.Equal(t, member.succeeds("processes", "history", workProcess), member.succeeds("processes", "history", workProcess, "--follow"))
	first := member.runs("processes", "history", workProcess, "--limit", "1", "-o", "jq=.cursor")
	require.NoError(t, first.err)
	require.Equal(t, "There may be more: --after "+first.stdout, first.stderr)
	require.Equal(t, "PROCESS.STATE_CHANGED\n",
		member.succeeds("processes", "history", workProcess, "--limit", "1", "--after", strings.TrimSpace(first.stdout), "-o", "jq=.type"))
}

// Messages for people whose request was refused.
func TestWorkIsRefused(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	member := w.as(memberToken)
	unknown := uuid.NewString()
	var said strings.Builder
	for _, c := range []struct {
		*terminal
		code int
		args string
	}{
		{member, cli.ExitNotFound, "start LOON"},
		{member, cli.ExitNotFound, "start CLAIM"},
		{w.as(administratorToken), cli.ExitNotFound, "start LOAN"},
		{member, cli.ExitUsage, "start LOAN --metadata x"},
		{member, cli.ExitUsage, "start LOAN --metadata A:=x"},
		{member, cli.ExitUsage, "start LOAN --id x"},
		{member, cli.ExitUsage, "start LOAN --initiator stranger@north.example"},
		{member, cli.ExitNotFound, "processes show 01980000-0000-7000-8000-0000000000ff"},
		{member, cli.ExitUsage, "processes show LOAN"},
		{member, cli.ExitUsage, "processes list --state ALIVE"},
		{member, cli.ExitNotFound, "processes list --tenant nope"},
		{w.as(w.operator), cli.ExitDenied, "processes list --tenant north"},
		{w.as(w.operator), cli.ExitNotFound, "tasks list --tenant nope"},
		{member, cli.ExitNotFound, "processes list --initiator stranger"},
		{member, cli.ExitUsage, "processes list --metadata AMOUNT=1"},
		{member, cli.ExitUsage, "processes cancel " + workProcess},
		{member, cli.ExitDenied, "processes cancel --yes " + workProcess},
		{member, cli.ExitUsage, "tasks save " + workTask},
		{member, cli.ExitUsage, "tasks list --due soon"},
		{member, cli.ExitUsage, "tasks plan " + workTask},
		{member, cli.ExitUsage, "tasks plan " + workTask + " --due soon"},
		{member, cli.ExitDenied, "tasks plan " + workTask + " --due 2027-01-31"},
		{member, cli.ExitUsage, "tasks save " + workTask + " -f no-such-file --set /A=1"},
		{member, cli.ExitDenied, "tasks save " + workReview + " --set /A=1"},
		{member, cli.ExitConflict, "tasks complete " + workReview},
		{member, cli.ExitNotFound, "tasks claim 01980000-0000-7000-8000-0000000000ff"},
		{w, cli.ExitUsage, "tasks assign " + workReview + " nope@north.example"},
		{w, cli.ExitNotFound, "tasks assign " + workReview + " nope"},
		{member, cli.ExitUsage, "tasks list --all --state READY"},
	} {
		said.WriteString("$ " + c.args + "\n" + c.fails(c.code, strings.Fields(c.args)...) + "\n")
	}
	requireGolden(t, "work/refusals.txt", said.String())
	w.as(memberToken).fails(cli.ExitNotFound, "processes", "history", unknown)

	require.Equal(t, workReview+" CLAIMED\n", member.succeeds("tasks", "claim", workReview))
	o := w.as(administratorToken).runs("tasks", "claim", workReview)
	require.Equal(t, cli.ExitDenied, o.exitCode(), o.err)
	o = w.runs("processes", "cancel", workProcess)
	require.Equal(t, cli.ExitUsage, o.exitCode())
	require.Contains(t, o.stderr, "LOAN process "+workProcess+"\nCancel 1? [y/N] ")
	require.Equal(t, workProcess+" CANCELLED\n", w.withInput("y\n").succeeds("processes", "cancel", workProcess))
	// Waiting for a process fails if the process is cancelled.
	o = member.runs("processes", "history", workProcess, "--follow")
	require.EqualError(t, o.err, "the process was cancelled")
	o = member.runs("tasks", "list")
	require.NoError(t, o.err)
	require.Equal(t, "no tasks\n", o.stderr)
}
