package domain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// delegated returns a task that a principal delegated to its owner.
func newDelegatedTask(state domain.TaskState, owner, by byte) *domain.ProcessItem {
	i := task(state, owner)
	i.Task.Delegation = &domain.Delegation{By: id(by), At: at(0), Note: "note"}
	return i
}

// given sets the owner of a claimed task, and ends its delegation.
func withOwner(owner byte) func(*domain.ProcessItem) {
	return func(i *domain.ProcessItem) {
		principal := id(owner)
		i.OwnerID, i.Task.Delegation = &principal, nil
	}
}

func TestDelegate(t *testing.T) {
	t.Parallel()
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	toThird := func(i *domain.ProcessItem) {
		withOwner(third)(i)
		i.Task.Delegation = &domain.Delegation{By: id(other), At: at(1), Note: "note"}
	}
	for _, c := range []itemCase{
		{"by its owner", task(claimed, other), domain.ItemRights{}, toThird, ""},
		{"by a manager", task(claimed, author), manager, toThird, ""},
		{"a ready one by a manager", task(ready, 0), manager, func(i *domain.ProcessItem) {
			to(claimed, third)(i)
			toThird(i)
		}, ""},
		{"again", newDelegatedTask(claimed, third, other), domain.ItemRights{}, nil, ""},
		{"again with another note", func() *domain.ProcessItem {
			i := newDelegatedTask(claimed, third, other)
			i.Task.Delegation.Note = "another"
			return i
		}(), manager, toThird, ""},
		{"one that was delegated to the owner", newDelegatedTask(claimed, other, author), domain.ItemRights{}, toThird, ""},
		{"by a candidate", task(ready, 0), domain.ItemRights{Candidate: true}, nil, domain.CodeTaskNotOwned},
		{"of another owner", task(claimed, author), domain.ItemRights{Candidate: true}, nil, domain.CodeTaskNotOwned},
		{"by a former owner who is the delegator", newDelegatedTask(claimed, author, other), domain.ItemRights{}, nil, domain.CodeTaskNotOwned},
		{"a completed one", task(completed, other), manager, nil, domain.CodeInvalidState},
		{"again a completed one", newDelegatedTask(completed, third, other), manager, nil, domain.CodeInvalidState},
		{"a cancelled one", task(cancelled, other), manager, nil, domain.CodeInvalidState},
		{"a message", message(), manager, nil, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) {
				return i.Delegate(c.rights, nil, domain.Delegate{ID: id(third), Note: "note"}, id(other), at(1))
			})
		})
	}
}

func TestNobodyDelegatesToOneself(t *testing.T) {
	t.Parallel()
	rights := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	for _, i := range []*domain.ProcessItem{task(claimed, other), task(ready, 0), task(claimed, third)} {
		_, err := i.Delegate(rights, nil, domain.Delegate{ID: id(other), Field: domain.FieldNewOwner}, id(other), at(1))
		require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
	}
}

func TestDelegateRefusesNotes(t *testing.T) {
	t.Parallel()
	for _, note := range []string{strings.Repeat("é", domain.MaxDelegationNote+1), "a\x00b", "\xff"} {
		_, err := task(claimed, other).Delegate(domain.ItemRights{}, nil, domain.Delegate{ID: id(third), Note: note}, id(other), at(1))
		require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
	}
	changed, err := task(claimed, other).Delegate(domain.ItemRights{}, nil,
		domain.Delegate{ID: id(third), Note: strings.Repeat("é", domain.MaxDelegationNote)}, id(other), at(1))
	require.NoError(t, err)
	require.True(t, changed)
}

func TestTakeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []itemCase{
		{"by the delegator", newDelegatedTask(claimed, third, other), domain.ItemRights{}, withOwner(other), ""},
		{"by the delegator who is a candidate", newDelegatedTask(claimed, third, other), domain.ItemRights{Candidate: true}, withOwner(other), ""},
		{"by a candidate", newDelegatedTask(claimed, third, author), domain.ItemRights{Candidate: true}, nil, domain.CodeTaskAlreadyClaimed},
		{"by another principal", newDelegatedTask(claimed, third, author), domain.ItemRights{}, nil, domain.CodeAccessDenied},
		{"a completed one", newDelegatedTask(completed, third, other), domain.ItemRights{}, nil, domain.CodeInvalidState},
		{"a cancelled one", newDelegatedTask(cancelled, third, other), domain.ItemRights{}, nil, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) { return i.Claim(c.rights, nil, id(other), at(1)) })
		})
	}
}

// A delegation ends with each other change of the owner.
func TestDelegationEnds(t *testing.T) {
	t.Parallel()
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	for name, act := range map[string]func(*domain.ProcessItem) (bool, error){
		"assign":  func(i *domain.ProcessItem) (bool, error) { return i.Assign(nil, id(author), id(other), at(1)) },
		"release": func(i *domain.ProcessItem) (bool, error) { return i.Release(manager, id(other), at(1)) },
	} {
		i := newDelegatedTask(claimed, third, other)
		changed, err := act(i)
		require.NoError(t, err, name)
		require.True(t, changed, name)
		require.Nil(t, i.Task.Delegation, name)
	}
	kept := newDelegatedTask(claimed, third, other)
	changed, err := kept.Assign(nil, id(third), id(author), at(1))
	require.NoError(t, err)
	require.False(t, changed)
	require.NotNil(t, kept.Task.Delegation, "assigned to its owner")
	changed, err = kept.Complete(domain.TaskRequirements{}, domain.ItemRights{}, id(third), at(1))
	require.NoError(t, err)
	require.True(t, changed)
	require.NotNil(t, kept.Task.Delegation, "completed")
}
