package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

func TestIncidents(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("incidents", "list")
	require.NoError(t, o.err)
	require.Empty(t, o.stdout)
	require.Equal(t, "no incidents\n", o.stderr)

	first, process := w.failedWorkflow("01980000-0000-7000-8000-0000000000a1", "no funds\nat\x1b[31m line 1")
	second, _ := w.failedWorkflow("01980000-0000-7000-8000-0000000000a2", "timed out")
	requireGolden(t, "incidents.txt", w.succeeds("incidents", "list"))
	require.Equal(t, first+"\n", w.succeeds("incidents", "list", "--process", process, "-o", "jq=.[].id"))
	o = w.runs("incidents", "list", "--limit", "1")
	require.Equal(t, "1 of 2 shown: --limit\n", o.stderr)
	require.ElementsMatch(t, []string{first, second}, w.complete("incidents retry "))
	require.Contains(t, w.as(memberToken).fails(cli.ExitDenied, "incidents", "list", "-o", "json"), "you are MEMBER of north")
	require.Equal(t, "2\n", w.as(workerPair).succeeds("incidents", "list", "--tenant", "north", "-o", "jq=length"))

	w.handlesIncidents(first, second)
	// Operators see and act in every tenant, members or not.
	operator := w.as(w.operator)
	require.Equal(t, "2\n", operator.succeeds("incidents", "list", "-o", "jq=length"))
	require.Equal(t, "2\n", operator.succeeds("incidents", "list", "--tenant", "north", "-o", "jq=length"))
	require.Equal(t, "[]\n", operator.succeeds("incidents", "list", "--tenant", "home", "-o", "json"))
	require.Equal(t, first+" RETRIED\n", operator.succeeds("incidents", "retry", first))
	require.Equal(t, second+" DISMISSED\n", w.succeeds("incidents", "dismiss", second))
	require.Empty(t, w.succeeds("incidents", "list"))
	require.Contains(t, w.succeeds("incidents", "list", "--all"), first)
	w.fails(cli.ExitConflict, "incidents", "dismiss", first)

	shown := w.succeeds("incidents", "show", first)
	require.Regexp(t, `(?m)^Kind: +FAILURE$`, shown)
	require.Regexp(t, `(?m)^Attempts: +1$`, shown)
	w.as(memberToken).fails(cli.ExitNotFound, "incidents", "show", first)

	unknown := uuid.NewString()
	require.Equal(t, "incident "+unknown+" not found", w.fails(cli.ExitNotFound, "incidents", "retry", unknown))
	w.as(memberToken).fails(cli.ExitNotFound, "incidents", "retry", first)
	for _, wrong := range [][]string{
		{"show"},
		{"retry"},
		{"retry", "x"},
		{"dismiss", first, second},
		{"list", "--limit", "0"},
		{"list", "--limit", "1001"},
		{"list", "--process", "x"},
		{"list", "x"},
		{"forget", first},
	} {
		w.fails(cli.ExitUsage, append([]string{"incidents"}, wrong...)...)
	}
}

// handlesIncidents acknowledges, mutes, assigns and comments the first of two incidents.
func (w *terminal) handlesIncidents(first, second string) {
	w.t.Helper()
	require.Equal(w.t, first+" OPEN\n", w.succeeds("incidents", "ack", first))
	require.Equal(w.t, first+"\n", w.succeeds("incidents", "list", "--acknowledged", "-o", "name"))
	require.Equal(w.t, second+"\n", w.succeeds("incidents", "list", "--acknowledged=false", "-o", "name"))
	w.succeeds("incidents", "assign", first)
	require.Equal(w.t, first+"\n", w.succeeds("incidents", "list", "--assignee", "me", "-o", "name"))
	require.Equal(w.t, second+"\n", w.succeeds("incidents", "list", "--assignee", "nobody", "-o", "name"))
	w.succeeds("incidents", "assign", first, "--to", "nobody")
	require.Contains(w.t, w.fails(cli.ExitUsage, "incidents", "assign", first, "--to", "stranger@example.com"), "owner or administrator")
	w.succeeds("incidents", "comment", first, "the bank is closed")
	require.Contains(w.t, w.succeeds("incidents", "show", first), "the bank is closed")
	w.fails(cli.ExitUsage, "incidents", "mute", first, "--until", "tomorrow")
	w.succeeds("incidents", "mute", first, "--until", now().Add(time.Hour).Format(time.RFC3339))
	require.Equal(w.t, first+"\n", w.succeeds("incidents", "list", "--muted", "-o", "name"))
	w.succeeds("incidents", "unmute", first, "--cause")
	require.Equal(w.t, second+"\n", w.succeeds("incidents", "list", "--kind", "FAILURE", "--search", "timed", "-o", "name"))
	require.Regexp(w.t, `(?m)^1 +FAILURE .* timed out$`, w.succeeds("incidents", "list", "--group"))
	w.fails(cli.ExitUsage, "incidents", "list", "--group", "--all")
	w.fails(cli.ExitUsage, "incidents", "list", "--kind", "FAULT")
}

// failedWorkflow starts a process with a failed workflow and returns its incident.
func (w *terminal) failedWorkflow(id, message string) (failedWorkflow, process string) {
	w.t.Helper()
	w.create(
		`{"id":"` + strings.Replace(id, "0a", "0b", 1) + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)
	owner := uuid.MustParse(strings.Replace(id, "0a", "0b", 1))

	conn, err := pgx.Connect(w.t.Context(), w.url)
	require.NoError(w.t, err)
	defer func() { require.NoError(w.t, conn.Close(w.t.Context())) }()
	var run uuid.UUID
	require.NoError(w.t, conn.QueryRow(w.t.Context(), `UPDATE engine_runs
		SET state = 'FAILED', run_id = 'attempt', closed_at = created_at WHERE owner_id = $1 RETURNING id`, owner).Scan(&run))
	require.NoError(w.t, w.db.Write(w.t.Context(), func(tx *persistence.Tx) error {
		tx.InsertIncident(domain.NewIncident(uuid.MustParse(id),
			domain.EngineRun{ID: run, TenantID: uuid.MustParse("01980000-0000-7000-8000-000000000001"), OwnerID: owner},
			domain.RunEnd{RunID: "attempt", Message: message}, now()))
		return nil
	}))
	return id, owner.String()
}
