package pg

import (
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A Query is one statement of a batch and the function that scans its rows.
type Query struct {
	SQL  string
	Args []any
	Scan func(pgx.Rows) error
}

// Q returns a Query.
func Q(sql string, args []any, scan func(pgx.Rows) error) Query {
	return Query{SQL: sql, Args: args, Scan: scan}
}

// One scans exactly one row into the destinations; no row is pgx.ErrNoRows.
func One(dest ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		if !rows.Next() {
			if err := rows.Err(); err != nil {
				return err
			}
			return pgx.ErrNoRows
		}
		return rows.Scan(dest...)
	}
}

// IfAny is One for a row that may be missing: dest, a pointer to a pointer, stays
// nil then.
func IfAny[T any](dest **T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error { return IgnoreNoRows(One(dest)(rows)) }
}

// OrNil reads a row that may be missing into a new T, with a scan of one row; dest stays nil without one.
func OrNil[T any](dest **T, scan func(*T) func(pgx.Rows) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var found T
		err := scan(&found)(rows)
		if err == nil {
			*dest = &found
		}
		return IgnoreNoRows(err)
	}
}

// Into collects rows into values of T by field name.
func Into[T any](dest *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var err error
		*dest, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	}
}

// AtMostOne scans one row into a T by field name, or sets dest to nil.
func AtMostOne[T any](dest **T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[T])
		if errors.Is(err, pgx.ErrNoRows) {
			*dest = nil
			return nil
		}
		*dest = row
		return err
	}
}

// None returns the scan of a statement that returns no rows.
func None(rows pgx.Rows) error {
	rows.Close()
	return rows.Err()
}

// KeepPlans is sent before the statements of a page that are known to be planned well without their arguments. PostgreSQL
// then plans them once for each connection: planning takes longer than reading a page.
func KeepPlans() Query {
	return Q("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)", nil, None)
}

// Optional maps the zero id to NULL.
func Optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
