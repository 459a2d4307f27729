package main

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// missedObservations is how many observations of a task queue may be missing
// before what was seen is no longer believed. At rest that is one.
const missedObservations = engine.IdleIntervals + 1

// queuePatience returns the patience with task queues that the settings ask for.
func queuePatience(c Config) domain.TaskQueueTimeouts {
	patience := domain.DefaultTaskQueueTimeouts()
	patience.Poll = c.PollerPatience
	patience.Observation = missedObservations * c.TaskQueueInterval
	return patience
}

// newTaskQueueMetrics shows what waits in Temporal for workers, and how many there
// are, of all tenants together. It is read from the database, where all replicas
// put what they see, so they all show the same.
func newTaskQueueMetrics(reader *persistence.Reader, patience domain.TaskQueueTimeouts) collector {
	backlog := newGauge("procession_task_queue_backlog", "Tasks that wait in Temporal for workers of tenants.", "kind")
	age := newGauge("procession_task_queue_backlog_age_seconds", "For how long the oldest of these tasks has waited.", "kind")
	live := newGauge("procession_workers_live", "Workers that keep registering.")
	return collector{[]number{backlog, age, live}, func(ctx context.Context, show show) {
		now := time.Now()
		workers, err := reader.CountLiveWorkers(ctx, now)
		if err != nil {
			return
		}
		show(live, float64(workers))
		totals, err := reader.SumTaskQueues(ctx, now.Add(-patience.Observation))
		if err != nil {
			return
		}
		show(backlog, float64(totals.WorkflowCount), "workflow")
		show(backlog, float64(totals.ActivityCount), "activity")
		show(age, totals.WorkflowAge.Seconds(), "workflow")
		show(age, totals.ActivityAge.Seconds(), "activity")
	}}
}
