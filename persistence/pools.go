package persistence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// backgroundStatementTime limits a statement of background work, such as an expiry or a sweep.
	backgroundStatementTime = 5 * time.Minute
	// streamStatementTime limits a statement of a streamed answer: the ids of a page, or one batch of values.
	streamStatementTime = time.Minute
	// idleInTransaction limits how long a transaction may wait for the service, and so how long a client may
	// take for one batch of a streamed answer.
	idleInTransaction = time.Minute
	// DefaultRequestTime limits a statement of a request.
	DefaultRequestTime = 15 * time.Second
)

// PoolName names one of the connection pools of a DB.
type PoolName string

// The pools. Waiting for connections of one pool does not block work on the others.
const (
	PoolRequests   PoolName = "requests"
	PoolBackground PoolName = "background"
	PoolStreams    PoolName = "streams"
)

// Limits bound the connections and the memory of a DB. Zero values stand for those of DefaultLimits.
type Limits struct {
	// Requests, Background and Streams are the maximum sizes of the pools.
	Requests, Background, Streams int32
	// RequestTime limits a statement of a request, and the wait of a request for a connection.
	RequestTime time.Duration
	// ListMemory limits the memory, in bytes, of all concurrent lists of values together.
	ListMemory int64
	// SealKeys name the seal keys of the process, so that ListSealKeyHolders finds them. PostgreSQL shows the first
	// five; empty for a process without.
	SealKeys []string
}

// DefaultLimits returns the limits of a replica of the service.
func DefaultLimits() Limits {
	return Limits{Requests: 16, Background: 4, Streams: 4, RequestTime: DefaultRequestTime, ListMemory: DefaultListMemory}
}

// completed returns l with the defaults filled in.
func (l Limits) completed() Limits {
	byDefault := DefaultLimits()
	if l.Requests == 0 {
		l.Requests = byDefault.Requests
	}
	if l.Background == 0 {
		l.Background = byDefault.Background
	}
	if l.Streams == 0 {
		l.Streams = byDefault.Streams
	}
	if l.ListMemory == 0 {
		l.ListMemory = byDefault.ListMemory
	}
	if l.RequestTime == 0 {
		l.RequestTime = byDefault.RequestTime
	}
	return l
}

// pools are all connections of a DB. They are opened on demand.
type pools struct {
	requests, background, streams *pool
	// lists is the memory shared by lists of values.
	lists *memory
}

// pool is a connection pool with the limit on the wait for a connection: 0 is as long as the context allows.
type pool struct {
	*pgxpool.Pool
	patience time.Duration
}

func (p *pools) all() map[PoolName]*pool {
	return map[PoolName]*pool{PoolRequests: p.requests, PoolBackground: p.background, PoolStreams: p.streams}
}

func (p *pools) close() {
	for _, each := range p.all() {
		if each != nil {
			each.Close()
		}
	}
}

// openPools opens the pools for the PostgreSQL server at url.
func openPools(ctx context.Context, url string, l Limits) (_ *pools, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	configure(config, l.SealKeys)
	opened := &pools{lists: newMemory(l)}
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	for _, each := range []struct {
		pool      **pool
		size      int32
		statement time.Duration
		patience  time.Duration
	}{
		{&opened.requests, l.Requests, l.RequestTime, l.RequestTime},
		{&opened.background, l.Background, backgroundStatementTime, 0},
		{&opened.streams, l.Streams, streamStatementTime, l.RequestTime},
	} {
		own := config.Copy()
		own.MaxConns = each.size
		setTimeouts(own.ConnConfig, each.statement, idleInTransaction)
		made, err := pgxpool.NewWithConfig(ctx, own)
		if err != nil {
			return nil, fmt.Errorf("opening the database: %w", err)
		}
		*each.pool = &pool{Pool: made, patience: each.patience}
	}
	return opened, nil
}

// configure applies the settings common to the connections of all pools.
func configure(config *pgxpool.Config, sealKeys []string) {
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.RuntimeParams["application_name"] = applicationName(sealKeys)
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	// Compiling a query costs more than any query here gains by it.
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		// Without this registration ids are sent through driver.Valuer, as text, at several times the cost.
		pgxuuid.Register(conn.TypeMap())
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
}

// setTimeouts limits the statements and the idle transactions of a connection. 0 is no limit, regardless of the
// settings of the role or the database.
func setTimeouts(config *pgx.ConnConfig, statement, idle time.Duration) {
	config.RuntimeParams["statement_timeout"] = strconv.FormatInt(statement.Milliseconds(), 10)
	config.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(idle.Milliseconds(), 10)
}

type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send appends queries to the batch and sends it in one round trip.
func send(ctx context.Context, to batchSender, batch *pgx.Batch, queries []pg.Query) error {
	for _, q := range queries {
		batch.Queue(q.SQL, q.Args...).Query(q.Scan)
	}
	if pool, ok := to.(*pool); ok {
		conn, err := acquire(ctx, pool)
		if err != nil {
			return err
		}
		defer conn.Release()
		to = conn
	}
	return to.SendBatch(ctx, batch).Close()
}

// acquire returns a connection from the pool. It waits up to the pool's limit and then returns an UNAVAILABLE
// error.
func acquire(ctx context.Context, from *pool) (*pgxpool.Conn, error) {
	waiting := ctx
	if from.patience > 0 {
		var stop context.CancelFunc
		waiting, stop = context.WithTimeout(ctx, from.patience)
		defer stop()
	}
	conn, err := from.Acquire(waiting)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "all connections to the database are busy; try again later", Cause: err,
		}
	}
	return conn, err
}

// unbounded opens connections outside the pools, for migrations: their statements have no time limit.
func (db *DB) unbounded() *sql.DB {
	config := db.pool.Config().ConnConfig.Copy()
	setTimeouts(config, 0, 0)
	return stdlib.OpenDB(*config)
}

// Background returns the same database through the connections for background work. Close must not be called on
// it.
func (db *DB) Background() *DB {
	return &DB{pool: db.pools.background, pools: db.pools}
}

// Streams returns the same database through the connections for event streams and answers too large for memory.
// Close must not be called on it.
func (db *DB) Streams() *DB {
	return &DB{pool: db.pools.streams, pools: db.pools}
}

// PoolState is the load of a pool. Waited counts how often a connection had to be waited for.
type PoolState struct {
	InUse, Limit int32
	Waited       int64
}

// PoolState returns the current load of a pool.
func (db *DB) PoolState(name PoolName) PoolState {
	stat := db.pools.all()[name].Stat()
	return PoolState{InUse: stat.AcquiredConns(), Limit: stat.MaxConns(), Waited: stat.EmptyAcquireCount()}
}
