package events

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Writer is a transaction that has recorded events and has not ended.
type Writer struct {
	Database string
	// PID is the process of its session, 0 for a prepared transaction.
	PID int32
	// Application is the application_name of its session, or the name of the prepared transaction.
	Application string
	// Age is the time since it began, 0 if that is hidden from the role of the service.
	Age time.Duration
}

// Horizon describes the end of the readable part of the event log.
type Horizon struct {
	// Lag is the age of the oldest committed event that is not readable, 0 if there is none.
	Lag time.Duration
	// Oldest is the writer that began first, nil if there is none. Events of later transactions wait for its end.
	Oldest *Writer
}

const (
	horizonLag = `
SELECT coalesce(extract(epoch FROM clock_timestamp() - (
       SELECT e.occurred_at
         FROM events e
        WHERE e.era = (SELECT l.era FROM event_ledger l) AND e.xid >= (SELECT event_horizon(pg_current_snapshot()))
        ORDER BY ` + pg.EventOrder + `
        LIMIT 1)), 0)::float8`

	oldestWriter = `
SELECT current_database(), coalesce(a.pid, 0), coalesce(a.application_name, p.gid, ''),
       coalesce(extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, p.prepared)), 0)::float8
  FROM event_writers w
  LEFT JOIN pg_stat_activity a ON a.pid = w.pid
  LEFT JOIN pg_prepared_xacts p ON w.pid IS NULL AND p.transaction::text::bigint = w.transaction
 ORDER BY coalesce(a.xact_start, p.prepared)
 LIMIT 1`
)

// ReadHorizon returns the state of the horizon.
func ReadHorizon(ctx context.Context, r *persistence.Reader) (Horizon, error) {
	var h Horizon
	var lag, age float64
	err := r.Read(
		ctx,
		pg.Q(horizonLag, nil, pg.One(&lag)),
		pg.Q(oldestWriter, nil, pg.OrNil(&h.Oldest, func(w *Writer) func(pgx.Rows) error {
			return pg.One(&w.Database, &w.PID, &w.Application, &age)
		})),
	)
	h.Lag = seconds(lag)
	if h.Oldest != nil {
		h.Oldest.Age = seconds(age)
	}
	return h, pg.Translate("reading the horizon of the event log", err)
}

func seconds(n float64) time.Duration { return max(0, time.Duration(n*float64(time.Second))) }
