package pg

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
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

// Kept returns the queries of the list, with KeepPlans before them where pages are Fixed.
func (l *List) Kept(queries []Query) []Query {
	if !l.Fixed {
		return queries
	}
	return append([]Query{KeepPlans()}, queries...)
}

// List builds the query of a list endpoint: a page of rows and the number of
// all rows that match, over the same conditions. $1 is the caller and $2 the
// caller's tenants.
type List struct {
	Columns string
	From    string
	// Counted is the FROM clause of the number if it is not From: without the tables that add columns to a
	// row and no conditions.
	Counted string
	// Names are the tables that add columns to the rows of a page and no conditions, if they are not in From. They are
	// joined to the rows of the page alone, and From begins with the table of these rows.
	Names string
	Where []string
	// Counts make the total, if there are any.
	Counts *Counts
	Args   []any
	Order  []string
	// Fixed lists have pages of few sizes. The size is a part of the statement, so that the plan of the first page can be
	// kept (see KeepPlans): that for a size that is not known is a bad one.
	Fixed bool
}

// NewList starts a list of rows in the caller's tenants. One tenant, the usual case, is compared by equality, so
// that an index that starts with the tenant can provide the order too.
func NewList(caller domain.Caller, columns, from, tenantColumn string) *List {
	l := &List{Columns: columns, From: from, Args: []any{caller.PrincipalID}}
	l.Within(tenantColumn, false, caller.TenantIDs())
	return l
}

// Within keeps the rows of the tenants, or all rows where they are everywhere. One tenant is compared as NewList does.
func (l *List) Within(tenantColumn string, everywhere bool, tenants []uuid.UUID) {
	switch {
	case everywhere:
		l.Where = append(l.Where, "true")
	case len(tenants) == 1:
		l.Filter(tenantColumn+" = %s", tenants[0])
	default:
		l.Filter(tenantColumn+" = ANY(%s)", tenants)
	}
}

// Filter adds a condition, in which each %s or %[1]s is replaced by the placeholder of the argument.
func (l *List) Filter(condition string, arg any) {
	l.Args = append(l.Args, arg)
	l.Where = append(l.Where, fmt.Sprintf(condition, fmt.Sprintf("$%d", len(l.Args))))
}

// AnyOf keeps the rows with one of values in the column; no values keep all rows. One value is compared by equality, so
// that an index on the column can provide the order too.
func AnyOf[T any](l *List, column string, values []T) {
	switch len(values) {
	case 0:
	case 1:
		l.Filter(column+" = %s", values[0])
	default:
		l.Filter(column+" = ANY(%s)", values)
	}
}

// FilterDeleted keeps rows that are not deleted, or the rows that the filter selects. column is the time of the
// deletion.
func (l *List) FilterDeleted(column string, which domain.DeletedFilter) {
	switch which {
	case domain.IncludeDeleted:
	case domain.OnlyDeleted:
		l.Where = append(l.Where, column+" IS NOT NULL")
	case domain.ExcludeDeleted, "":
		l.Where = append(l.Where, column+" IS NULL")
	}
}

// SortBy orders by the keys, mapped by columns, and last by id. A property that is not in columns is a
// VALIDATION error.
func (l *List) SortBy(keys []domain.SortKey, columns map[string]string, byDefault ...string) error {
	sortedByID := false
	for _, key := range keys {
		column, ok := columns[key.Property]
		if !ok {
			return domain.InvalidField(domain.FieldSort, fmt.Sprintf("%q cannot be sorted by", key.Property))
		}
		if key.Descending {
			column = strings.Replace(column, NullsLast, "", 1) + " DESC" + nullsLast(column)
		}
		l.Order = append(l.Order, column)
		sortedByID = sortedByID || key.Property == "id"
	}
	if len(keys) == 0 {
		l.Order = byDefault
	}
	if !sortedByID {
		l.Order = append(l.Order, columns["id"])
	}
	return nil
}

// NullsLast ends an order by a column that can be null.
const NullsLast = " NULLS LAST"

// nullsLast keeps NULLS LAST only where the column can be null; elsewhere it would prevent PostgreSQL from
// reading an index backwards.
func nullsLast(column string) string {
	if strings.HasSuffix(column, NullsLast) {
		return NullsLast
	}
	return ""
}

// Page returns the query of the page and the query of the total.
func (l *List) Page(page domain.PageRequest, scan func(pgx.Rows) error, total *int64) []Query {
	where := strings.Join(l.Where, "\n   AND ")
	count := Query{
		SQL:  "SELECT count(*)\n  FROM " + cmp.Or(l.Counted, l.From) + "\n WHERE " + where,
		Args: l.Args, Scan: One(total),
	}
	if l.Counts != nil {
		count.SQL = l.totalQuery()
	}
	if page.Size == 0 {
		return []Query{count}
	}
	order := strings.Join(l.Order, ", ")
	rows := Query{Args: l.Args, Scan: scan}
	offset := int64(page.Number) * int64(page.Size)
	limit := strconv.Itoa(page.Size)
	reach := limit
	switch {
	case !l.Fixed:
		limit = fmt.Sprintf("$%d OFFSET $%d", len(l.Args)+1, len(l.Args)+2)
		reach = fmt.Sprintf("$%d::bigint + $%d::bigint", len(l.Args)+1, len(l.Args)+2)
		rows.Args = append(l.Args[:len(l.Args):len(l.Args)], page.Size, offset)
	case offset > 0:
		reach = fmt.Sprintf("%s + $%d::bigint", limit, len(l.Args)+1)
		limit += fmt.Sprintf(" OFFSET $%d", len(l.Args)+1)
		rows.Args = append(l.Args[:len(l.Args):len(l.Args)], offset)
	}
	of := func(columns string) string {
		if l.Counts != nil && len(l.Counts.Walks) > 0 {
			return l.walkedQuery(columns, limit, reach)
		}
		return fmt.Sprintf("SELECT %s\n  FROM %s\n WHERE %s\n ORDER BY %s\n LIMIT %s", columns, l.From, where, order, limit)
	}
	if l.Names == "" {
		rows.SQL = of(l.Columns)
	} else {
		alias := strings.Fields(l.From)[1]
		rows.SQL = fmt.Sprintf("SELECT %s\n  FROM (%s) %s%s\n ORDER BY %s", l.Columns, of(alias+".*"), alias, l.Names, order)
	}
	return []Query{rows, count}
}

// Optional maps the zero id to NULL.
func Optional(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// InGroups keeps the rows with a principal in one of the groups, given by id or by code. among is the
// condition that a group g must meet to count.
func (l *List) InGroups(principal, among string, ids []uuid.UUID, codes []string) {
	member := `EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = ` + principal + ` AND ` + among + ` AND `
	if len(ids) > 0 {
		l.Filter(member+"g.id = ANY(%s))", ids)
	}
	if len(codes) > 0 {
		l.Filter(member+"g.code = ANY(%s))", codes)
	}
}

// Arg adds an argument and returns its placeholder.
func (l *List) Arg(value any) string {
	l.Args = append(l.Args, value)
	return fmt.Sprintf("$%d", len(l.Args))
}
