package app_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
)

// newIncident returns a process with a failed workflow.
func newIncident(t *testing.T) (running, domain.Incident) {
	t.Helper()
	r := newRunning(t)
	require.True(t, r.record(t, r.end("run-1", domain.RunFailed)))
	require.False(t, r.record(t, r.end("run-1", domain.RunFailed)))
	incidents := r.incidents(t)
	require.Len(t, incidents, 1)
	return r, incidents[0]
}

func TestAFailedWorkflowLeavesAnIncident(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	r.requireState(t, domain.ProcessRunning)
	require.Equal(t, domain.Incident{
		ID: incident.ID, TenantID: r.ID, ProcessID: &r.process.ID, RunID: incident.RunID, EngineRun: "run-1",
		Fingerprint: incident.Fingerprint,
		Problem:     domain.Problem{Kind: domain.IncidentFailure, Attempts: 1, Message: "no funds", Failure: "at line 1"},
		State:       domain.IncidentOpen, CreatedAt: incident.CreatedAt,
	}, incident)
}

func TestListIncidentsVisibility(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	member := r.Call
	member.Memberships = []domain.Membership{r.Call.Memberships[0]}
	member.Memberships[0].Role = domain.RoleMember
	stranger := domain.Call{Caller: domain.Caller{
		PrincipalID: uuid.New(), Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: uuid.New(), Role: domain.RoleOwner}},
	}}
	for name, caller := range map[string]domain.Call{"member": member, "stranger": stranger} {
		page, err := r.ListIncidents(t.Context(), caller, administration.IncidentFilter{}, domain.PageRequest{Size: 10}, nil)
		require.NoError(t, err, name)
		require.Zero(t, page.Total, name)
		_, _, err = r.RetrieveIncident(t.Context(), caller, incident.ID)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%s: %v", name, err)
		_, err = r.RetryIncident(t.Context(), caller, incident.ID)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%s: %v", name, err)
		_, err = r.DismissIncident(t.Context(), caller, incident.ID)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%s: %v", name, err)
	}
	system := domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem}}
	found, _, err := r.RetrieveIncident(t.Context(), system, incident.ID)
	require.NoError(t, err)
	require.Equal(t, incident, *found)
}

func TestListIncidentsFilters(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	for _, c := range []struct {
		filter administration.IncidentFilter
		want   int64
	}{
		{administration.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}}, 1},
		{administration.IncidentFilter{States: []domain.IncidentState{domain.IncidentRetried, domain.IncidentDismissed}}, 0},
		{administration.IncidentFilter{ProcessIDs: []uuid.UUID{*incident.ProcessID}}, 1},
		{administration.IncidentFilter{ProcessIDs: []uuid.UUID{uuid.New()}}, 0},
		{administration.IncidentFilter{TenantCodes: []string{"elsewhere", r.Namespace}}, 1},
		{administration.IncidentFilter{TenantCodes: []string{"elsewhere"}}, 0},
	} {
		page, err := r.ListIncidents(t.Context(), r.Call, c.filter, domain.PageRequest{Size: 0}, nil)
		require.NoError(t, err)
		require.Equal(t, c.want, page.Total, "%+v", c.filter)
	}
}

func TestListIncidentsSorts(t *testing.T) {
	t.Parallel()
	r, first := newIncident(t)
	_, err := r.RetryIncident(t.Context(), r.Call, first.ID)
	require.NoError(t, err)
	r.carryOut(t, "run-2")
	require.True(t, r.record(t, r.end("run-2", domain.RunFailed)))
	list := func(sort ...domain.SortKey) []uuid.UUID {
		page, err := r.ListIncidents(t.Context(), r.Call, administration.IncidentFilter{}, domain.PageRequest{Size: 10}, sort)
		require.NoError(t, err)
		require.Len(t, page.Items, 2)
		return []uuid.UUID{page.Items[0].ID, page.Items[1].ID}
	}
	newest := list()
	require.Equal(t, first.ID, newest[1])
	require.Equal(t, newest, list(domain.SortKey{Property: "createdAt", Descending: true}))
	for _, property := range []string{"id", "createdAt"} {
		require.Equal(t, []uuid.UUID{newest[1], newest[0]}, list(domain.SortKey{Property: property}))
	}
}

func TestRetryIncidentStartsTheWorkflowAgain(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	retried, err := r.RetryIncident(t.Context(), r.Call, incident.ID)
	require.NoError(t, err)
	require.Equal(t, domain.IncidentRetried, retried.State)
	require.NotNil(t, retried.ResolvedAt)
	again, err := r.RetryIncident(t.Context(), r.Call, incident.ID)
	require.NoError(t, err)
	require.True(t, retried.ResolvedAt.Equal(*again.ResolvedAt))

	require.False(t, r.record(t, r.end("run-1", domain.RunFailed)), "listed once more, before the restart")
	require.Equal(t, domain.CommandRestart, r.carryOut(t, "run-2").Kind)
	require.Nil(t, r.take(t), "one retry is one restart")
	require.False(t, r.record(t, r.end("run-1", domain.RunFailed)), "listed once more, after the restart")

	require.True(t, r.record(t, r.end("run-2", domain.RunFailed)))
	second := r.incidents(t)[0]
	require.NotEqual(t, incident.ID, second.ID)
	_, err = r.RetryIncident(t.Context(), r.Call, second.ID)
	require.NoError(t, err)
	require.False(t, r.record(t, r.end("run-1", domain.RunFailed)), "the end of the attempt before the last")
	r.carryOut(t, "run-3")
	require.True(t, r.record(t, r.end("run-3", domain.RunCompleted)))
	r.requireState(t, domain.ProcessCompleted)
}

func TestRetryIncidentOfAFinishedProcessIsRefused(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	_, err := r.CancelProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	_, err = r.RetryIncident(t.Context(), r.Call, incident.ID)
	require.True(t, domain.HasCode(err, domain.CodeProcessFinished), "%v", err)
	unchanged, _, err := r.RetrieveIncident(t.Context(), r.Call, incident.ID)
	require.NoError(t, err)
	require.Equal(t, domain.IncidentOpen, unchanged.State)
}

func TestDismissIncident(t *testing.T) {
	t.Parallel()
	r, incident := newIncident(t)
	for range 2 {
		dismissed, err := r.DismissIncident(t.Context(), r.Call, incident.ID)
		require.NoError(t, err)
		require.Equal(t, domain.IncidentDismissed, dismissed.State)
	}
	require.Nil(t, r.take(t))
	r.requireState(t, domain.ProcessRunning)

	_, err := r.RetryIncident(t.Context(), r.Call, incident.ID)
	require.NoError(t, err, "a dismissed incident can still be retried")
	_, err = r.DismissIncident(t.Context(), r.Call, incident.ID)
	require.True(t, domain.HasCode(err, domain.CodeInvalidState), "%v", err)
}
