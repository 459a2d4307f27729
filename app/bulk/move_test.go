package bulk_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// publishVersion publishes a version of the definition of a process, which has its task.
func (f fixture) publishVersion(t *testing.T, p *domain.Process, task domain.DefinitionRef, number int) uuid.UUID {
	t.Helper()
	v := persistence.DefinitionVersion{
		DefinitionRef: domain.DefinitionRef{ID: p.Definition.ID, Version: uuid.New(), Code: "Loan"},
		TenantID:      f.ID, Number: number, Name: translation.Name{Source: "Loan"},
		Engine: &domain.EngineBinding{
			WorkflowType: "Loan", TaskQueue: f.TaskQueue, SignalShape: domain.SignalShapeB, RunnerID: f.Call.PrincipalID,
		},
		Items: []persistence.ItemDefinitionVersion{{
			DefinitionRef: domain.DefinitionRef{ID: task.ID, Version: uuid.New(), Code: enginetest.TaskCode},
			Type:          domain.ItemTask, Name: translation.Name{Source: "Task"},
		}},
	}
	require.NoError(t, f.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PublishVersion(v, f.Call.PrincipalID, time.Now())
		tx.GrantOnProcess(p.Definition.ID, domain.PermissionRepairer, f.Call.PrincipalID)
		return nil
	}))
	return v.Version
}

// requireTotals requires that the totals of lists are the numbers of their rows, and returns how many processes have a version.
func (f fixture) requireTotals(t *testing.T, version uuid.UUID) (n int) {
	t.Helper()
	page := domain.PageRequest{Size: 100}
	for _, states := range [][]domain.ProcessState{nil, {domain.ProcessRunning}, {domain.ProcessCancelled}} {
		processes, err := f.db.Reader().ListProcesses(t.Context(), f.Call.Caller, persistence.ProcessFilter{States: states}, page, nil)
		require.NoError(t, err)
		require.Len(t, processes.Items, int(processes.Total), states)
		for _, p := range processes.Items {
			if len(states) == 0 && p.Definition.Version == version {
				n++
			}
		}
	}
	for _, states := range [][]domain.TaskState{nil, {domain.TaskReady}, {domain.TaskClaimed}, {domain.TaskCancelled}} {
		items, err := f.db.Reader().ListProcessItems(t.Context(), f.Call.Caller, persistence.ItemFilter{TaskStates: states}, page, nil)
		require.NoError(t, err)
		require.Len(t, items.Items, int(items.Total), states)
	}
	return n
}

func TestPreviewRefusesAMoveToAnUnknownVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.Create(t, f.app, "Loan")
	_, err := f.Preview(t.Context(), f.Call, bulk.Request{
		Kind: domain.BulkMoveProcesses, ToVersion: 9, Filter: domain.BulkFilter{DefinitionID: &p.Definition.ID},
	})
	require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
}

// Processes move to another version once, while steps are repeated concurrently, as after the loss of a worker. Totals of lists stay
// exact, and each move can be undone until its process has changed.
func TestProcessesAreMoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const count = domain.BulkBatch + 5
	var processes []*domain.Process
	var task domain.DefinitionRef
	for n := range count {
		p := f.Create(t, f.app, "Loan")
		task = *f.Task(t, f.app, p, n%2 == 0).Definition
		processes = append(processes, p)
	}
	second := f.publishVersion(t, processes[0], task, 2)
	f.publishVersion(t, processes[0], task, 3)
	move := func(to int) *domain.BulkOperation {
		t.Helper()
		b, err := f.Preview(t.Context(), f.Call, bulk.Request{
			Kind: domain.BulkMoveProcesses, ToVersion: to, Filter: domain.BulkFilter{DefinitionID: &processes[0].Definition.ID, States: []string{"RUNNING"}},
		})
		require.NoError(t, err)
		return b
	}
	b := move(2)
	require.Equal(t, count, b.Permitted())
	require.Equal(t, count, b.Sample.Checked)
	require.Zero(t, b.Sample.Refused)
	require.Zero(t, f.requireTotals(t, second), "a preview moves none")
	f.start(t, b)
	var runs sync.WaitGroup
	for range 3 {
		runs.Go(func() { f.run(t, b.ID, ignore) })
	}
	runs.Wait()
	require.Equal(t, count, f.retrieve(t, b.ID).Done)
	require.Equal(t, count, f.requireTotals(t, second))
	for _, p := range processes {
		repairs, err := f.app.ListRepairs(t.Context(), f.Call, p.ID)
		require.NoError(t, err)
		require.Len(t, repairs, 1)
		require.Equal(t, "the bank is closed", repairs[0].Reason)
	}
	again := move(2)
	require.Zero(t, again.Permitted())

	// The move of a process without a change is undone, the one of a changed process is refused.
	undo := domain.RepairRequest{Kind: domain.RepairUndoMove, Reason: "too early"}
	_, _, err := f.app.RepairProcess(t.Context(), f.Call, processes[0].ID, undo)
	require.NoError(t, err)
	_, err = f.app.CancelProcess(t.Context(), f.Call, processes[1].ID)
	require.NoError(t, err)
	_, _, err = f.app.RepairProcess(t.Context(), f.Call, processes[1].ID, undo)
	require.Error(t, err)
	require.Equal(t, count-1, f.requireTotals(t, second))

	third := move(3)
	require.Equal(t, count-1, third.Permitted())
	f.start(t, third)
	f.run(t, third.ID, ignore)
	require.Equal(t, 1, f.requireTotals(t, second))
	back := move(2)
	f.start(t, back)
	f.run(t, back.ID, ignore)
	require.Equal(t, count, f.requireTotals(t, second))
}
