package persistence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/migrations"
)

// maxAttempts bounds how often a transaction that lost a race is run.
const maxAttempts = 5

// DB is the service's database through one of its connection pools: those of
// requests, unless it was made by Background or Streams. Reads go through Reader;
// writes that depend on what is stored go through Write.
type DB struct {
	pool  *pool
	pools *pools
}

// Open connects to the PostgreSQL server at url within the limits. Connections
// are made when they are first needed; use Ping to find out whether they can be.
func Open(ctx context.Context, url string, limits Limits) (*DB, error) {
	opened, err := openPools(ctx, url, limits.completed())
	if err != nil {
		return nil, err
	}
	return &DB{pool: opened.requests, pools: opened}, nil
}

// Close waits for the connections in use and closes those of all pools.
func (db *DB) Close() { db.pools.close() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return translate("pinging the database", db.pool.Ping(ctx))
}

// Reader returns the queries that change nothing.
func (db *DB) Reader() *Reader { return &Reader{pool: db.pool, pools: db.pools} }

// Migrate brings the schema up to date, and the ledger of events where the
// database was restored in another cluster. Several processes may call it at once:
// they take turns.
func (db *DB) Migrate(ctx context.Context) error {
	provider, closeProvider, err := db.migrations()
	if err != nil {
		return err
	}
	defer closeProvider()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	return db.adoptEvents(ctx)
}

// Migrated reports whether there is nothing for Migrate to do: the schema is the
// one this build needs, or newer.
func (db *DB) Migrated(ctx context.Context) (bool, error) {
	provider, closeProvider, err := db.migrations()
	if err != nil {
		return false, err
	}
	defer closeProvider()
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("reading the schema version: %w", err)
	}
	if pending {
		return false, nil
	}
	return db.eventsAdopted(ctx)
}

func (db *DB) migrations() (provider *goose.Provider, closeProvider func(), err error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("preparing migrations: %w", err)
	}
	sqlDB := db.unbounded()
	provider, err = goose.NewProvider(goose.DialectPostgres, sqlDB, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		_ = sqlDB.Close()
		return nil, nil, fmt.Errorf("reading migrations: %w", err)
	}
	return provider, func() { _ = sqlDB.Close() }, nil
}

// Write runs fn in a transaction and commits it when fn returns nil. Nothing is
// written before that: fn reads what it needs, then queues its statements, and
// these go out together with the commit. A transaction that lost a race is run
// again from the start, so fn must not keep state between runs.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.writeOnce(ctx, fn)
		if err == nil || !retryable(err) || attempt == maxAttempts {
			return translate("writing", err)
		}
	}
}

func (db *DB) writeOnce(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := acquire(ctx, db.pool)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx := &Tx{conn: conn, requestID: requestID(ctx), precondition: precondition(ctx)}
	defer tx.rollback(ctx)
	if err := fn(tx); err != nil {
		return err
	}
	if tx.failed != nil {
		return tx.failed
	}
	if WantsNames(ctx) {
		tx.queueNames()
	}
	return tx.commit(ctx)
}

// Tx is one transaction of DB.Write.
type Tx struct {
	conn   *pgxpool.Conn
	begun  bool
	closed bool
	staged bool
	queued pgx.Batch
	// requestID is that of the request that the transaction is for, if any.
	requestID        string
	recorded, public bool
	// revoked says that the transaction revokes access to the engine.
	revoked bool
	// failed is why the transaction cannot be committed.
	failed error
	// along are queries that go with those of the next read.
	along []query
	// precondition is that of the request, current the version of the resource that
	// it is about, nil as long as no such resource was read.
	precondition domain.Precondition
	current      *domain.Version
	// process or item is what the transaction returns.
	process *domain.Process
	item    *domain.ProcessItem
}

// Revoked reports whether the transaction revokes access to the engine.
func (tx *Tx) Revoked() bool { return tx.revoked }

// Staged reports whether the transaction stages commands for Temporal.
func (tx *Tx) Staged() bool { return tx.staged }

// read sends queries in one round trip, the first time together with BEGIN.
// Those that wait to go along follow them, so that they see what is under lock
// then.
func (tx *Tx) read(ctx context.Context, queries ...query) error {
	var batch pgx.Batch
	if !tx.begun {
		batch.Queue("BEGIN")
		tx.begun = true
	}
	queries = append(queries[:len(queries):len(queries)], tx.along...)
	tx.along = nil
	return send(ctx, tx.conn, &batch, queries)
}

// goAlong has queries sent with the next read: what a write needs to know beside
// the row that it locks costs no round trip of its own.
func (tx *Tx) goAlong(queries ...query) { tx.along = append(tx.along, queries...) }

// queue adds a statement to those that go out with the commit. The rows it
// changes are new or under lock by then, so what it affects is known beforehand.
func (tx *Tx) queue(sql string, args ...any) {
	tx.queued.Queue(sql, args...)
}

// queueQuery is queue for a statement that returns rows.
func (tx *Tx) queueQuery(q query) { tx.queued.Queue(q.sql, q.args...).Query(q.scan) }

func (tx *Tx) commit(ctx context.Context) error {
	if tx.queued.Len() == 0 {
		return nil
	}
	var batch pgx.Batch
	if !tx.begun {
		batch.Queue("BEGIN")
		tx.begun = true
	}
	batch.QueuedQueries = append(batch.QueuedQueries, tx.queued.QueuedQueries...)
	batch.Queue("COMMIT")
	if err := tx.conn.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	tx.closed = true
	return nil
}

// rollback ends a transaction that was not committed. It does so even when ctx
// has ended, lest the connection be lost.
func (tx *Tx) rollback(ctx context.Context) {
	if tx.closed || !tx.begun || tx.conn.Conn().PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	// A connection that cannot be rolled back is thrown away on release.
	_, _ = tx.conn.Exec(ctx, "ROLLBACK")
}

// Reader runs queries that change nothing.
type Reader struct {
	pool  *pool
	pools *pools
}

func (r *Reader) read(ctx context.Context, queries ...query) error {
	return send(ctx, r.pool, &pgx.Batch{}, queries)
}
