package cli_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/domain"
)

func TestWorkers(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	const missing = "LOANS: definition LOAN needs workflow LoanWorkflow on task queue LOANS: no live worker\n"
	o := w.runs("workers")
	require.NoError(t, o.err)
	require.Equal(t, "no workers\n", o.stderr)
	require.Equal(t, missing, o.stdout, "problems are shown even without a worker")
	require.Equal(t, "[]\n", w.succeeds("workers", "-o", "json"))

	w.withInput("{apiVersion: procession/v1, kind: Robot, metadata: {code: REPORTER, tenant: north}, "+
		"spec: {name: Reporter, taskQueue: REPORTS, runner: worker}}").succeeds("apply", "-f", "-")
	w.register(`1@\u001b[31mhost`, "LOANS", `"LoanWorkflow","Other"`)
	w.register("2@host", "REPORTS", ``)
	w.observe("LOANS", domain.TaskQueueObservation{
		ObservedAt: now(), Pollers: []domain.Poller{
			{Identity: "1@\x1b[31mhost", Kind: domain.TaskKindWorkflow, LastAccessAt: now().Add(-time.Minute)},
			{Identity: "3@host", Kind: domain.TaskKindActivity, LastAccessAt: now()},
		},
		Backlogs: []domain.TaskBacklog{{Kind: domain.TaskKindWorkflow, Count: 12, Age: 3 * time.Minute}},
	})
	requireGolden(t, "workers.txt", w.succeeds("workers"))
	requireGolden(t, "task-queues.txt", w.succeeds("task-queues"))
	require.Equal(t, "REPORTS\n", w.succeeds("workers", "--task-queue", "REPORTS", "-o", "jq=.[].taskQueues[].taskQueue"))
	require.NotContains(t, w.succeeds("workers", "--task-queue", "REPORTS"), "LOANS")
	require.Equal(t, "2\n", w.succeeds("task-queues", "-o", "jq=.[] | select(.name == \"LOANS\") | .problems | length"))
	require.Contains(t, w.succeeds("task-queues", "-o", "yaml"), "workflowType: LoanWorkflow")
	require.Equal(t, "1 of 2 shown: --limit\n", w.runs("workers", "--limit", "1").stderr)
	require.Equal(t, "2\n", w.succeeds("workers", "--all", "--tenant", "north", "-o", "jq=length"))

	w.as(memberToken).fails(cli.ExitDenied, "task-queues")
	for _, wrong := range [][]string{
		{"workers", "x"},
		{"workers", "--limit", "0"},
		{"workers", "--limit", "1001"},
		{"task-queues", "x"},
		{"task-queues", "-o", "xml"},
	} {
		w.fails(cli.ExitUsage, wrong...)
	}
}

// southLoan is another tenant with a definition that needs a worker.
const southLoan = `
{apiVersion: procession/v1, kind: Tenant, metadata: {code: south}, spec: {name: South, plan: FREE}}
---
{apiVersion: procession/v1, kind: User, metadata: {code: owner, tenant: south},
 spec: {name: Owner, email: owner@south.example, role: OWNER}}
---
{apiVersion: procession/v1, kind: Application, metadata: {code: worker, tenant: south}, spec: {name: Worker}}
---
{apiVersion: procession/v1, kind: ProcessDefinition, metadata: {code: LOAN, tenant: south},
 spec: {name: Loan, engine: {workflowType: LoanWorkflow, taskQueue: LOANS, runner: worker},
        permissions: {initiators: [{user: owner}]}}}
`

// Where queues are of several tenants, their tenant is shown.
func TestTaskQueuesOfSeveralTenants(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	operator := w.as(w.operator)
	operator.withInput(southLoan).succeeds("apply", "-f", "-")
	require.Regexp(t, `(?s)^TENANT +TASK QUEUE.*\nnorth +LOANS.*\nsouth +LOANS.*\n\nnorth LOANS: definition .*\nsouth LOANS: definition `,
		operator.succeeds("task-queues"))
	require.NotContains(t, operator.succeeds("task-queues", "--tenant", "south"), "TENANT")
}

// register registers a worker of the tenant north.
func (w *terminal) register(identity, queue, types string) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, "/v2024-06-14/workers", strings.NewReader(
		`{"identity":"`+identity+`","taskQueue":"`+queue+`","hostname":"host","ip":"127.0.0.1","workflowTypes":[`+types+`]}`))
	id, secret, _ := strings.Cut(workerPair, ":")
	r.SetBasicAuth(id, secret)
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	require.Equal(w.t, http.StatusCreated, answer.Code, answer.Body)
}

// observe stores an observation of a task queue in the tenant north.
func (w *terminal) observe(queue string, o domain.TaskQueueObservation) {
	w.t.Helper()
	require.NoError(w.t, w.db.MatchTaskQueues(w.t.Context(), now()))
	due, err := w.db.ClaimTaskQueues(w.t.Context(), now(), now(), now(), 100)
	require.NoError(w.t, err)
	for _, d := range due {
		if d.TaskQueue == queue {
			seen := domain.SeenTaskQueue{DueTaskQueue: d, Observation: o}
			require.NoError(w.t, w.db.PutObservations(w.t.Context(), []domain.SeenTaskQueue{seen}))
		}
	}
}
