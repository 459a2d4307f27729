package shapeb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// The events of a process contain the actor and the item or user action.
func TestEventsOfAProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan()
	task := s.Item(loan.ID, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol()))
	s.Post(200, demo.Carol(), apitest.ItemPath(task.ID, apitest.Complete), "")
	s.Invoke(demo.Alice(), loan.ID, apitest.InvokeReport)
	s.Settle()

	path := apitest.ProcessPath(loan.ID, "/events")
	all := apitest.Decode[oasb.ProcessEventList](t, s.Get(200, demo.Alice(), path+"?limit=100")).Content
	seen := map[string]oasb.ProcessEvent{}
	for _, event := range all {
		seen[event.Type] = event
	}
	completed := seen["PROCESS_ITEM.TASK_STATE_CHANGED"]
	require.Equal(t, "COMPLETED", *completed.State)
	require.Equal(t, "CLAIMED", *completed.PreviousState)
	require.Equal(t, demo.Carol().ID, completed.ActorID)
	require.Equal(t, "Carol", *completed.ActorName)
	require.Equal(t, task.ID, *completed.ProcessItemID)
	require.Equal(t, "LOAN_APPLICATION", *completed.ProcessItemDefinitionCode)
	require.Equal(t, "TASK", string(*completed.ProcessItemType))
	require.NotEmpty(t, *completed.ProcessItemName)
	actions, owners := 0, 0
	for _, event := range all {
		if event.OwnerName != nil {
			owners++
			require.Equal(t, "Carol", *event.OwnerName)
		}
		if event.ProcessActionDefinitionCode != nil {
			actions++
			require.Equal(t, "REPORT", *event.ProcessActionDefinitionCode)
		}
	}
	require.Positive(t, actions)
	require.Positive(t, owners)

	rest := apitest.Decode[oasb.ProcessEventList](t, s.Get(200, demo.Alice(), path+"?limit=100&after="+all[0].Cursor)).Content
	require.Equal(t, all[1:], rest)
	require.Empty(t, apitest.Decode[oasb.ProcessEventList](t, s.Get(200, demo.Alice(), path+"?after="+all[len(all)-1].Cursor)).Content)
	s.Get(404, demo.Stranger(), path)
}
