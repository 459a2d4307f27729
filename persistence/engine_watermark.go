package persistence

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

const getEngineWatermark = `
SELECT closed_at
  FROM engine_watermarks
 WHERE namespace = $1`

// GetEngineWatermark returns the time, on Temporal's clock, up to which the closings of a namespace have been
// read, or the zero time when none was.
func (r *Reader) GetEngineWatermark(ctx context.Context, namespace string) (time.Time, error) {
	var at time.Time
	err := r.Read(ctx, pg.Q(getEngineWatermark, []any{namespace}, pg.One(&at)))
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, nil
	}
	return at, pg.Translate("reading the watermark of a namespace", err)
}

const raiseEngineWatermark = `
INSERT INTO engine_watermarks AS w (namespace, closed_at)
VALUES ($1, $2)
ON CONFLICT (namespace) DO UPDATE SET closed_at = greatest(w.closed_at, excluded.closed_at)`

// RaiseEngineWatermark records that the closings of a namespace have been read up to the time. The watermark
// never goes back.
func (tx *Tx) RaiseEngineWatermark(namespace string, closedAt time.Time) {
	tx.queue(raiseEngineWatermark, namespace, closedAt)
}
