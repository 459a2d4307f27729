package app_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

// repairCase is a repair, its command, "" for none, and the state that it needs.
type repairCase struct {
	domain.RepairRequest

	command domain.CommandKind
	prepare func(*testing.T, running, *domain.RepairRequest)
}

func repairCases() []repairCase {
	value := json.RawMessage(`{"amount":"500"}`)
	completed := func(t *testing.T, r running, in *domain.RepairRequest) {
		t.Helper()
		in.ItemID = &r.completedTask(t).ID
	}
	published := func(t *testing.T, r running, _ *domain.RepairRequest) {
		t.Helper()
		r.publishVersion(t, 2, withTask(r.Task(t, r.Service, r.process, true), amountIsANumber))
	}
	moved := func(t *testing.T, r running, in *domain.RepairRequest) {
		t.Helper()
		published(t, r, in)
		require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairMove, ToVersion: 2}))
		require.Equal(t, domain.CommandSignalMove, r.carryOut(t, "").Kind)
	}
	running := func(*testing.T, running, *domain.RepairRequest) {}
	return []repairCase{
		{domain.RepairRequest{Kind: domain.RepairReopenTask, Reset: true}, domain.CommandReset, completed},
		{domain.RepairRequest{Kind: domain.RepairTaskData, Value: value, Reset: true}, domain.CommandReset, completed},
		{domain.RepairRequest{Kind: domain.RepairMetadata, Value: value}, "", running},
		{domain.RepairRequest{Kind: domain.RepairEntity, Value: value}, "", running},
		{domain.RepairRequest{
			Kind: domain.RepairCompleteStep, Parameters: domain.CommandParameters{Activity: "7"},
		}, domain.CommandCompleteStep, running},
		{domain.RepairRequest{
			Kind: domain.RepairReset, Parameters: domain.CommandParameters{EngineRun: "run-1", EventID: 4},
		}, domain.CommandReset, running},
		{domain.RepairRequest{Kind: domain.RepairRestart}, domain.CommandReplace, running},
		{domain.RepairRequest{Kind: domain.RepairTerminate}, domain.CommandTerminate, running},
		{domain.RepairRequest{Kind: domain.RepairMove, ToVersion: 2}, domain.CommandSignalMove, published},
		{domain.RepairRequest{Kind: domain.RepairUndoMove}, domain.CommandSignalMove, moved},
	}
}

// Each kind of repair that is sent twice at once, and again after its command, is made once.
func TestRepairsAreIdempotentByID(t *testing.T) {
	t.Parallel()
	for _, c := range repairCases() {
		t.Run(string(c.Kind), func(t *testing.T) {
			t.Parallel()
			r, in := newRunning(t), c.RepairRequest
			c.prepare(t, r, &in)
			in.ID, in.Reason = new(uuid.New()), "once"
			before := r.repairs(t)
			var sent sync.WaitGroup
			made, failures := make([]bool, 2), make([]error, 2)
			for n := range made {
				sent.Go(func() { _, made[n], failures[n] = r.RepairProcess(t.Context(), r.Call, r.process.ID, in) })
			}
			sent.Wait()
			require.Equal(t, []error{nil, nil}, failures)
			require.NotEqual(t, made[0], made[1])
			if c.command != "" {
				require.Equal(t, c.command, r.carryOut(t, "run-1").Kind)
			}
			recorded, again, err := r.RepairProcess(t.Context(), r.Call, r.process.ID, in)
			require.NoError(t, err)
			require.False(t, again)
			require.Equal(t, *in.ID, recorded.ID)
			require.Nil(t, r.take(t), "no second command")
			require.Equal(t, before+1, r.repairs(t))

			in.Kind = domain.RepairRestart
			if c.Kind == domain.RepairRestart {
				in.Kind = domain.RepairTerminate
			}
			_, _, err = r.RepairProcess(t.Context(), r.Call, r.process.ID, in)
			require.True(t, domain.HasCode(err, domain.CodeConflict), "the id of another repair: %v", err)
		})
	}
}

// repairs returns the number of the repairs of the process.
func (r running) repairs(t *testing.T) int {
	t.Helper()
	found, err := r.ListRepairs(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	return len(found)
}
