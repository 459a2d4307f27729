package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// A substitute edits and completes the task of its absent owner, and does nothing else with it.
func TestSubstitute(t *testing.T) {
	t.Parallel()
	rights, none := domain.ItemRights{Substitute: true}, domain.TaskRequirements{}
	i := task(claimed, other)
	require.NoError(t, i.CheckMayWriteTask(rights, id(third)))
	require.True(t, domain.HasCode(i.CheckMayWriteTask(domain.ItemRights{}, id(third)), domain.CodeTaskNotOwned))
	require.True(t, domain.HasCode(i.CheckMayHandle(rights, id(third)), domain.CodeTaskNotOwned))
	require.True(t, domain.HasCode(i.CheckMayPlan(rights, id(third)), domain.CodeTaskNotOwned))
	_, err := i.Delegate(rights, nil, domain.Delegate{ID: id(third)}, id(third), at(1))
	require.True(t, domain.HasCode(err, domain.CodeTaskNotOwned))
	_, err = i.Release(rights, id(third), at(1))
	require.True(t, domain.HasCode(err, domain.CodeTaskNotOwned))

	changed, err := i.Complete(none, rights, id(third), at(1))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, id(other), *i.OwnerID)
	require.Equal(t, id(third), *i.Task.SubstituteID)
	event := domain.TaskChangeEvent(i, domain.TaskClaimed, id(third), at(1)).ForOwner(i, rights)
	require.Equal(t, id(third), event.ActorID)
	require.Equal(t, map[string]string{"way": domain.WaySubstitution, "ownerId": id(other).String()}, event.Details)
	changed, err = i.Complete(none, rights, id(third), at(2))
	require.NoError(t, err)
	require.False(t, changed)
	require.NoError(t, i.Reopen(id(author), at(3)))
	require.Nil(t, i.Task.SubstituteID)

	i = task(claimed, other)
	_, err = i.Complete(none, domain.ItemRights{}, id(other), at(1))
	require.NoError(t, err)
	require.Nil(t, i.Task.SubstituteID)
}

// Both the owner and the substitute count for opposed tasks.
func TestFourEyesHoldForOwnerAndSubstitute(t *testing.T) {
	t.Parallel()
	rights := domain.ItemRights{Substitute: true, Candidate: true}
	substitute := id(third)
	for name, opposed := range map[string]domain.OpposedTask{
		"completed by the owner":             {Code: "A", OwnerID: id(other), State: completed},
		"completed by the substitute":        {Code: "A", OwnerID: substitute, State: completed},
		"completed as a substitute":          {Code: "A", OwnerID: id(author), SubstituteID: &substitute, State: completed},
		"completed by another one of theirs": {Code: "A", OwnerID: substitute, SubstituteID: &substitute, State: completed},
	} {
		i := task(claimed, other)
		_, err := i.Complete(domain.TaskRequirements{FourEyes: domain.FourEyes{opposed}}, rights, substitute, at(1))
		require.True(t, domain.HasCode(err, domain.CodeFourEyes), name)
		require.Equal(t, claimed, i.Task.State)
	}
	done := domain.FourEyes{{Code: "A", OwnerID: id(other), SubstituteID: &substitute, State: completed}}
	_, err := task(ready, 0).Claim(rights, done, substitute, at(1))
	require.True(t, domain.HasCode(err, domain.CodeFourEyes))
	_, err = task(ready, 0).Claim(rights, done, id(author), at(1))
	require.NoError(t, err)
}
