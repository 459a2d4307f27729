package persistence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/semaphore"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// valuesAtOnce is how many bytes of values are read at a time: a page with fewer is read by one query, a
	// larger one in batches.
	valuesAtOnce = 2 << 20
	// rowsAtOnce is the maximum number of rows of a batch.
	rowsAtOnce = 100
	// valueMemory is how many bytes of memory a byte of values needs until it is written.
	valueMemory = 2
	// smallestListing is the least memory reserved for a listing.
	smallestListing = 16 << 10
	// DefaultListMemory is the default limit on the memory of all concurrent lists of values together.
	DefaultListMemory = 64 << 20
	// MinListMemory is the memory that one list of values may need, in bytes.
	MinListMemory = valuesAtOnce * valueMemory
)

// errLarge ends the reading of a page that does not fit in memory.
var errLarge = errors.New("the page is too large to be read at once")

// valueList is a list with columns of whole values.
type valueList[T any] struct {
	*listquery.List
	// alias is the alias of the listed table, which has the values.
	alias string
	// values are the columns of the values.
	values []string
	scan   func(pgx.Rows) (T, error)
	// more are queries of the same round trip. Their results are checked before the page is shown.
	more  []pg.Query
	check func() error
}

// memory is the memory shared by lists of values.
type memory struct {
	bytes *semaphore.Weighted
	// streams limits the connections that large pages may hold. The remaining ones are for event streams.
	streams     *semaphore.Weighted
	waitTimeout time.Duration
}

func newMemory(l Limits) *memory {
	return &memory{
		bytes:   semaphore.NewWeighted(max(l.ListMemory, MinListMemory)),
		streams: semaphore.NewWeighted(int64(max(1, l.Streams/2))), waitTimeout: l.RequestTime,
	}
}

// take acquires n from one of the semaphores. It waits up to a limit and then returns an UNAVAILABLE error.
func (m *memory) take(ctx context.Context, from *semaphore.Weighted, n int64) error {
	if from.TryAcquire(n) {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, m.waitTimeout)
	defer stop()
	if err := from.Acquire(waiting, n); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "as many large lists are being read as there is memory for; try again later", Cause: err,
		}
	}
	return nil
}

// showValues reads a page and calls show with it once. Ids, values and the total belong to one snapshot. The
// usual page is read in one round trip; one with more than valuesAtOnce of values is read in batches while show
// consumes them, on a connection for streams. A row that alone is larger is a batch of its own.
func showValues[T any](
	ctx context.Context, r *Reader, l valueList[T], page domain.PageRequest, show func(*domain.Listing[T]) error,
) error {
	lists := r.pools.lists
	held := int64(MinListMemory)
	if err := lists.take(ctx, lists.bytes, held); err != nil {
		return err
	}
	defer func() { lists.bytes.Release(held) }()
	found, size, err := readSmall(ctx, r, l, page)
	if errors.Is(err, errLarge) {
		return showLarge(ctx, r.pools, l, page, show)
	}
	if err != nil {
		return err
	}
	if need := min(held, max(smallestListing, size*valueMemory)); need < held {
		lists.bytes.Release(held - need)
		held = need
	}
	return show(found)
}

// readSmall reads a page and its size in bytes, or returns errLarge.
func readSmall[T any](
	ctx context.Context, r *Reader, l valueList[T], page domain.PageRequest,
) (*domain.Listing[T], int64, error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	found := &domain.Listing[T]{Page: domain.Page[T]{PageRequest: page}}
	var size int64
	scan := func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			for _, column := range rows.RawValues() {
				size += int64(len(column))
			}
			if size > valuesAtOnce {
				// The rest of the result is not received: the connection is closed here.
				giveUp()
				return errLarge
			}
			item, err := l.scan(rows)
			if err != nil {
				return err
			}
			found.Items = append(found.Items, item)
		}
		return rows.Err()
	}
	queries, err := l.Page(page, scan, &found.Total)
	if err != nil {
		return nil, 0, err
	}
	conn, err := acquire(ctx, r.pool)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Release()
	err = send(ctx, conn, r.pool.begin(beginSnapshot), slices.Concat(queries, l.more, []pg.Query{endSnapshot()}))
	if size > valuesAtOnce {
		return nil, 0, errLarge
	}
	if err == nil && l.check != nil {
		err = l.check()
	}
	return found, size, err
}

// beginSnapshot begins a transaction that reads one snapshot.
const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

func endSnapshot() pg.Query { return pg.Q("COMMIT", nil, pg.None) }

// place is the physical place of a row, which is stable within a snapshot, with an upper bound of the size of
// its values in bytes.
type place struct {
	row   string
	bytes int64
}

// showLarge is showValues for a page that is read in batches.
func showLarge[T any](
	ctx context.Context, p *pools, l valueList[T], page domain.PageRequest, show func(*domain.Listing[T]) error,
) error {
	if err := p.lists.take(ctx, p.lists.streams, 1); err != nil {
		return err
	}
	defer p.lists.streams.Release(1)
	conn, err := acquire(ctx, p.streams)
	if err != nil {
		return err
	}
	// A connection with an open transaction is closed on release, which ends the transaction.
	defer conn.Release()
	found := &domain.Listing[T]{Page: domain.Page[T]{PageRequest: page}}
	var places []place
	scan := collectInto(&places, func(row pgx.CollectableRow) (p place, err error) { return p, row.Scan(&p.row, &p.bytes) })
	// Rows that are found by their ids have no place.
	ids := l.WithoutWalks()
	ids.Columns = l.alias + ".ctid::text, " + sizeOf(l.values)
	queries, err := ids.Page(page, scan, &found.Total)
	if err != nil {
		return err
	}
	if err := send(ctx, conn, p.streams.begin(beginSnapshot), append(queries, l.more...)); err != nil {
		return err
	}
	if l.check != nil {
		if err := l.check(); err != nil {
			return err
		}
	}
	found.Batches = func(show func([]T) error) error {
		for len(places) > 0 {
			var batch []string
			batch, places = nextBatch(places)
			items, err := readBatch(ctx, conn, l, batch)
			if err != nil {
				return pg.Translate("reading a page in batches", err)
			}
			if err := show(items); err != nil {
				return err
			}
		}
		return nil
	}
	if err := show(found); err != nil {
		return err
	}
	return send(ctx, conn, &pgx.Batch{}, []pg.Query{endSnapshot()})
}

// nextBatch returns as many of the places as have valuesAtOnce bytes, but at least one, and at most rowsAtOnce.
func nextBatch(places []place) (batch []string, rest []place) {
	var size int64
	for i, p := range places {
		if size += p.bytes; i > 0 && size > valuesAtOnce || i == rowsAtOnce {
			return batch, places[i:]
		}
		batch = append(batch, p.row)
	}
	return batch, nil
}

func readBatch[T any](ctx context.Context, conn batchSender, l valueList[T], rows []string) ([]T, error) {
	items := make([]T, 0, len(rows))
	ctid := l.alias + ".ctid"
	err := send(ctx, conn, &pgx.Batch{}, []pg.Query{pg.Q(
		listquery.Select{
			Columns: l.Columns, From: l.Table + l.Joins, Where: []string{ctid + " = ANY($1::text[]::tid[])"},
			Order: "array_position($1::text[]::tid[], " + ctid + ")",
		}.String(),
		[]any{rows},
		func(rows pgx.Rows) error {
			defer rows.Close()
			for rows.Next() {
				item, err := l.scan(rows)
				if err != nil {
					return err
				}
				items = append(items, item)
			}
			return rows.Err()
		},
	)})
	return items, err
}

// sizeOf returns SQL for an upper bound of the size of the columns in bytes: compressed values may be larger
// than stored by the maximum ratio. The values themselves are not read.
func sizeOf(columns []string) string {
	sizes := make([]string, len(columns))
	for i, column := range columns {
		sizes[i] = fmt.Sprintf("coalesce(pg_column_size(%[1]s)::bigint * "+
			"CASE pg_column_compression(%[1]s) WHEN 'pglz' THEN 92 WHEN 'lz4' THEN 256 ELSE 1 END, 0)", column)
	}
	return strings.Join(sizes, " + ")
}
