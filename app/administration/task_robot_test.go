package administration_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/test/kit/enginetest"
)

// checking returns a manual process with a task CHECK that the robot assists with,
// and a task ALONE without a robot.
func checking(robot string) json.RawMessage {
	return document("ProcessDefinition", "north", "CHECKING", `{"name":"Checking","items":[
		{"code":"CHECK","type":"TASK","name":"Check","candidates":[{"user":"carl"},{"user":"ines"}],
		 "robot":{"code":"`+robot+`","operation":"LOOK"}},
		{"code":"ALONE","type":"TASK","name":"Alone","candidates":[{"user":"carl"}]}],
		"permissions":{"initiators":[{"user":"ines"}],"managers":[{"user":"ada"}]}}`)
}

// assisted is a process with tasks that have a robot.
type assisted struct {
	*robots
	process   *domain.Process
	ada, carl domain.Call
}

func newAssisted(t *testing.T) assisted {
	t.Helper()
	a := assisted{robots: newRobots(t)}
	a.apply(a.anna(), checking("BOT"))
	a.ada, a.carl = a.member("ada"), a.member("carl")
	definition := a.configured.id(resource.KindProcessDefinition, "north", "CHECKING")
	var err error
	a.process, _, err = a.CreateProcess(t.Context(), a.ada, app.NewProcess{Definition: app.DefinitionKey{ID: &definition}})
	require.NoError(t, err)
	return a
}

func (a assisted) member(code string) domain.Call {
	a.t.Helper()
	caller := a.caller("north", code, domain.RoleMember)
	caller.Memberships[0].Namespace = a.namespace("north")
	return caller
}

func (a assisted) task(code string, owner *uuid.UUID) *domain.ProcessItem {
	a.t.Helper()
	item, _, err := a.CreateProcessItem(a.t.Context(), a.ada, app.NewItem{
		Type: domain.ItemTask, ProcessID: a.process.ID, DefinitionCode: code, Owner: app.PrincipalKey{ID: owner},
	})
	require.NoError(a.t, err)
	return item
}

// claimed returns a task claimed by carl with a running robot.
func (a assisted) claimed() (*domain.ProcessItem, *domain.DueCommand) {
	a.t.Helper()
	task := a.task("CHECK", nil)
	_, err := a.ClaimProcessItemTask(a.t.Context(), a.carl, task.ID)
	require.NoError(a.t, err)
	return task, a.starts(task, "run-1")
}

// starts requires that the next command starts the robot for the task, and
// pretends that it did.
func (a assisted) starts(task *domain.ProcessItem, run string) *domain.DueCommand {
	a.t.Helper()
	c := enginetest.CarryOut(a.t, a.db, run)
	require.Equal(a.t, domain.CommandStart, c.Kind)
	require.Equal(a.t, domain.EngineRun{
		ID: c.Run.ID, TenantID: task.TenantID, Kind: domain.RunKindTaskRobot, OwnerID: task.ID,
		Namespace: a.namespace("north"), WorkflowID: "task-robot-" + c.Run.ID.String(),
		WorkflowType: "Bot", TaskQueue: "bots", State: domain.RunPending,
		Robot: &domain.TaskRobotRequest{ProcessID: a.process.ID, RobotID: a.id, Operation: "LOOK"},
	}, c.Run)
	return c
}

func (a assisted) end(c *domain.DueCommand, run string, status domain.EngineRunState) domain.RunEnd {
	return domain.RunEnd{
		Namespace: c.Run.Namespace, WorkflowID: c.Run.WorkflowID, RunID: run, Status: status,
		Message: "no screen", Failure: "at line 1", ClosedAt: time.Now(),
	}
}

// record reports whether an end was news.
func (a assisted) record(c domain.RunEnd) bool {
	a.t.Helper()
	news, err := a.RecordEnd(a.t.Context(), c)
	require.NoError(a.t, err)
	return news
}

func (a assisted) incidents() []domain.Incident {
	a.t.Helper()
	page, err := a.ListIncidents(a.t.Context(), a.anna(), administration.IncidentFilter{ProcessIDs: []uuid.UUID{a.process.ID}},
		domain.PageRequest{Size: 10}, nil)
	require.NoError(a.t, err)
	return page.Items
}

func TestReleaseStopsTheRobotAndTheNextClaimStartsAnother(t *testing.T) {
	t.Parallel()
	a := newAssisted(t)
	task, first := a.claimed()
	_, err := a.ReleaseProcessItemTask(t.Context(), a.member("ines"), task.ID)
	require.True(t, domain.HasCode(err, domain.CodeTaskNotOwned), "%v", err)
	released, err := a.ReleaseProcessItemTask(t.Context(), a.carl, task.ID)
	require.NoError(t, err)
	require.Equal(t, domain.TaskReady, released.Task.State)
	require.Nil(t, released.OwnerID)
	require.Nil(t, released.Task.ClaimedAt)
	stop := enginetest.CarryOut(t, a.db, "")
	require.Equal(t, domain.CommandCancel, stop.Kind)
	require.Equal(t, first.Run.ID, stop.Run.ID)

	for _, by := range []domain.Call{a.carl, a.ada} {
		again, err := a.ReleaseProcessItemTask(t.Context(), by, task.ID)
		require.NoError(t, err)
		require.Equal(t, released.LastModifiedAt, again.LastModifiedAt)
	}
	require.Nil(t, enginetest.Take(t, a.db))
	_, err = a.ClaimProcessItemTask(t.Context(), a.member("ines"), task.ID)
	require.NoError(t, err)
	require.NotEqual(t, first.Run.ID, a.starts(task, "run-2").Run.ID)
}

func TestClaimStartsRobotOnce(t *testing.T) {
	t.Parallel()

	t.Run("by a claim, which only one of many makes", func(t *testing.T) {
		t.Parallel()
		a := newAssisted(t)
		task := a.task("CHECK", nil)
		require.Nil(t, enginetest.Take(t, a.db), "the task has no owner")
		var wg sync.WaitGroup
		for i := range 8 {
			caller := a.carl
			if i%2 == 0 {
				caller = a.member("ines")
			}
			wg.Go(func() { _, _ = a.ClaimProcessItemTask(t.Context(), caller, task.ID) })
		}
		wg.Wait()
		a.starts(task, "run-1")
		require.Nil(t, enginetest.Take(t, a.db))
	})

	t.Run("by an assignment, but not by the next", func(t *testing.T) {
		t.Parallel()
		a := newAssisted(t)
		task := a.task("CHECK", nil)
		for _, owner := range []*uuid.UUID{&a.carl.PrincipalID, &a.ada.PrincipalID} {
			_, err := a.AssignProcessItemTask(t.Context(), a.ada, task.ID, app.PrincipalKey{ID: owner})
			require.NoError(t, err)
		}
		a.starts(task, "run-1")
		require.Nil(t, enginetest.Take(t, a.db))
	})

	t.Run("with its creation where it has an owner from then on", func(t *testing.T) {
		t.Parallel()
		a := newAssisted(t)
		task := a.task("CHECK", &a.carl.PrincipalID)
		_, err := a.ClaimProcessItemTask(t.Context(), a.carl, task.ID)
		require.NoError(t, err)
		a.starts(task, "run-1")
		require.Nil(t, enginetest.Take(t, a.db))
	})

	t.Run("and others have none", func(t *testing.T) {
		t.Parallel()
		a := newAssisted(t)
		_, err := a.ClaimProcessItemTask(t.Context(), a.carl, a.task("ALONE", nil).ID)
		require.NoError(t, err)
		a.task("ALONE", &a.carl.PrincipalID)
		require.Nil(t, enginetest.Take(t, a.db))
	})
}

func TestARobotStopsWithTheTask(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]func(a assisted, task uuid.UUID) error{
		"item": func(a assisted, task uuid.UUID) error {
			_, err := a.CancelProcessProcessItems(a.t.Context(), a.ada, a.process.ID, []uuid.UUID{task})
			return err
		},
		"process": func(a assisted, _ uuid.UUID) error {
			_, err := a.CancelProcess(a.t.Context(), a.ada, a.process.ID)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAssisted(t)
			task, start := a.claimed()
			other := a.task("CHECK", &a.carl.PrincipalID)
			if name == "item" {
				defer func() { a.starts(other, "run-2") }()
			} else {
				a.starts(other, "run-2")
			}
			require.NoError(t, cancel(a, task.ID))
			require.Equal(t, 1, a.count(`SELECT count(*) FROM engine_commands
 WHERE engine_run_id = $1 AND kind = 'CANCEL' AND order_key = engine_run_id AND not_before = created_at`, start.Run.ID))
			require.Equal(t, 1, a.count(`SELECT count(*) FROM engine_commands
 WHERE engine_run_id = $1 AND kind = 'TERMINATE' AND order_key = id AND not_before = created_at + interval '1 minute'`, start.Run.ID))
			if name == "item" {
				require.Zero(t, a.count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
 WHERE r.owner_id = $1 AND c.kind <> 'START'`, other.ID))
			}
			require.True(t, a.record(a.end(start, "run-1", domain.RunFailed)))
			require.Empty(t, a.incidents(), "the robot is not needed any longer")
		})
	}
}

func TestTheEndOfARobotLeavesTheTaskAlone(t *testing.T) {
	t.Parallel()
	for _, status := range []domain.EngineRunState{domain.RunCompleted, domain.RunCancelled} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			a := newAssisted(t)
			task, start := a.claimed()
			require.True(t, a.record(a.end(start, "run-1", status)))
			require.False(t, a.record(a.end(start, "run-1", status)), "it was news once")
			found, err := a.RetrieveProcessItem(t.Context(), a.carl, task.ID)
			require.NoError(t, err)
			require.Equal(t, domain.TaskClaimed, found.Task.State)
			require.Empty(t, a.incidents())
			_, err = a.CancelProcessProcessItems(t.Context(), a.ada, a.process.ID, nil)
			require.NoError(t, err)
			require.Nil(t, enginetest.Take(t, a.db), "there is nothing to stop")
		})
	}
}

func TestRetryIncidentOfRobotWhileTaskOpen(t *testing.T) {
	t.Parallel()
	a := newAssisted(t)
	task, start := a.claimed()
	require.True(t, a.record(a.end(start, "run-1", domain.RunFailed)))
	incidents := a.incidents()
	require.Len(t, incidents, 1)
	require.Equal(t, domain.Incident{
		ID: incidents[0].ID, TenantID: task.TenantID, ProcessID: &a.process.ID, TaskID: &task.ID, RunID: start.Run.ID,
		EngineRun: "run-1", Fingerprint: incidents[0].Fingerprint,
		Problem:   domain.Problem{Kind: domain.IncidentFailure, Attempts: 1, Message: "no screen", Failure: "at line 1"},
		State:     domain.IncidentOpen,
		CreatedAt: incidents[0].CreatedAt,
	}, incidents[0])
	_, err := a.RetryIncident(t.Context(), a.anna(), incidents[0].ID)
	require.NoError(t, err)
	again := enginetest.CarryOut(t, a.db, "run-2")
	require.Equal(t, domain.CommandRestart, again.Kind)
	require.Equal(t, start.Run.Robot, again.Run.Robot)

	require.True(t, a.record(a.end(start, "run-2", domain.RunFailed)))
	_, err = a.CompleteProcessItemTask(t.Context(), a.carl, task.ID)
	require.NoError(t, err)
	second := a.incidents()[0]
	_, err = a.RetryIncident(t.Context(), a.anna(), second.ID)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), err)
	require.ErrorContains(t, err, "needs no robot")
	require.Nil(t, enginetest.Take(t, a.db))
}
