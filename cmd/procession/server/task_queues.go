package server

import (
	"context"
	"time"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

// missedObservations is the number of observations of a task queue that may be missing before the last one is
// out of date. One is missing at rest.
const missedObservations = engine.IdleIntervals + 1

// queueTimeouts returns the timeouts of task queues and pollers.
func queueTimeouts(c config.Config) domain.TaskQueueTimeouts {
	timeouts := domain.DefaultTaskQueueTimeouts()
	timeouts.Poll = c.PollerTimeout
	timeouts.Observation = missedObservations * c.TaskQueueInterval
	return timeouts
}

// outageGrace is how long a needed task queue may be without workers, as during their update, before it is recorded.
const outageGrace = 2 * time.Minute

// matchTaskQueues returns the function that records outages of task queues and adds and deletes queues.
func (s *Service) matchTaskQueues(db *persistence.DB) func(context.Context, time.Time) error {
	timeouts := queueTimeouts(s.config)
	return func(ctx context.Context, now time.Time) error {
		// A queue that is deleted has no outage any more.
		if err := db.RecordQueueOutages(ctx, timeouts, outageGrace, now); err != nil {
			return err
		}
		return db.MatchTaskQueues(ctx, now)
	}
}

// newTaskQueueMetrics collects the backlog of task queues and the number of live workers, of all tenants
// together. All replicas report the same numbers, from the database.
func newTaskQueueMetrics(reader *persistence.Reader, timeouts domain.TaskQueueTimeouts) collector {
	backlog := newGauge("procession_task_queue_backlog", "Tasks that wait in Temporal for workers of tenants, by kind.", "kind")
	age := newGauge("procession_task_queue_backlog_age_seconds", "Wait of the oldest of these tasks, in seconds.", "kind")
	live := newGauge("procession_workers_live", "Workers that keep registering.")
	return collector{[]number{backlog, age, live}, func(ctx context.Context, show show) {
		now := time.Now()
		workers, err := reader.CountLiveWorkers(ctx, now)
		if err != nil {
			return
		}
		show(live, float64(workers))
		totals, err := reader.SumTaskQueues(ctx, now.Add(-timeouts.Observation))
		if err != nil {
			return
		}
		show(backlog, float64(totals.WorkflowCount), "workflow")
		show(backlog, float64(totals.ActivityCount), "activity")
		show(age, totals.WorkflowAge.Seconds(), "workflow")
		show(age, totals.ActivityAge.Seconds(), "activity")
	}}
}
