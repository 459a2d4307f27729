package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func (r running) repair(t *testing.T, in domain.RepairRequest) error {
	t.Helper()
	if in.Reason == "" {
		in.Reason = "wrong amount"
	}
	_, _, err := r.RepairProcess(t.Context(), r.Call, r.process.ID, in)
	return err
}

func (r running) completedTask(t *testing.T) *domain.ProcessItem {
	t.Helper()
	task := r.Task(t, r.Service, r.process, true)
	_, err := r.CompleteProcessItemTask(t.Context(), r.Call, task.ID)
	require.NoError(t, err)
	require.Equal(t, domain.CommandSignal, r.carryOut(t, "").Kind)
	return task
}

func (r running) task(t *testing.T, id uuid.UUID) *domain.ProcessItem {
	t.Helper()
	task, err := r.RetrieveProcessItem(t.Context(), r.Call, id)
	require.NoError(t, err)
	return task
}

func TestReopenedTasksAreClaimedByTheirFormerOwner(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.completedTask(t)
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairReopenTask, ItemID: &task.ID, Reset: true}))
	reopened := r.task(t, task.ID)
	require.Equal(t, domain.TaskClaimed, reopened.Task.State)
	require.Equal(t, task.OwnerID, reopened.OwnerID)
	require.Nil(t, reopened.Task.CompletedAt)
	reset := r.carryOut(t, "run-1")
	require.Equal(t, domain.CommandReset, reset.Kind)
	require.Equal(t, &domain.CommandParameters{Before: &task.ID}, reset.Parameters)
	repairs, err := r.ListRepairs(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.Len(t, repairs, 1)
	require.Equal(t, "wrong amount", repairs[0].Reason)

	err = r.repair(t, domain.RepairRequest{Kind: domain.RepairReopenTask, ItemID: &task.ID})
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "an open task: %v", err)
	_, err = r.CompleteProcessItemTask(t.Context(), r.Call, task.ID)
	require.NoError(t, err)
}

func TestDataOfFinishedTasksIsRepaired(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	task := r.completedTask(t)
	value := json.RawMessage(`{"amount":"500"}`)
	_, err := r.UpdateProcessItemTaskData(t.Context(), r.Call, task.ID, value)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairTaskData, ItemID: &task.ID, Value: value}))
	changed := r.task(t, task.ID)
	require.JSONEq(t, string(value), string(changed.Task.Data.Value))
	require.Equal(t, domain.TaskCompleted, changed.Task.State)
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairMetadata, Value: value}))
	require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairEntity, Value: value}))
	p, err := r.RetrieveProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.JSONEq(t, string(value), string(p.Metadata.Value))
	require.JSONEq(t, string(value), string(p.Entity.Value))
	require.Nil(t, r.take(t), "no command")
}

func TestResetsOfFailedWorkflowsCloseTheirIncident(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in      domain.RepairRequest
		command domain.CommandKind
	}{
		{domain.RepairRequest{Kind: domain.RepairReset, Parameters: domain.CommandParameters{EngineRun: "run-1", EventID: 4}}, domain.CommandReset},
		{domain.RepairRequest{Kind: domain.RepairRestart}, domain.CommandReplace},
	} {
		t.Run(string(c.in.Kind), func(t *testing.T) {
			t.Parallel()
			r, incident := newIncident(t)
			require.Equal(t, domain.ConditionFailed, r.condition(t).Code)
			require.NoError(t, r.repair(t, c.in))
			require.Equal(t, domain.ConditionStarting, r.condition(t).Code)
			require.Equal(t, domain.IncidentRetried, r.incidents(t)[0].State)
			require.Equal(t, incident.ID, r.incidents(t)[0].ID)
			require.False(t, r.record(t, r.end("run-1", domain.RunFailed)), "the end of the former attempt")
			again := "run-2"
			if c.command == domain.CommandReset {
				again = "run-1" // A reset workflow keeps the first run of its chain.
			}
			require.Equal(t, c.command, r.carryOut(t, again).Kind)
			require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
			require.True(t, r.record(t, r.end(again, domain.RunFailed)), "it fails again")
			require.Len(t, r.incidents(t), 2)
		})
	}
}

func TestRepairsOfStuckWorkflows(t *testing.T) {
	t.Parallel()
	stuck := func(t *testing.T) running {
		t.Helper()
		r := newRunning(t)
		r.inspect(t, &domain.Inspection{Problem: &domain.Problem{Kind: domain.IncidentActivity, Activity: "send", Attempts: 5, Message: "no route"}})
		return r
	}
	t.Run("a step is completed by hand", func(t *testing.T) {
		t.Parallel()
		r := stuck(t)
		in := domain.RepairRequest{Kind: domain.RepairCompleteStep, Value: json.RawMessage(`{"sent":true}`), Parameters: domain.CommandParameters{Activity: "7"}}
		require.NoError(t, r.repair(t, in))
		require.Equal(t, &domain.CommandParameters{Activity: "7", Result: in.Value}, r.carryOut(t, "").Parameters)
		r.inspect(t, &domain.Inspection{Busy: true})
		require.Equal(t, domain.IncidentResolved, r.incidents(t)[0].State)
	})
	t.Run("the workflow starts anew", func(t *testing.T) {
		t.Parallel()
		r := stuck(t)
		require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairRestart}))
		require.Equal(t, domain.IncidentResolved, r.incidents(t)[0].State)
		require.False(t, r.record(t, r.end("run-1", domain.RunCancelled)), "the terminated workflow")
		require.Equal(t, domain.CommandReplace, r.carryOut(t, "run-2").Kind)
		r.requireState(t, domain.ProcessRunning)
	})
	t.Run("the process is terminated", func(t *testing.T) {
		t.Parallel()
		r := stuck(t)
		task := r.Task(t, r.Service, r.process, true)
		require.NoError(t, r.repair(t, domain.RepairRequest{Kind: domain.RepairTerminate}))
		r.requireState(t, domain.ProcessCancelled)
		require.Equal(t, domain.TaskCancelled, r.task(t, task.ID).Task.State)
		terminate := r.carryOut(t, "")
		require.Equal(t, domain.CommandTerminate, terminate.Kind)
		require.WithinDuration(t, time.Now(), terminate.NotBefore, time.Minute)
		require.Equal(t, domain.IncidentResolved, r.incidents(t)[0].State)
		err := r.repair(t, domain.RepairRequest{Kind: domain.RepairRestart})
		require.True(t, domain.HasCode(err, domain.CodeProcessFinished), "%v", err)
	})
}

func TestIncompleteRepairsAreRefused(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	for name, c := range map[string]struct {
		in    domain.RepairRequest
		field string
	}{
		"no reason":       {domain.RepairRequest{Kind: domain.RepairRestart, Reason: " "}, "reason"},
		"no kind":         {domain.RepairRequest{}, "kind"},
		"an unknown kind": {domain.RepairRequest{Kind: "PAINT"}, "kind"},
		"no item":         {domain.RepairRequest{Kind: domain.RepairReopenTask}, "processItemId"},
		"no value":        {domain.RepairRequest{Kind: domain.RepairMetadata}, "value"},
		"no activity":     {domain.RepairRequest{Kind: domain.RepairCompleteStep}, "activityId"},
		"no event":        {domain.RepairRequest{Kind: domain.RepairReset, Parameters: domain.CommandParameters{EngineRun: "run-1"}}, "eventId"},
	} {
		err := r.repair(t, c.in)
		var refusal *domain.Error
		require.ErrorAs(t, err, &refusal, name)
		require.Equal(t, domain.CodeValidation, refusal.Code, name)
		require.Equal(t, c.field, refusal.Details[0].Location, name)
	}
	foreign := domain.NewID()
	err := r.repair(t, domain.RepairRequest{Kind: domain.RepairReopenTask, ItemID: &foreign})
	require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
}

func TestRepairsNeedTheirRight(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	r.Call.Memberships = []domain.Membership{r.Call.Memberships[0]}
	r.Call.Memberships[0].Role = domain.RoleMember
	err := r.repair(t, domain.RepairRequest{Kind: domain.RepairRestart})
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	_, err = r.FindRepairPoints(t.Context(), r.Call, r.process.ID)
	require.True(t, domain.HasCode(err, domain.CodeAccessDenied), "%v", err)
	require.Nil(t, r.take(t))
}
