package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ReadPage reads a page of a list, and further queries, in one round trip. doing describes the read in errors. An order by an
// unknown property is a VALIDATION error.
func ReadPage[T any](
	ctx context.Context, r *Reader, doing string, l *listquery.List, page domain.PageRequest, scan pgx.RowToFunc[T], more ...pg.Query,
) (domain.Page[T], error) {
	result := domain.Page[T]{PageRequest: page}
	queries, err := l.Page(page, collectInto(&result.Items, scan), &result.Total)
	if err != nil {
		return result, err
	}
	err = r.Read(ctx, append(queries, more...)...)
	return result, pg.Translate(doing, err)
}

// collectInto returns a function that scans rows into dest.
func collectInto[T any](dest *[]T, scan pgx.RowToFunc[T]) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, scan)
		return err
	}
}
