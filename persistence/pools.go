package persistence

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

const (
	// backgroundStatementTime is the longest statement of background work, such as
	// an expiry or a sweep.
	backgroundStatementTime = 5 * time.Minute
	// streamStatementTime is the longest statement of a streamed answer: the ids of
	// a page, or one batch of values.
	streamStatementTime = time.Minute
	// idleInTransaction is how long a transaction may wait for the service, and so
	// how long a client may take for one batch of a streamed answer.
	idleInTransaction = time.Minute
	// DefaultRequestTime is the longest statement of a request.
	DefaultRequestTime = 15 * time.Second
)

// PoolName names one of the connection pools of a DB.
type PoolName string

// The pools. What waits for the connections of one does not keep the others from
// working.
const (
	PoolRequests   PoolName = "requests"
	PoolBackground PoolName = "background"
	PoolStreams    PoolName = "streams"
)

// Limits are what a DB may take of PostgreSQL. Zero values stand for those of
// DefaultLimits.
type Limits struct {
	// Requests, Background and Streams are the most connections of each pool.
	Requests, Background, Streams int32
	// RequestTime is the longest statement of a request, and the longest wait of a
	// request for a connection.
	RequestTime time.Duration
	// ListMemory is how much memory, in bytes, lists of values may take together.
	ListMemory int64
}

// DefaultLimits are the limits of a replica of the service.
func DefaultLimits() Limits {
	return Limits{Requests: 16, Background: 4, Streams: 4, RequestTime: DefaultRequestTime, ListMemory: DefaultListMemory}
}

// completed fills in the defaults.
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

// pools are all connections of a DB. They are made when they are needed.
type pools struct {
	requests, background, streams *pool
	// lists is what lists of values share.
	lists *memory
}

// pool is a connection pool, and how long an operation waits for one of its
// connections: 0 is as long as its context allows.
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

// openPools makes the pools for the PostgreSQL server at url.
func openPools(ctx context.Context, url string, l Limits) (_ *pools, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	configure(config)
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

// configure sets what the connections of all pools have in common.
func configure(config *pgxpool.Config) {
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.RuntimeParams["application_name"] = "procession"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	// Compiling a query costs more than any query here gains by it.
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		// Without it ids go through their driver.Valuer, as text, at several times the cost.
		pgxuuid.Register(conn.TypeMap())
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
}

// setTimeouts bounds the statements and the idle transactions of a connection. 0
// is no bound, whatever the role or the database says.
func setTimeouts(config *pgx.ConnConfig, statement, idle time.Duration) {
	config.RuntimeParams["statement_timeout"] = strconv.FormatInt(statement.Milliseconds(), 10)
	config.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(idle.Milliseconds(), 10)
}

// unbounded opens connections beside the pools, for migrations: their statements
// take as long as they need.
func (db *DB) unbounded() *sql.DB {
	config := db.pool.Config().ConnConfig.Copy()
	setTimeouts(config, 0, 0)
	return stdlib.OpenDB(*config)
}

// Background is the same database through the connections that are kept for
// background work. Close must not be called on it.
func (db *DB) Background() *DB {
	return &DB{pool: db.pools.background, pools: db.pools}
}

// Streams is the same database through the connections of event streams and of
// answers too large for memory. Close must not be called on it.
func (db *DB) Streams() *DB {
	return &DB{pool: db.pools.streams, pools: db.pools}
}

// PoolState is how busy a pool is. Waited counts the times that a connection had
// to be waited for.
type PoolState struct {
	InUse, Limit int32
	Waited       int64
}

// PoolState reports how busy a pool is now.
func (db *DB) PoolState(name PoolName) PoolState {
	stat := db.pools.all()[name].Stat()
	return PoolState{InUse: stat.AcquiredConns(), Limit: stat.MaxConns(), Waited: stat.EmptyAcquireCount()}
}
