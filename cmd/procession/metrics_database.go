package main

import (
	"context"

	"github.com/procession-dev/procession/persistence"
)

// newConnectionMetrics shows how busy the pools of connections to PostgreSQL are.
func newConnectionMetrics(db *persistence.DB) collector {
	inUse := newGauge("procession_database_connections_in_use", "Connections to PostgreSQL in use, by pool.", "pool")
	limit := newGauge("procession_database_connections_limit", "Most connections to PostgreSQL, by pool.", "pool")
	waited := newCounter("procession_database_connection_waits_total",
		"Times that a connection to PostgreSQL was waited for, by pool.", "pool")
	return collector{[]number{inUse, limit, waited}, func(_ context.Context, show show) {
		for _, name := range []persistence.PoolName{
			persistence.PoolRequests, persistence.PoolBackground, persistence.PoolStreams,
		} {
			state, label := db.PoolState(name), string(name)
			show(inUse, float64(state.InUse), label)
			show(limit, float64(state.Limit), label)
			show(waited, float64(state.Waited), label)
		}
	}}
}
