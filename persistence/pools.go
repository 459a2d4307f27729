package persistence

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/tlspolicy"
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

// Limits bound the connections and the memory of a DB. Zero values stand for DefaultLimits.
type Limits struct {
	// Requests, Background and Streams are the maximum sizes of the pools.
	Requests, Background, Streams int32
	// RequestTime limits a statement of a request, and the wait of a request for a connection.
	RequestTime time.Duration
	// ListMemory limits the memory, in bytes, of all concurrent lists of values together.
	ListMemory int64
	// DirectURL leads to the database itself where the URL of the DB leads through a pooler that keeps a session for a
	// transaction only. Notifications and migrations use it. Empty if the URL of the DB is direct.
	DirectURL string
	// SealKeys name the seal keys of the process, so that ListSealKeyHolders finds them. PostgreSQL shows the first
	// five; empty for a process without.
	SealKeys []string
}

// DefaultLimits returns the limits of a replica of the service.
func DefaultLimits() Limits {
	return Limits{Requests: 16, Background: 4, Streams: 4, RequestTime: DefaultRequestTime, ListMemory: DefaultListMemory}
}

// withDefaults returns l with the defaults filled in.
func (l Limits) withDefaults() Limits {
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
	// direct makes connections outside the pools.
	direct *pgx.ConnConfig
	// lists is the memory shared by lists of values.
	lists  *memory
	health health
}

// pool is a connection pool with the limit on the wait for a connection: 0 is as long as the context allows.
type pool struct {
	*pgxpool.Pool
	acquireTimeout time.Duration
	// opening is the statement that a transaction begins with, "" where connections have sessions of their own.
	opening string
}

// begin returns a batch with a statement that begins a transaction.
func (p *pool) begin(statement string) *pgx.Batch {
	batch := &pgx.Batch{}
	batch.Queue(statement)
	p.open(batch)
	return batch
}

// open adds the settings that the first round trip of a transaction begins with.
func (p *pool) open(batch *pgx.Batch) {
	if p.opening != "" {
		batch.Queue(p.opening)
	}
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
	config, err := parse(url, l.SealKeys)
	if err != nil {
		return nil, fmt.Errorf("reading the database URL: %w", err)
	}
	opened := &pools{lists: newMemory(l)}
	config.ConnConfig.OnPgError = opened.observe
	opened.direct = config.ConnConfig.Copy()
	if l.DirectURL != "" {
		direct, err := parse(l.DirectURL, l.SealKeys)
		if err != nil {
			return nil, fmt.Errorf("reading the direct database URL: %w", err)
		}
		opened.direct = direct.ConnConfig
		avoidSessions(config, url)
	}
	maps.Copy(opened.direct.RuntimeParams, settings(l.RequestTime))
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	for _, each := range []struct {
		pool           **pool
		size           int32
		statement      time.Duration
		acquireTimeout time.Duration
	}{
		{&opened.requests, l.Requests, l.RequestTime, l.RequestTime},
		{&opened.background, l.Background, backgroundStatementTime, 0},
		{&opened.streams, l.Streams, streamStatementTime, l.RequestTime},
	} {
		own := config.Copy()
		own.MaxConns = each.size
		opening := ""
		if l.DirectURL == "" {
			maps.Copy(own.ConnConfig.RuntimeParams, settings(each.statement))
		} else {
			opening = perTransaction(settings(each.statement))
		}
		made, err := pgxpool.NewWithConfig(ctx, own)
		if err != nil {
			return nil, fmt.Errorf("opening the database: %w", err)
		}
		*each.pool = &pool{Pool: made, acquireTimeout: each.acquireTimeout, opening: opening}
	}
	return opened, nil
}

// CheckURL reports whether url is a URL or key=value pairs of a PostgreSQL database. Files that it names may be missing.
func CheckURL(url string) bool {
	_, err := pgxpool.ParseConfig(url)
	_, missing := errors.AsType[*fs.PathError](err)
	return err == nil || missing
}

// parse reads the URL of a database and adds the settings of all connections.
func parse(url string, sealKeys []string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	tlspolicy.Restrict(config.ConnConfig.TLSConfig)
	for _, fallback := range config.ConnConfig.Fallbacks {
		tlspolicy.Restrict(fallback.TLSConfig)
	}
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.RuntimeParams["application_name"] = applicationName(sealKeys)
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerTypes(conn.TypeMap())
		return nil
	}
	return config, nil
}

// registerTypes registers the encodings of ids with a connection. Without them ids are sent through driver.Valuer, as text, at
// several times the cost.
func registerTypes(types *pgtype.Map) {
	pgxuuid.Register(types)
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{encodeOptionalID}, types.TryWrapEncodePlanFuncs...)
	types.RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
}

// settings returns the settings of PostgreSQL for connections with a limit of time for statements, 0 for none. They hold
// regardless of the settings of the role or the database.
func settings(statement time.Duration) map[string]string {
	return map[string]string{
		// Compiling a query costs more than any query here gains by it.
		"jit":                                 "off",
		"statement_timeout":                   strconv.FormatInt(statement.Milliseconds(), 10),
		"idle_in_transaction_session_timeout": strconv.FormatInt(idleInTransaction.Milliseconds(), 10),
	}
}

type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send appends queries to the batch and sends it in one round trip.
func send(ctx context.Context, to batchSender, batch *pgx.Batch, queries []pg.Query) error {
	if pool, ok := to.(*pool); ok {
		conn, err := acquire(ctx, pool)
		if err != nil {
			return err
		}
		defer conn.Release()
		pool.open(batch)
		to = conn
	}
	var scanned error
	for _, q := range queries {
		batch.Queue(q.SQL, q.Args...).Query(func(rows pgx.Rows) error {
			// The driver drops the prepared statements of a batch with an error, and a missing row is none of the statement. It
			// returns errors of the statement itself in any case.
			if scanned == nil {
				scanned = q.Scan(rows)
			}
			return nil
		})
	}
	err := to.SendBatch(ctx, batch).Close()
	return cmp.Or(scanned, err)
}

// acquire returns a connection from the pool. It waits up to the pool's limit and then returns an UNAVAILABLE
// error.
func acquire(ctx context.Context, from *pool) (*pgxpool.Conn, error) {
	waiting := ctx
	if from.acquireTimeout > 0 {
		var stop context.CancelFunc
		waiting, stop = context.WithTimeout(ctx, from.acquireTimeout)
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

// openUnlimited opens connections outside the pools, for migrations: their statements have no time limit.
func (db *DB) openUnlimited() *sql.DB {
	config := db.pools.direct.Copy()
	for _, limit := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
		config.RuntimeParams[limit] = "0"
	}
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
