package persistence

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/procession-dev/procession/domain"
)

// A query is one statement of a batch and the function that scans its rows.
type query struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
}

type batchSender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// send appends queries to the batch and sends it in one round trip.
func send(ctx context.Context, to batchSender, batch *pgx.Batch, queries []query) error {
	for _, q := range queries {
		batch.Queue(q.sql, q.args...).Query(q.scan)
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

// one scans exactly one row into the destinations; no row is pgx.ErrNoRows.
func one(dest ...any) func(pgx.Rows) error {
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

// ifAny is one for a row that may be missing: dest, a pointer to a pointer, stays
// nil then.
func ifAny[T any](dest **T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error { return ignoreNoRows(one(dest)(rows)) }
}

// into collects rows into values of T by field name.
func into[T any](dest *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var err error
		*dest, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	}
}

// atMostOne scans one row into a T by field name, or sets dest to nil.
func atMostOne[T any](dest **T) func(pgx.Rows) error {
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

// list builds the query of a list endpoint: a page of rows and the number of
// all rows that match, over the same conditions. $1 is the caller and $2 the
// caller's tenants.
type list struct {
	columns string
	from    string
	where   []string
	args    []any
	order   []string
}

// newList starts a list of rows in the caller's tenants. One tenant, the usual case, is compared by equality, so
// that an index that starts with the tenant can provide the order too.
func newList(caller domain.Caller, columns, from, tenantColumn string) *list {
	l := &list{columns: columns, from: from}
	tenants := caller.TenantIDs()
	if len(tenants) == 1 {
		l.args = []any{caller.PrincipalID, tenants[0]}
		l.where = []string{tenantColumn + " = $2"}
		return l
	}
	l.args = []any{caller.PrincipalID, tenants}
	l.where = []string{tenantColumn + " = ANY($2)"}
	return l
}

// filter adds a condition, in which each %s or %[1]s is replaced by the placeholder of the argument.
func (l *list) filter(condition string, arg any) {
	l.args = append(l.args, arg)
	l.where = append(l.where, fmt.Sprintf(condition, fmt.Sprintf("$%d", len(l.args))))
}

// anyOf keeps the rows whose column is one of values; no values keep all rows.
func anyOf[T any](l *list, column string, values []T) {
	if len(values) > 0 {
		l.filter(column+" = ANY(%s)", values)
	}
}

// filterDeleted keeps rows that are not deleted, or those that the filter selects. column is the time of the
// deletion.
func (l *list) filterDeleted(column string, which domain.DeletedFilter) {
	switch which {
	case domain.IncludeDeleted:
	case domain.OnlyDeleted:
		l.where = append(l.where, column+" IS NOT NULL")
	case domain.ExcludeDeleted, "":
		l.where = append(l.where, column+" IS NULL")
	}
}

// sortBy orders by the keys, mapped by columns, and last by id. A property that is not in columns is a
// VALIDATION error.
func (l *list) sortBy(keys []domain.SortKey, columns map[string]string, byDefault ...string) error {
	sortedByID := false
	for _, key := range keys {
		column, ok := columns[key.Property]
		if !ok {
			return domain.InvalidField(domain.FieldSort, fmt.Sprintf("%q cannot be sorted by", key.Property))
		}
		if key.Descending {
			column = strings.Replace(column, " NULLS LAST", "", 1) + " DESC" + nullsLast(column)
		}
		l.order = append(l.order, column)
		sortedByID = sortedByID || key.Property == "id"
	}
	if len(keys) == 0 {
		l.order = byDefault
	}
	if !sortedByID {
		l.order = append(l.order, columns["id"])
	}
	return nil
}

// nullsLast keeps NULLS LAST only where the column can be null; elsewhere it would prevent PostgreSQL from
// reading an index backwards.
func nullsLast(column string) string {
	if strings.HasSuffix(column, " NULLS LAST") {
		return " NULLS LAST"
	}
	return ""
}

// page returns the query of the page and the query of the total.
func (l *list) page(page domain.PageRequest, scan func(pgx.Rows) error, total *int64) []query {
	where := strings.Join(l.where, "\n   AND ")
	count := query{
		sql:  "SELECT count(*)\n  FROM " + l.from + "\n WHERE " + where,
		args: l.args, scan: one(total),
	}
	if page.Size == 0 {
		return []query{count}
	}
	args := append(l.args[:len(l.args):len(l.args)], page.Size, int64(page.Number)*int64(page.Size))
	rows := query{
		sql: fmt.Sprintf("SELECT %s\n  FROM %s\n WHERE %s\n ORDER BY %s\n LIMIT $%d OFFSET $%d",
			l.columns, l.from, where, strings.Join(l.order, ", "), len(args)-1, len(args)),
		args: args, scan: scan,
	}
	return []query{rows, count}
}

// optional maps the zero id to NULL.
func optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// inGroups keeps the rows whose principal is a member of one of the groups, given by id or by code. among is the
// condition that a group g must meet to count.
func (l *list) inGroups(principal, among string, ids []uuid.UUID, codes []string) {
	member := `EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = ` + principal + ` AND ` + among + ` AND `
	if len(ids) > 0 {
		l.filter(member+"g.id = ANY(%s))", ids)
	}
	if len(codes) > 0 {
		l.filter(member+"g.code = ANY(%s))", codes)
	}
}

// arg adds an argument and returns its placeholder.
func (l *list) arg(value any) string {
	l.args = append(l.args, value)
	return fmt.Sprintf("$%d", len(l.args))
}
