package cli_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestTasksRelease(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const process, task = "01980000-0000-7000-8000-0000000000c1", "01980000-0000-7000-8000-0000000000c2"
	w.create(`{"id":"` + process + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)
	w.ask(ownerToken, http.MethodPost, "/v2024-06-14/process-items", `{"id":"`+task+`","type":"TASK","processId":"`+process+
		`","processItemDefinitionCode":"REVIEW","ownerId":"01980000-0000-7000-8000-000000000011"}`, http.StatusCreated)

	unknown := uuid.NewString()
	require.Equal(t, "task "+unknown+" not found", w.fails(cli.ExitNotFound, "tasks", "release", unknown))
	w.as(workerPair).fails(cli.ExitNotFound, "tasks", "release", unknown)
	w.fails(cli.ExitUsage, "tasks", "release", "x")
	w.fails(cli.ExitUsage, "tasks", "release")
	for range 2 {
		require.Equal(t, task+" READY\n", w.succeeds("tasks", "release", task))
	}
}

func TestTasksDelegate(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const process, task = "01980000-0000-7000-8000-0000000000c1", "01980000-0000-7000-8000-0000000000c2"
	w.create(`{"id":"` + process + `","processDefinitionId":"01980000-0000-7000-8000-000000000031"}`)
	w.ask(ownerToken, http.MethodPost, "/v2024-06-14/process-items", `{"id":"`+task+`","type":"TASK","processId":"`+process+
		`","processItemDefinitionCode":"REVIEW"}`, http.StatusCreated)
	w.fails(cli.ExitUsage, "tasks", "delegate", task)
	require.Contains(t, w.fails(cli.ExitUsage, "tasks", "delegate", task, "nope@north.example"), "is not an active user")
	for range 2 {
		require.Equal(t, task+" CLAIMED\n", w.succeeds("tasks", "delegate", task, "member@north.example", "--note", "Please check"))
	}
	require.Regexp(t, `(?m)^Delegated: .+\nNote: +Please check$`, w.succeeds("tasks", "show", task))
	require.Equal(t, task+" CLAIMED\n", w.succeeds("tasks", "claim", task))
	require.NotContains(t, w.succeeds("tasks", "show", task), "Delegated")
}
