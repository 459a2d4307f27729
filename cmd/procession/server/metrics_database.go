package server

import (
	"context"

	"github.com/procession-dev/procession/persistence"
)

// newConnectionMetrics collects the use of the pools of connections to PostgreSQL.
func newConnectionMetrics(db *persistence.DB) collector {
	inUse := newGauge("procession_database_connections_in_use", "Connections to PostgreSQL in use, by pool.", "pool")
	limit := newGauge("procession_database_connections_limit", "Maximum number of connections to PostgreSQL, by pool.", "pool")
	waited := newCounter("procession_database_connection_waits_total",
		"Waits for a connection to PostgreSQL, by pool.", "pool")
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
