package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// publishVersion publishes another version of the definition of the process.
func (r running) publishVersion(t *testing.T, number int, change func(*persistence.DefinitionVersion)) uuid.UUID {
	t.Helper()
	v := persistence.DefinitionVersion{
		DefinitionRef: domain.DefinitionRef{ID: r.process.Definition.ID, Version: uuid.New(), Code: "Loan"},
		TenantID:      r.ID, Number: number, Name: translation.Name{Source: "Loan"},
		Engine: &domain.EngineBinding{
			WorkflowType: "Loan", TaskQueue: r.TaskQueue, SignalShape: domain.SignalShapeB, RunnerID: r.Call.PrincipalID,
		},
	}
	change(&v)
	require.NoError(t, r.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PublishVersion(v, r.Call.PrincipalID, time.Now())
		return nil
	}))
	return v.Version
}

// withTask adds the task of the first version with a schema of its data.
func withTask(task *domain.ProcessItem, schema string) func(*persistence.DefinitionVersion) {
	return func(v *persistence.DefinitionVersion) {
		v.Items = []persistence.ItemDefinitionVersion{{
			DefinitionRef: domain.DefinitionRef{ID: task.Definition.ID, Version: uuid.New(), Code: enginetest.TaskCode},
			Type:          domain.ItemTask, Name: translation.Name{Source: "Task"}, Spec: json.RawMessage(`{"dataSchema":` + schema + `}`),
		}}
	}
}

const amountIsANumber = `{"type":"object","properties":{"amount":{"type":"number"}}}`

func TestProcessesMoveToAnotherVersion(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.Task(t, r.Service, r.process, true)
	text := json.RawMessage(`{"amount":"lots"}`)
	_, err := r.UpdateProcessItemTaskData(t.Context(), r.Call, task.ID, text)
	require.NoError(t, err)
	second := r.publishVersion(t, 2, withTask(task, amountIsANumber))
	in := domain.RepairRequest{Kind: domain.RepairMove, Reason: "a fixed form", ToVersion: 2}

	preview, err := r.PreviewRepair(t.Context(), r.Call, r.process.ID, in)
	require.NoError(t, err)
	require.Len(t, preview.Invalid(), 1)
	require.Equal(t, []domain.ValueError{{PropertyPath: "/amount", Type: "type"}}, preview.Invalid()[0].Errors)
	require.True(t, r.task(t, task.ID).Task.Data.Valid, "a preview changes nothing")
	require.Nil(t, r.take(t), "no command")

	require.NoError(t, r.repair(t, in))
	moved := r.task(t, task.ID)
	require.False(t, moved.Task.Data.Valid)
	require.NotEqual(t, task.Definition.Version, moved.Definition.Version)
	p, err := r.RetrieveProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.Equal(t, second, p.Definition.Version)
	signal := r.carryOut(t, "")
	require.Equal(t, domain.CommandSignalMove, signal.Kind)
	require.Equal(t, 2, signal.Parameters.Move.To.Number)
	err = r.repair(t, in)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "the same move twice: %v", err)

	undo := domain.RepairRequest{Kind: domain.RepairUndoMove}
	require.NoError(t, r.repair(t, undo))
	require.True(t, r.task(t, task.ID).Task.Data.Valid)
	require.Equal(t, task.Definition.Version, r.task(t, task.ID).Definition.Version)
	require.Equal(t, 1, r.carryOut(t, "").Parameters.Move.To.Number)
	err = r.repair(t, undo)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)

	require.NoError(t, r.repair(t, in))
	_, err = r.UpdateProcessItemTaskData(t.Context(), r.Call, task.ID, json.RawMessage(`{"amount":7}`))
	require.NoError(t, err)
	err = r.repair(t, undo)
	require.ErrorContains(t, err, "has changed since it moved")
	repairs, err := r.ListRepairs(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.Len(t, repairs, 3)
	require.Equal(t, 2, repairs[0].Move.To.Number)
}

func TestItemsWithoutADefinitionInTheNewVersionKeepTheirs(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.Task(t, r.Service, r.process, true)
	r.publishVersion(t, 2, func(*persistence.DefinitionVersion) {})
	in := domain.RepairRequest{Kind: domain.RepairMove, Reason: "one task less", ToVersion: 2}
	preview, err := r.PreviewRepair(t.Context(), r.Call, r.process.ID, in)
	require.NoError(t, err)
	require.Len(t, preview.Kept, 1)
	require.NoError(t, r.repair(t, in))
	require.Equal(t, task.Definition.Version, r.task(t, task.ID).Definition.Version)
	_, err = r.UpdateProcessItemTaskData(t.Context(), r.Call, task.ID, json.RawMessage(`{"amount":7}`))
	require.NoError(t, err)
	_, err = r.CompleteProcessItemTask(t.Context(), r.Call, task.ID)
	require.NoError(t, err)
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairTaskData, ItemID: &task.ID, Value: json.RawMessage(`{"a":1}`)}))
}

func TestMovesToVersionsThatAnotherApplicationRunsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	for number, change := range map[int]func(*persistence.DefinitionVersion){
		2: func(v *persistence.DefinitionVersion) { v.Engine = nil },
		3: func(v *persistence.DefinitionVersion) { v.Engine.SignalShape = domain.SignalShapeA },
	} {
		r.publishVersion(t, number, change)
		err := r.repair(t, domain.RepairRequest{Kind: domain.RepairMove, ToVersion: number})
		require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
	}
	err := r.repair(t, domain.RepairRequest{Kind: domain.RepairMove, ToVersion: 9})
	require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
	require.Error(t, domain.CheckMayMove(&domain.EngineBinding{RunnerID: uuid.New()}, &domain.EngineBinding{RunnerID: uuid.New()}))
}

func TestStartsAfterAMoveRunTheWorkflowOfTheNewVersion(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	r.publishVersion(t, 2, func(v *persistence.DefinitionVersion) { v.Engine.WorkflowType, v.Engine.TaskQueue = "Loan2", "other" })
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairMove, ToVersion: 2}))
	require.Equal(t, "Loan", r.carryOut(t, "").Run.WorkflowType)
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairRestart}))
	start := r.carryOut(t, "run-2")
	require.Equal(t, "Loan2", start.Run.WorkflowType)
	require.Equal(t, "other", start.Run.TaskQueue)
}
