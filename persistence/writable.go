package persistence

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// resetInterval is the shortest time between two replacements of all connections.
const resetInterval = time.Second

// health is the state of the database as the answers to statements show it. It is safe for concurrent use.
type health struct {
	// exhausted is set by an error about disk or memory, until a probe succeeds.
	exhausted atomic.Bool
	// resetAt is the time of the last replacement of the connections, in nanoseconds since 1970.
	resetAt atomic.Int64
}

// observe is called for each error of the database. A read-only session does not become writable again, and leads to a server
// that is no longer the primary: all connections are replaced.
func (p *pools) observe(_ *pgconn.PgConn, err *pgconn.PgError) bool {
	switch {
	case pg.IsReadOnly(err):
		p.reset()
	case pg.IsExhausted(err):
		p.health.exhausted.Store(true)
		p.reset()
	}
	return err.SeverityUnlocalized != "FATAL"
}

// reset replaces idle connections now and the others when they are released, at most once in resetInterval.
func (p *pools) reset() {
	now, last := time.Now().UnixNano(), p.health.resetAt.Load() //nolint:forbidigo // a pause between connections, not a time of the service
	if now-last < resetInterval.Nanoseconds() || !p.health.resetAt.CompareAndSwap(last, now) {
		return
	}
	for _, each := range p.all() {
		if each != nil {
			each.Reset()
		}
	}
}

// IsOutage reports whether err means that the database cannot be reached, accepts no changes or lacks resources.
func IsOutage(err error) bool { return pg.IsOutage(err) }

const isReadOnly = `SELECT current_setting('transaction_read_only')::boolean`

// probeSpace takes space on the disk and gives it back.
const (
	probeTable = `CREATE TEMPORARY TABLE procession_probe ON COMMIT DROP AS SELECT repeat(md5(n::text), 200) AS content FROM generate_series(1, 20) n`
	probeEnd   = `DROP TABLE procession_probe`
)

// CheckWritable returns an UNAVAILABLE error if the database does not answer, is read-only, which a standby is, or has no space left. Space is
// checked after a statement has failed for the lack of it.
func (db *DB) CheckWritable(ctx context.Context) error {
	var readOnly bool
	if err := db.Reader().Read(ctx, pg.Q(isReadOnly, nil, pg.One(&readOnly))); err != nil {
		return pg.Translate("checking the database", err)
	}
	if readOnly {
		db.pools.reset()
		return domain.Unavailable("the database is read-only", nil)
	}
	if !db.pools.health.exhausted.Load() {
		return nil
	}
	err := send(ctx, db.pool, &pgx.Batch{}, []pg.Query{pg.Q(probeTable, nil, pg.None), pg.Q(probeEnd, nil, pg.None)})
	if pg.IsExhausted(err) {
		return pg.Translate("checking the space of the database", err)
	}
	db.pools.health.exhausted.Store(false)
	return nil
}
