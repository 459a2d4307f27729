package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// inspect records an inspection that began long after the last use of the workflow.
func (r running) inspect(t *testing.T, i *domain.Inspection) {
	t.Helper()
	if i != nil && i.EngineRun == "" {
		i.EngineRun = "run-1"
	}
	require.NoError(t, r.RecordInspection(t.Context(), r.runID(t), i, time.Now().Add(time.Hour)))
}

func (r running) runID(t *testing.T) (id [16]byte) {
	t.Helper()
	runs, err := r.db.Reader().ListOpenRunsOfWorkflows(t.Context(), r.Namespace, []string{"process-" + r.process.ID.String()})
	require.NoError(t, err)
	require.Len(t, runs, 1)
	return runs[0].ID
}

func (r running) condition(t *testing.T) domain.Condition {
	t.Helper()
	overview, err := r.RetrieveProcessView(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	board, err := r.FindBoard(t.Context(), r.Call, app.BoardFilter{}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Equal(t, overview.Condition, board.Items[0].Condition, "the page and the list agree")
	for _, code := range domain.ConditionCodes() {
		board, err := r.FindBoard(t.Context(), r.Call, app.BoardFilter{Conditions: []domain.ConditionCode{code}}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err)
		require.Equal(t, code == overview.Condition.Code, len(board.Items) == 1, "filter by %s", code)
	}
	board, err = r.FindBoard(t.Context(), r.Call, app.BoardFilter{Conditions: []domain.ConditionCode{domain.ConditionFailed, domain.ConditionStuck}}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Equal(t, overview.Condition.Code.NeedsAttention(), len(board.Items) == 1)
	return overview.Condition
}

func TestConditions(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)

	problem := &domain.Problem{Kind: domain.IncidentWorkflowTask, Attempts: 3, Worker: "build-7", Message: "nil pointer", Failure: "at line 4"}
	r.inspect(t, &domain.Inspection{Problem: problem, Busy: true})
	stuck := r.condition(t)
	require.Equal(t, domain.ConditionStuck, stuck.Code)
	require.Equal(t, "nil pointer", stuck.Message)
	incidents := r.incidents(t)
	require.Len(t, incidents, 1)
	require.Equal(t, &incidents[0].ID, stuck.IncidentID)
	require.Equal(t, *problem, incidents[0].Problem)

	problem.Attempts = 9
	r.inspect(t, &domain.Inspection{Problem: problem, Busy: true})
	incidents = r.incidents(t)
	require.Len(t, incidents, 1, "one incident while the problem lasts")
	require.Equal(t, 9, incidents[0].Attempts)
	require.Equal(t, stuck, r.condition(t))

	_, err := r.RetryIncident(t.Context(), r.Call, incidents[0].ID)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)

	r.inspect(t, &domain.Inspection{Problem: &domain.Problem{Kind: domain.IncidentActivity, Activity: "send", Attempts: 5, Message: "no route"}})
	incidents = r.incidents(t)
	require.Len(t, incidents, 2, "another problem is another incident")
	require.Equal(t, []domain.IncidentState{domain.IncidentOpen, domain.IncidentResolved}, []domain.IncidentState{incidents[0].State, incidents[1].State})
	require.Equal(t, "no route", r.condition(t).Message)

	r.inspect(t, &domain.Inspection{Busy: true})
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
	require.Equal(t, domain.IncidentResolved, r.incidents(t)[0].State)

	r.inspect(t, &domain.Inspection{UnservedSince: new(time.Now().Add(-time.Minute))})
	require.Equal(t, domain.ConditionUnknown, r.condition(t).Code)
	require.Equal(t, "no worker takes tasks of the queue "+r.TaskQueue, r.condition(t).Message)
	r.inspect(t, &domain.Inspection{UnservedSince: new(time.Now().Add(-time.Minute)), UnservedQueue: "MAILS"})
	require.Equal(t, "no worker takes tasks of the queue MAILS", r.condition(t).Message)

	r.inspect(t, &domain.Inspection{})
	require.Equal(t, domain.ConditionStuck, r.condition(t).Code)
	require.Equal(t, domain.IncidentNoWait, r.incidents(t)[0].Kind)

	require.True(t, r.record(t, r.end("run-1", domain.RunFailed)))
	failed := r.condition(t)
	require.Equal(t, domain.ConditionFailed, failed.Code)
	require.Equal(t, "no funds", failed.Message)
	_, err = r.RetryIncident(t.Context(), r.Call, *failed.IncidentID)
	require.NoError(t, err)
	require.Equal(t, domain.ConditionStarting, r.condition(t).Code)
	r.carryOut(t, "run-2")
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
	_, err = r.CompleteProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.Equal(t, domain.ConditionFinished, r.condition(t).Code)
}

func TestADismissedProblemOpensNoOtherIncidentUntilItHasEnded(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	problem := &domain.Problem{Kind: domain.IncidentActivity, Activity: "send", Attempts: 5, Message: "no route"}
	r.inspect(t, &domain.Inspection{Problem: problem})
	_, err := r.DismissIncident(t.Context(), r.Call, r.incidents(t)[0].ID)
	require.NoError(t, err)
	r.inspect(t, &domain.Inspection{Problem: problem})
	require.Len(t, r.incidents(t), 1)
	require.Equal(t, domain.ConditionStuck, r.condition(t).Code)
	r.inspect(t, &domain.Inspection{Busy: true})
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
	r.inspect(t, &domain.Inspection{Problem: problem})
	require.Len(t, r.incidents(t), 2)
}

func TestAnotherCauseAfterADismissalOpensAnIncident(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	first := domain.Problem{Kind: domain.IncidentActivity, Activity: "send", Attempts: 5, Message: "no route to 10.0.0.1"}
	r.inspect(t, &domain.Inspection{Problem: &first})
	_, err := r.DismissIncident(t.Context(), r.Call, r.incidents(t)[0].ID)
	require.NoError(t, err)
	same, message, kind := first, first, first
	same.Message = "no route to 10.0.0.2"
	message.Message = "the address is not valid"
	kind.Kind, kind.Activity = domain.IncidentWorkflowTask, ""
	for _, c := range []struct {
		problem domain.Problem
		want    int
	}{{same, 1}, {message, 2}, {kind, 3}} {
		r.inspect(t, &domain.Inspection{Problem: &c.problem})
		require.Len(t, r.incidents(t), c.want, c.problem.Message)
		if newest := r.incidents(t)[0]; newest.State == domain.IncidentOpen {
			require.Equal(t, c.problem, newest.Problem)
			_, err = r.DismissIncident(t.Context(), r.Call, newest.ID)
			require.NoError(t, err)
		}
	}
	for _, problem := range []domain.Problem{first, message, kind} {
		r.inspect(t, &domain.Inspection{Problem: &problem})
		require.Len(t, r.incidents(t), 3, "each cause is dismissed: %s", problem.Message)
	}
}

func TestTheEndOfAWorkflowResolvesItsProblem(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, running){
		"one end": func(t *testing.T, r running) {
			t.Helper()
			require.True(t, r.record(t, r.end("run-1", domain.RunCompleted)))
		},
		"a batch of ends": func(t *testing.T, r running) {
			t.Helper()
			n, err := r.RecordCompletions(t.Context(), r.Namespace, []domain.RunEnd{r.end("run-1", domain.RunCompleted)})
			require.NoError(t, err)
			require.Equal(t, 1, n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunning(t)
			r.inspect(t, &domain.Inspection{Problem: &domain.Problem{Kind: domain.IncidentWorkflowTask, Attempts: 2, Message: "x"}})
			end(t, r)
			require.Equal(t, domain.IncidentResolved, r.incidents(t)[0].State)
			require.Equal(t, domain.ConditionFinished, r.condition(t).Code)
		})
	}
}

// An inspection is a look at the past: it says nothing about a workflow that was used since.
func TestInspectionsOfUsedWorkflowsAreDiscarded(t *testing.T) {
	t.Parallel()
	r := newRunning(t)
	run := r.runID(t)
	require.NoError(t, r.RecordInspection(t.Context(), run, &domain.Inspection{EngineRun: "run-1"}, time.Now().Add(-time.Minute)))
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
	require.NoError(t, r.RecordInspection(t.Context(), run, &domain.Inspection{EngineRun: "another"}, time.Now().Add(time.Hour)))
	require.Equal(t, domain.ConditionRunning, r.condition(t).Code)
	_, err := r.CancelProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.NoError(t, r.RecordInspection(t.Context(), run, &domain.Inspection{EngineRun: "run-1"}, time.Now().Add(time.Hour)))
	require.Empty(t, r.incidents(t))
}
