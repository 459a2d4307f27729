package server

import (
	"context"
	"time"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// newIncidentMetrics collects the numbers of incidents by kind, and of running processes by condition.
func newIncidentMetrics(reader *persistence.Reader, service *app.Service) collector {
	open := newGauge("procession_incidents_open", "Open incidents that are not muted, by kind.", "kind")
	muted := newGauge("procession_incidents_muted", "Open incidents that are muted, by kind.", "kind")
	opened := newCounter("procession_incidents_opened_total", "Incidents that this replica has opened, by kind.", "kind")
	conditions := newGauge("procession_process_conditions", "Running processes, by condition.", "condition")
	return collector{[]number{open, muted, opened, conditions}, func(ctx context.Context, show show) {
		for kind, n := range service.IncidentsOpened() {
			show(opened, float64(n), string(kind))
		}
		if found, err := reader.CountOpenIncidents(ctx, time.Now()); err == nil {
			for _, kind := range domain.IncidentKinds() {
				show(open, float64(countKind(found, kind, false)), string(kind))
				show(muted, float64(countKind(found, kind, true)), string(kind))
			}
		}
		if found, err := reader.CountConditions(ctx); err == nil {
			for condition, n := range found {
				show(conditions, float64(n), string(condition))
			}
		}
	}}
}

func countKind(found []persistence.OpenIncidents, kind domain.IncidentKind, muted bool) int64 {
	for _, f := range found {
		if f.Kind == kind && f.Muted == muted {
			return f.Open
		}
	}
	return 0
}
