package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/procession-dev/procession/persistence"
)

// connectionMetrics shows how busy the pools of connections to PostgreSQL are.
type connectionMetrics struct {
	db                   *persistence.DB
	inUse, limit, waited *prometheus.Desc
}

func newConnectionMetrics(db *persistence.DB) *connectionMetrics {
	labels := []string{"pool"}
	return &connectionMetrics{
		db: db,
		inUse: prometheus.NewDesc("procession_database_connections_in_use",
			"Connections to PostgreSQL in use, by pool.", labels, nil),
		limit: prometheus.NewDesc("procession_database_connections_limit",
			"Most connections to PostgreSQL, by pool.", labels, nil),
		waited: prometheus.NewDesc("procession_database_connection_waits_total",
			"Times that a connection to PostgreSQL was waited for, by pool.", labels, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *connectionMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- c.inUse
	out <- c.limit
	out <- c.waited
}

// Collect implements prometheus.Collector.
func (c *connectionMetrics) Collect(out chan<- prometheus.Metric) {
	for _, name := range []persistence.PoolName{
		persistence.PoolRequests, persistence.PoolBackground, persistence.PoolStreams,
	} {
		state, label := c.db.PoolState(name), string(name)
		out <- prometheus.MustNewConstMetric(c.inUse, prometheus.GaugeValue, float64(state.InUse), label)
		out <- prometheus.MustNewConstMetric(c.limit, prometheus.GaugeValue, float64(state.Limit), label)
		out <- prometheus.MustNewConstMetric(c.waited, prometheus.CounterValue, float64(state.Waited), label)
	}
}
