package persistence

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// maxAttempts bounds how often a transaction is run when it conflicts with others.
const maxAttempts = 5

// DB is the service's database through one of its connection pools: the pool of requests, unless it was returned
// by Background or Streams. Reads go through Reader; writes that depend on stored rows go through Write.
type DB struct {
	pool  *pool
	pools *pools
}

// Open returns a DB for the PostgreSQL server at url with the limits. Connections are made when they are first
// needed; use Ping to check the server.
func Open(ctx context.Context, url string, limits Limits) (*DB, error) {
	opened, err := openPools(ctx, url, limits.withDefaults())
	if err != nil {
		return nil, err
	}
	return &DB{pool: opened.requests, pools: opened}, nil
}

// Close waits for the connections in use and closes all pools.
func (db *DB) Close() { db.pools.close() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return pg.Translate("pinging the database", db.pool.Ping(ctx))
}

// Reader returns the read-only queries.
func (db *DB) Reader() *Reader { return &Reader{pool: db.pool, pools: db.pools} }

// Write runs fn in a transaction and commits it when fn returns nil. No write is sent before that: fn reads
// rows and queues statements, which are sent together with the commit. After a conflict with
// another transaction fn is run again from the start, so it must not keep state between runs.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return db.write(ctx, domain.Call{}, fn)
}

// Record is Write for a call: it checks the precondition, records the events that fn returns, and adds requested names. For a
// resource of a bulk operation it records the end too; see ErrBulkItemHandled.
func (db *DB) Record(ctx context.Context, call domain.Call, fn func(tx *Tx) (domain.Events, error)) error {
	return db.write(ctx, call, func(tx *Tx) error {
		if err := tx.lockBulkItem(ctx); err != nil {
			return err
		}
		events, err := fn(tx)
		if err != nil {
			return err
		}
		return tx.record(tx.endBulkItem(events))
	})
}

func (db *DB) write(ctx context.Context, call domain.Call, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.writeOnce(ctx, call, fn)
		if err == nil || !pg.Retryable(err) || attempt == maxAttempts {
			return pg.Translate("writing", err)
		}
	}
}

func (db *DB) writeOnce(ctx context.Context, call domain.Call, fn func(tx *Tx) error) error {
	conn, err := acquire(ctx, db.pool)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx := &Tx{conn: conn, pool: db.pool, requestID: requestID(ctx), call: call}
	defer tx.rollback(ctx)
	if err := fn(tx); err != nil {
		return err
	}
	if call.Names {
		tx.queueNames()
	}
	return tx.commit(ctx)
}

// Send sends queries in one round trip. They are one transaction.
func (db *DB) Send(ctx context.Context, queries []pg.Query) error {
	return send(ctx, db.pool, &pgx.Batch{}, queries)
}

// Tx is one transaction of DB.Write.
type Tx struct {
	conn   *pgxpool.Conn
	pool   *pool
	begun  bool
	closed bool
	staged bool
	// written is set when statements that were not queued may have changed something.
	written bool
	queued  pgx.Batch
	// requestID is the id of the request that the transaction belongs to, if any.
	requestID string
	call      domain.Call
	// revoked reports whether the transaction revokes access to the engine.
	revoked bool
	// current is the version of the resource of the call's precondition, nil until the resource was read.
	current *domain.Version
	// process or item is the result of the transaction.
	process *domain.Process
	item    *domain.ProcessItem
	// openedIncidents are the kinds of the stored incidents.
	openedIncidents []domain.IncidentKind
	// attached is a value of the caller.
	attached any
}

// Attach attaches a value for the functions that the transaction is passed to.
func (tx *Tx) Attach(value any) { tx.attached = value }

// Attached returns the attached value, or nil.
func (tx *Tx) Attached() any { return tx.attached }

// Revoked reports whether the transaction revokes access to the engine.
func (tx *Tx) Revoked() bool { return tx.revoked }

// Staged reports whether the transaction stages commands for Temporal.
func (tx *Tx) Staged() bool { return tx.staged }

// Read sends queries in one round trip, the first time together with BEGIN.
func (tx *Tx) Read(ctx context.Context, queries ...pg.Query) error {
	return send(ctx, tx.conn, tx.batch(), queries)
}

// batch returns one for the next round trip, the first time with BEGIN.
func (tx *Tx) batch() *pgx.Batch {
	if tx.begun {
		return &pgx.Batch{}
	}
	tx.begun = true
	return tx.pool.begin("BEGIN")
}

// Change is Read for statements that change rows before the commit, because other statements depend on their results.
func (tx *Tx) Change(ctx context.Context, queries ...pg.Query) error {
	tx.written = true
	return tx.Read(ctx, queries...)
}

// queue adds a statement to be sent with the commit. The rows it changes are new or under lock by then, so the
// number of affected rows is known beforehand.
func (tx *Tx) queue(sql string, args ...any) {
	tx.queued.Queue(sql, args...)
}

// QueueQuery is queue for a statement that returns rows.
func (tx *Tx) QueueQuery(q pg.Query) { tx.queued.Queue(q.SQL, q.Args...).Query(q.Scan) }

func (tx *Tx) commit(ctx context.Context) error {
	if tx.queued.Len() == 0 && !tx.written {
		return nil
	}
	batch := tx.batch()
	batch.QueuedQueries = append(batch.QueuedQueries, tx.queued.QueuedQueries...)
	batch.Queue("COMMIT")
	if err := tx.conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	tx.closed = true
	return nil
}

// rollback ends a transaction that was not committed. It does so even when ctx has ended, so that the connection
// can be reused.
func (tx *Tx) rollback(ctx context.Context) {
	if tx.closed || !tx.begun || tx.conn.Conn().PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	// A connection that cannot be rolled back is closed on release.
	_, _ = tx.conn.Exec(ctx, "ROLLBACK")
}

// Reader runs read-only queries.
type Reader struct {
	pool  *pool
	pools *pools
}

func (r *Reader) Read(ctx context.Context, queries ...pg.Query) error {
	return send(ctx, r.pool, &pgx.Batch{}, queries)
}
