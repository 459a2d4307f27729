package availability

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// sample returns a process with five tasks.
func sample() Model {
	start := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	return Model{
		Now: start.Add(2*time.Hour + 500*time.Millisecond),
		Process: Process{
			State: domain.ProcessRunning, CreatedAt: start, LastModifiedAt: start.Add(time.Hour + 250*time.Millisecond),
		},
		Tasks: map[string]Task{
			"LOAN_APPLICATION": {State: domain.TaskCompleted, CreatedAt: start, LastModifiedAt: start.Add(time.Minute)},
			"APPROVE_LOAN":     {State: domain.TaskClaimed, CreatedAt: start.Add(time.Minute), LastModifiedAt: start.Add(time.Hour)},
			"NOTIFY":           {State: domain.TaskReady, CreatedAt: start.Add(time.Hour), LastModifiedAt: start.Add(time.Hour)},
			"A-B":              {State: domain.TaskCancelled, CreatedAt: start, LastModifiedAt: start.Add(time.Second)},
			"SIGN":             {State: domain.TaskCompleted, CreatedAt: start, LastModifiedAt: start.Add(time.Minute)},
		},
	}
}

// crowd returns a process with the number of tasks that costs are computed for.
func crowd() Model {
	m := sample()
	for i := len(m.Tasks); i < assumedTasks; i++ {
		m.Tasks[fmt.Sprintf("TASK_%04d", i)] = Task{State: domain.TaskReady, CreatedAt: m.Process.CreatedAt, LastModifiedAt: m.Process.CreatedAt}
	}
	return m
}

func TestInputHasTheTasksThatAreNeeded(t *testing.T) {
	t.Parallel()
	for expression, codes := range map[string][]string{
		`${ .process.state == "RUNNING" }`:                         {},
		`${ .tasks != null }`:                                      {},
		`${ .tasks.SIGN.state == "READY" }`:                        {"SIGN"},
		`${ .tasks | .SIGN.state == "READY" or .["A-B"] == null }`: {"A-B", "SIGN"},
		`${ .tasks | has("SIGN") and has("NONE") }`:                {"SIGN"},
		`${ .tasks.SIGN != null and (.tasks | length) > 1 }`:       {"A-B", "APPROVE_LOAN", "LOAN_APPLICATION", "NOTIFY", "SIGN"},
		`${ .tasks as $t | {} | IN($t) }`:                          {"A-B", "APPROVE_LOAN", "LOAN_APPLICATION", "NOTIFY", "SIGN"},
		`${ .tasks | any(.state == "READY") }`:                     {"A-B", "APPROVE_LOAN", "LOAN_APPLICATION", "NOTIFY", "SIGN"},
	} {
		parsed, err := Parse(expression)
		require.NoError(t, err, expression)
		tasks, ok := parsed.needs.modelInput(sample())["tasks"].(map[string]any)
		require.True(t, ok)
		found := make([]string, 0, len(tasks))
		for code := range tasks {
			found = append(found, code)
		}
		require.ElementsMatch(t, codes, found, expression)
	}
}

func TestInputIsTheModelOfTheSpecification(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	m := Model{
		Process: Process{
			State:          domain.ProcessCancelled,
			CreatedAt:      time.Date(2026, 1, 31, 1, 0, 0, 999_999_999, east),
			LastModifiedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		},
		Tasks: map[string]Task{"SIGN": {State: domain.TaskReady}},
	}
	parsed, err := Parse(`${ .tasks | length == 1 }`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"process": map[string]any{
			"state": "CANCELLED", "createdAt": "2026-01-30T23:00:00.999999Z", "lastModifiedAt": "2026-02-01T00:00:00.000000Z",
		},
		"tasks": map[string]any{"SIGN": map[string]any{
			"state": "READY", "createdAt": "0001-01-01T00:00:00.000000Z", "lastModifiedAt": "0001-01-01T00:00:00.000000Z",
		}},
	}, parsed.needs.modelInput(m))
}
