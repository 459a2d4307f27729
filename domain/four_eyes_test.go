package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// ways are the ways in which the principal third becomes the owner of a task.
func ways() map[string]func(*domain.ProcessItem, domain.FourEyes) (bool, error) {
	all := domain.ItemRights{Candidate: true, ProcessRights: domain.ProcessRights{Manages: true}}
	return map[string]func(*domain.ProcessItem, domain.FourEyes) (bool, error){
		"claim": func(i *domain.ProcessItem, eyes domain.FourEyes) (bool, error) {
			return i.Claim(all, eyes, id(third), at(1))
		},
		"assign": func(i *domain.ProcessItem, eyes domain.FourEyes) (bool, error) {
			return i.Assign(eyes, id(third), id(other), at(1))
		},
		"assign to oneself": func(i *domain.ProcessItem, eyes domain.FourEyes) (bool, error) {
			return i.Assign(eyes, id(third), id(third), at(1))
		},
		"delegate": func(i *domain.ProcessItem, eyes domain.FourEyes) (bool, error) {
			return i.Delegate(all, eyes, domain.Delegate{ID: id(third)}, id(other), at(1))
		},
	}
}

// Owners of an opposed task, and those who completed it, get a task in no way; other principals do.
func TestOwnersOfOpposedTasksAreRefused(t *testing.T) {
	t.Parallel()
	tasks := map[string]func() *domain.ProcessItem{
		"ready":                  func() *domain.ProcessItem { return task(ready, 0) },
		"claimed":                func() *domain.ProcessItem { return task(claimed, other) },
		"delegated by the owner": func() *domain.ProcessItem { return newDelegatedTask(claimed, other, third) },
	}
	for way, own := range ways() {
		for state, item := range tasks {
			if way == "claim" && state == "claimed" {
				continue // Only its delegator may claim it.
			}
			for _, opposed := range []domain.TaskState{claimed, completed} {
				i := item()
				before := copyOf(i)
				changed, err := own(i, domain.FourEyes{{Code: "A", OwnerID: id(other), State: opposed}, {Code: "B", OwnerID: id(third), State: opposed}})
				require.True(t, domain.HasCode(err, domain.CodeFourEyes), "%s %s %s: %v", way, state, opposed, err)
				require.ErrorContains(t, err, " B ")
				require.False(t, changed)
				require.Equal(t, before, i)
			}
			i := item()
			changed, err := own(i, domain.FourEyes{{Code: "A", OwnerID: id(other), State: completed}, {Code: "B", OwnerID: id(third), State: cancelled}})
			require.NoError(t, err, "%s %s", way, state)
			require.True(t, changed, "%s %s", way, state)
			require.Equal(t, id(third), *i.OwnerID)
		}
	}
}

func TestStateIsRefusedBeforeFourEyes(t *testing.T) {
	t.Parallel()
	eyes := domain.FourEyes{{Code: "B", OwnerID: id(third), State: completed}}
	for way, own := range ways() {
		for _, i := range []*domain.ProcessItem{task(completed, other), task(cancelled, 0), message()} {
			_, err := own(i, eyes)
			require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%s: %v", way, err)
		}
	}
}

func TestCompletionOfBothTasksIsRefused(t *testing.T) {
	t.Parallel()
	for state, code := range map[domain.TaskState]domain.Code{completed: domain.CodeFourEyes, claimed: "", cancelled: ""} {
		i := task(claimed, other)
		requirements := domain.TaskRequirements{FourEyes: domain.FourEyes{{Code: "B", OwnerID: id(other), State: state}}}
		changed, err := i.Complete(requirements, domain.ItemRights{}, id(other), at(1))
		require.Equal(t, code == "", changed, state)
		if code != "" {
			require.True(t, domain.HasCode(err, code), "%v", err)
			require.Equal(t, claimed, i.Task.State)
		}
	}
	again := task(completed, other)
	_, err := again.Complete(domain.TaskRequirements{FourEyes: domain.FourEyes{{Code: "B", OwnerID: id(other), State: completed}}}, domain.ItemRights{}, id(other), at(1))
	require.NoError(t, err)
}

func TestOppositionHoldsInBothDirections(t *testing.T) {
	t.Parallel()
	with := map[string][]string{"A": {"C", "B"}, "B": {"A"}, "D": {"B"}}
	for code, want := range map[string][]string{"A": {"B", "C"}, "B": {"A", "D"}, "C": {"A"}, "D": {"B"}, "E": nil} {
		require.Equal(t, want, domain.OpposedTo(code, with), code)
	}
}
