package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// missedObservations is how many observations of a task queue may be missing
// before what was seen is no longer believed.
const missedObservations = 4

// queuePatience is the patience with task queues that the settings ask for.
func queuePatience(c Config) domain.TaskQueuePatience {
	patience := domain.DefaultTaskQueuePatience()
	patience.Poll = c.PollerPatience
	patience.Observation = missedObservations * c.TaskQueueInterval
	return patience
}

// taskQueueMetrics shows what waits in Temporal for workers, and how many there
// are, of all tenants together. It is read from the database, where all replicas
// put what they see, so they all show the same; nothing is shown when the
// database does not answer.
type taskQueueMetrics struct {
	reader             *persistence.Reader
	patience           domain.TaskQueuePatience
	backlog, age, live *prometheus.Desc
}

func newTaskQueueMetrics(reader *persistence.Reader, patience domain.TaskQueuePatience) *taskQueueMetrics {
	return &taskQueueMetrics{
		reader: reader, patience: patience,
		backlog: prometheus.NewDesc("procession_task_queue_backlog",
			"Tasks that wait in Temporal for workers of tenants.", []string{"kind"}, nil),
		age: prometheus.NewDesc("procession_task_queue_backlog_age_seconds",
			"For how long the oldest of these tasks has waited.", []string{"kind"}, nil),
		live: prometheus.NewDesc("procession_workers_live",
			"Workers that keep registering.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (m *taskQueueMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.backlog
	out <- m.age
	out <- m.live
}

// Collect implements prometheus.Collector.
func (m *taskQueueMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	now := time.Now()
	live, err := m.reader.CountLiveWorkers(ctx, now)
	if err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(m.live, prometheus.GaugeValue, float64(live))
	totals, err := m.reader.SumTaskQueues(ctx, now.Add(-m.patience.Observation))
	if err != nil {
		return
	}
	gauge := func(what *prometheus.Desc, value float64, kind string) {
		out <- prometheus.MustNewConstMetric(what, prometheus.GaugeValue, value, kind)
	}
	gauge(m.backlog, float64(totals.WorkflowCount), "workflow")
	gauge(m.backlog, float64(totals.ActivityCount), "activity")
	gauge(m.age, totals.WorkflowAge.Seconds(), "workflow")
	gauge(m.age, totals.ActivityAge.Seconds(), "activity")
}
