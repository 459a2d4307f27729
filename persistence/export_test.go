package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TracedReader opens a reader of the database at url with a tracer of its statements.
func TracedReader(ctx context.Context, url string, tracer pgx.QueryTracer) (*Reader, func(), error) {
	config, err := parse(url, nil)
	if err != nil {
		return nil, nil, err
	}
	config.ConnConfig.Tracer = tracer
	made, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	traced := &pool{Pool: made}
	return &Reader{pool: traced, pools: &pools{streams: traced, lists: newMemory(DefaultLimits())}}, made.Close, nil
}
