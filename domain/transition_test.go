package domain

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkTable holds a table of transitions against what is expected of each
// action from each state, a "" standing for a refusal, and against the demand
// that it has a row for every pair.
func checkTable[S, A ~string](t *testing.T, table transitions[S, A], states []S, want map[A][]S) {
	t.Helper()
	for action, outcomes := range want {
		require.Len(t, outcomes, len(states), action)
		for i, from := range states {
			row, ok := table[step[S, A]{from, action}]
			require.True(t, ok, "%s in %s has no row", action, from)
			to, err := table.next(from, action)
			if outcomes[i] == "" {
				require.Equal(t, Conflict(CodeInvalidState, row.refused), err, "%s in %s", action, from)
				require.NotEmpty(t, row.refused, "%s in %s", action, from)
				require.Equal(t, from, to)
				continue
			}
			require.NoError(t, err, "%s in %s", action, from)
			require.Equal(t, outcomes[i], to, "%s in %s", action, from)
			require.Empty(t, row.refused, "%s in %s", action, from)
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
			completeTask: {"", TaskCompleted, TaskCompleted, ""},
			cancelTask:   {TaskCancelled, TaskCancelled, "", ""},
			saveTask:     {TaskReady, TaskClaimed, "", ""},
			logTask:      {TaskReady, TaskClaimed, TaskCompleted, ""},
		})
}

func TestIncidentTransitions(t *testing.T) {
	t.Parallel()
	checkTable(t, incidentTransitions,
		[]IncidentState{IncidentOpen, IncidentRetried, IncidentDismissed},
		map[incidentAction][]IncidentState{
			retryIncident:   {IncidentRetried, IncidentRetried, IncidentRetried},
			dismissIncident: {IncidentDismissed, "", IncidentDismissed},
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

func TestUnknownStepIsRefused(t *testing.T) {
	t.Parallel()
	to, err := taskTransitions.next(TaskReady, "dance")
	require.True(t, HasCode(err, CodeInvalidState))
	require.Equal(t, TaskReady, to)
}
