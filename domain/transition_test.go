package domain

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkTable requires that a table of transitions has a row for every pair of state and action with the expected
// result, "" for a refusal.
func checkTable[S, A ~string](t *testing.T, table transitions[S, A], states []S, want map[A][]S) {
	t.Helper()
	for action, outcomes := range want {
		require.Len(t, outcomes, len(states), action)
		for i, from := range states {
			row, ok := table[step[S, A]{from, action}]
			require.True(t, ok, "%s in %s has no row", action, from)
			to, err := table.next(from, action)
			if outcomes[i] == "" {
				require.Equal(t, Conflict(CodeInvalidState, row.refusal), err, "%s in %s", action, from)
				require.NotEmpty(t, row.refusal, "%s in %s", action, from)
				require.Equal(t, from, to)
				continue
			}
			require.NoError(t, err, "%s in %s", action, from)
			require.Equal(t, outcomes[i], to, "%s in %s", action, from)
			require.Empty(t, row.refusal, "%s in %s", action, from)
		}
	}
	require.Len(t, table, len(want)*len(states), "the table has rows of %v", slices.Collect(maps.Keys(table)))
}

func TestProcessTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, processTransitions,
		[]ProcessState{ProcessRunning, ProcessCompleted, ProcessCancelled},
		map[processAction][]ProcessState{
			completeProcess: {ProcessCompleted, ProcessCompleted, ""},
			cancelProcess:   {ProcessCancelled, "", ProcessCancelled},
		})
}

func TestTaskTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, taskTransitions,
		[]TaskState{TaskReady, TaskClaimed, TaskCompleted, TaskCancelled},
		map[taskAction][]TaskState{
			claimTask:    {TaskClaimed, "", "", ""},
			assignTask:   {TaskClaimed, TaskClaimed, "", ""},
			delegateTask: {TaskClaimed, TaskClaimed, "", ""},
			takeBackTask: {"", TaskClaimed, "", ""},
			releaseTask:  {TaskReady, TaskReady, "", ""},
			completeTask: {"", TaskCompleted, TaskCompleted, ""},
			cancelTask:   {TaskCancelled, TaskCancelled, "", ""},
			saveTask:     {TaskReady, TaskClaimed, "", ""},
			planTask:     {TaskReady, TaskClaimed, "", ""},
			logTask:      {TaskReady, TaskClaimed, TaskCompleted, ""},
			reopenTask:   {"", "", TaskClaimed, ""},
			repairTask:   {TaskReady, TaskClaimed, TaskCompleted, ""},
		})
}

func TestIncidentTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, incidentTransitions,
		[]IncidentState{IncidentOpen, IncidentRetried, IncidentDismissed, IncidentResolved},
		map[incidentAction][]IncidentState{
			retryIncident:   {IncidentRetried, IncidentRetried, IncidentRetried, ""},
			dismissIncident: {IncidentDismissed, "", IncidentDismissed, IncidentResolved},
			resolveIncident: {IncidentResolved, IncidentRetried, IncidentDismissed, IncidentResolved},
		})
}

func TestDeliveryTransitions(t *testing.T) {
	t.Parallel()
	pending, retrying := DeliveryPending, DeliveryRetrying
	delivered, dead, dropped := DeliveryDelivered, DeliveryDead, DeliveryDropped
	checkTable(t, deliveryTransitions,
		[]WebhookDeliveryState{pending, retrying, delivered, dead, dropped},
		map[deliveryAction][]WebhookDeliveryState{
			deliverAction: {delivered, delivered, "", "", ""},
			failAction:    {retrying, retrying, "", "", ""},
			lastAction:    {dead, dead, "", "", ""},
			goneAction:    {dropped, dropped, "", "", ""},
			dropAction:    {dropped, dropped, "", "", ""},
			replayAction:  {pending, pending, pending, pending, pending},
		})
}

func TestRunTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, runTransitions,
		[]EngineRunState{RunPending, RunRunning, RunCompleted, RunCancelled, RunFailed},
		map[runAction][]EngineRunState{
			startRun:    {RunRunning, RunRunning, "", "", ""},
			completeRun: {RunCompleted, RunCompleted, "", "", ""},
			cancelRun:   {RunCancelled, RunCancelled, "", "", ""},
			failRun:     {RunFailed, RunFailed, "", "", ""},
			restartRun:  {"", "", "", "", RunPending},
			replaceRun:  {RunPending, RunPending, "", "", RunPending},
		})
}

func TestAssistanceTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, assistanceTransitions,
		[]AssistanceState{AssistancePending, AssistanceCompleted, AssistanceFailed},
		map[assistanceAction][]AssistanceState{
			askAssistance:      {"", AssistancePending, AssistancePending},
			completeAssistance: {AssistanceCompleted, "", ""},
			failAssistance:     {AssistanceFailed, "", ""},
		})
}

// A run ends once, and only with its current attempt.
func TestEndOfRun(t *testing.T) {
	t.Parallel()
	for _, state := range []EngineRunState{RunPending, RunRunning, RunCompleted, RunCancelled, RunFailed} {
		for _, status := range []EngineRunState{RunCompleted, RunCancelled, RunFailed} {
			for _, id := range []string{"this", "another"} {
				run := EngineRun{State: state, RunID: "this"}
				c := RunEnd{RunID: id, Status: status}
				ends := state == RunRunning && id == "this" || state == RunPending && id == "another"
				require.Equal(t, ends, run.EndedBy(c), "%s %s %s", state, status, id)
				if ends {
					run.Close(c)
					require.Equal(t, EngineRun{State: status, RunID: id}, run)
				}
			}
		}
		run := EngineRun{State: state}
		require.False(t, run.EndedBy(RunEnd{Status: RunRunning}))
		require.Equal(t, state == RunFailed, run.Restart())
	}
}

// docs/states.md shows the transitions of the tables, and no self-transition that the table refuses.
func TestStatesAreDrawnFromTheTables(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/states.md")
	require.NoError(t, err)
	drawn := map[string]map[string]bool{}
	section := ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section, drawn[title] = title, map[string]bool{}
		}
		if from, to, ok := strings.Cut(line, " --> "); ok && from != "[*]" {
			to, _, _ = strings.Cut(to, ":")
			drawn[section][from+">"+to] = true
		}
	}
	requireDrawn(t, processTransitions, drawn["Process"])
	requireDrawn(t, taskTransitions, drawn["Task"])
	requireDrawn(t, runTransitions, drawn["Workflow run"])
	requireDrawn(t, assistanceTransitions, drawn["AI assistance run"])
	requireDrawn(t, deliveryTransitions, drawn["Webhook delivery"])
	requireDrawn(t, incidentTransitions, drawn["Incident"])
}

func requireDrawn[S, A ~string](t *testing.T, table transitions[S, A], drawn map[string]bool) {
	t.Helper()
	change, stay := map[string]bool{}, map[string]bool{}
	for at, o := range table {
		switch pair := string(at.state) + ">" + string(o.to); {
		case o.to == at.state:
			stay[pair] = true
		case o.to != "":
			change[pair] = true
		}
	}
	for pair := range drawn {
		if stay[pair] {
			delete(drawn, pair)
		}
	}
	require.Equal(t, change, drawn)
}

func TestUnknownStepIsRefused(t *testing.T) {
	t.Parallel()
	to, err := taskTransitions.next(TaskReady, "dance")
	require.True(t, HasCode(err, CodeInvalidState))
	require.Equal(t, TaskReady, to)
}
