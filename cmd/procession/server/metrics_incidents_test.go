package server

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// The numbers of incidents and conditions follow each change. The values of their labels are kinds and conditions, so that no fault
// adds a time series.
func TestIncidentMetrics(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := enginetest.Seed(t, db, "tenant", "Loan")
	store := storage.New(storage.Options{DB: db, Clock: time.Now})
	service := app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	administrators := administration.New(administration.Options{Store: store})
	registry := prometheus.NewRegistry()
	registry.MustRegister(newIncidentMetrics(db.Reader(), service))

	process := tenant.Create(t, service, "Loan")
	run := enginetest.CarryOut(t, db, "run-1").RunID
	idle := readSeries(t, registry)
	require.Len(t, idle, 3*len(domain.IncidentKinds())+len(domain.ConditionCodes())-1)
	requireSeries := func(change string, want map[string]float64) {
		t.Helper()
		read := readSeries(t, registry)
		for name := range idle {
			if name != `procession_process_conditions RUNNING` { // it is some seconds old
				require.InDelta(t, want[name], read[name], 0, "%s: %s", change, name)
			}
		}
		require.Len(t, read, len(idle), change)
	}
	const opened, open, muted = "procession_incidents_opened_total ", "procession_incidents_open ", "procession_incidents_muted "
	requireSeries("a start", nil)

	problem := domain.Inspection{EngineRun: "run-1", Problem: &domain.Problem{Kind: domain.IncidentActivity, Activity: "send", Attempts: 5, Message: "no route"}}
	inspect := func(i domain.Inspection) {
		t.Helper()
		require.NoError(t, service.RecordInspection(t.Context(), run, &i, time.Now().Add(time.Hour)))
	}
	inspect(problem)
	requireSeries("a problem", map[string]float64{opened + "ACTIVITY": 1, open + "ACTIVITY": 1, "procession_process_conditions STUCK": 1})
	found, err := administrators.ListIncidents(t.Context(), tenant.Call, administration.IncidentFilter{}, domain.PageRequest{Size: 1}, nil)
	require.NoError(t, err)
	_, err = administrators.MuteIncident(t.Context(), tenant.Call, found.Items[0].ID, time.Now().Add(time.Hour), false)
	require.NoError(t, err)
	requireSeries("a mute", map[string]float64{opened + "ACTIVITY": 1, muted + "ACTIVITY": 1, "procession_process_conditions STUCK": 1})
	inspect(domain.Inspection{EngineRun: "run-1", UnservedSince: new(time.Now().Add(-time.Minute))})
	requireSeries("a recovery without a worker", map[string]float64{opened + "ACTIVITY": 1, "procession_process_conditions UNKNOWN": 1})
	_, err = service.RecordEnd(t.Context(), domain.RunEnd{
		Namespace: tenant.Namespace, WorkflowID: "process-" + process.ID.String(), RunID: "run-1", Status: domain.RunFailed,
		Message: "no funds", ClosedAt: time.Now(),
	})
	require.NoError(t, err)
	requireSeries("a failure", map[string]float64{
		opened + "ACTIVITY": 1, opened + "FAILURE": 1, open + "FAILURE": 1, "procession_process_conditions FAILED": 1,
	})
	found, err = administrators.ListIncidents(t.Context(), tenant.Call, administration.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}},
		domain.PageRequest{Size: 1}, nil)
	require.NoError(t, err)
	_, err = administrators.RetryIncident(t.Context(), tenant.Call, found.Items[0].ID)
	require.NoError(t, err)
	requireSeries("a retry", map[string]float64{opened + "ACTIVITY": 1, opened + "FAILURE": 1, "procession_process_conditions STARTING": 1})
}

// readSeries returns the values by metric and label value.
func readSeries(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			require.Len(t, m.GetLabel(), 1)
			values[family.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return values
}
