package server

import (
	"context"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
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

// newEventMetrics collects the delay of events by earlier transactions.
func newEventMetrics(reader *persistence.Reader) collector {
	lag := newGauge("procession_event_lag_seconds",
		"Wait of the oldest recorded event for the end of earlier transactions, in seconds.")
	writer := newGauge("procession_event_writer_age_seconds",
		"Age of the oldest open transaction that has recorded events, in seconds.")
	return collector{[]number{lag, writer}, func(ctx context.Context, show show) {
		h, err := events.ReadHorizon(ctx, reader)
		if err != nil {
			return
		}
		show(lag, h.Lag.Seconds())
		if h.Oldest == nil {
			h.Oldest = &events.Writer{}
		}
		show(writer, h.Oldest.Age.Seconds())
	}}
}

// newDocumentMetrics collects the space for documents, unless they are in a bucket.
func newDocumentMetrics(documents *blobstore.Store) collector {
	free := newGauge("procession_documents_free_bytes", "Free space in the directory of documents, in bytes.")
	return collector{[]number{free}, func(_ context.Context, show show) {
		if n, known, err := documents.FreeBytes(); err == nil && known {
			show(free, float64(n))
		}
	}}
}
