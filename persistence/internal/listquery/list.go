package listquery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// List is a list: its rows, conditions, order and total.
type List struct {
	Columns string
	// Table is the table of the rows with its alias.
	Table string
	// Joins are tables that Columns and conditions need.
	Joins string
	// Names are tables that only add columns to a row. They are joined to the rows of the page alone, instead of Joins; if a
	// condition or the order needs them, to all rows.
	Names string
	// Args are the arguments $1, $2 and so on, to which conditions without arguments of their own refer. Every condition and
	// every total must use all of them.
	Args []any
	// Tenants, Deletion and Visible are the conditions that stored counts have built in, Where the filters.
	Tenants  Condition
	Deletion Deletion
	Visible  Condition
	Where    []Condition
	Order    Order
	// Counts make the total unless a filter is Uncounted.
	Counts *Counts
	// Walks are the ways to all rows of a list without Counts. Its filters are conditions of each way.
	Walks []Walk
	// Fixed lists have pages of few sizes and are planned well without their arguments. The size is a part of the statement, so
	// that the plan of the first page can be kept: the plan for an unknown size is a bad one.
	Fixed bool
}

// Deletion tells a list which rows to keep. The zero Deletion keeps all.
type Deletion struct {
	Show domain.DeletedFilter
	// Kept and Deleted are the conditions of rows that are not deleted and of the others.
	Kept, Deleted string
}

// DeletedAt returns the Deletion of rows with the time of their deletion in a column.
func DeletedAt(column string, show domain.DeletedFilter) Deletion {
	return Deletion{Show: show, Kept: column + " IS NULL", Deleted: column + " IS NOT NULL"}
}

// Condition returns the condition of the rows to keep.
func (d Deletion) Condition() Condition {
	switch d.Show {
	case domain.IncludeDeleted:
		return Condition{}
	case domain.OnlyDeleted:
		return Match(d.Deleted)
	case domain.ExcludeDeleted:
	}
	return Match(d.Kept)
}

// OfCaller returns a list of rows in the caller's tenants: $1 is the caller, $2 its tenants, and the list's own arguments
// begin at $3. One tenant, the usual case, is compared by equality, so that an index that starts with the tenant can provide
// the order too.
func OfCaller(caller domain.Caller, tenantColumn string, l List) *List {
	tenants := caller.TenantIDs()
	l.Args = append([]any{caller.PrincipalID, tenantArg(tenants)}, l.Args...)
	l.Tenants = Match(tenantColumn + compareTenants(tenants))
	if l.Counts != nil {
		l.Counts = l.Counts.ofTenants(tenants)
	}
	return &l
}

func tenantArg(tenants []uuid.UUID) any {
	if len(tenants) == 1 {
		return tenants[0]
	}
	return tenants
}

func compareTenants(tenants []uuid.UUID) string {
	if len(tenants) == 1 {
		return " = $2"
	}
	return " = ANY($2)"
}

// TenantArray returns the caller's tenants, the second argument of a list OfCaller, as an array.
func TenantArray(caller domain.Caller) string { return tenantArray(caller.TenantIDs()) }

func tenantArray(tenants []uuid.UUID) string {
	if len(tenants) == 1 {
		return "ARRAY[$2]::uuid[]"
	}
	return "$2"
}

// WithoutWalks returns the list with pages of rows of its table, by the plan of PostgreSQL.
func (l *List) WithoutWalks() *List {
	rows := *l
	if l.Counts != nil {
		counts := *l.Counts
		counts.Walks, rows.Counts = nil, &counts
	}
	return &rows
}

// Page returns the queries of a page and of the total, or of the total alone for a page of size 0. An order by an unknown
// property is a VALIDATION error.
func (l *List) Page(page domain.PageRequest, scan func(pgx.Rows) error, total *int64) ([]pg.Query, error) {
	s := l.render()
	if s.orderErr != nil {
		return nil, s.orderErr
	}
	queries := []pg.Query{s.totalQuery(total)}
	if page.Size > 0 {
		rows, err := s.pageQuery(page, scan)
		if err != nil {
			return nil, err
		}
		queries = []pg.Query{rows, queries[0]}
	}
	if s.Fixed || s.isWalked() {
		queries = append([]pg.Query{pg.KeepPlans()}, queries...)
	}
	return queries, nil
}

// Rows returns the query of a page. It returns the error of Page.
func (l *List) Rows(page domain.PageRequest, scan func(pgx.Rows) error) (pg.Query, error) {
	return l.render().pageQuery(page, scan)
}

// Total returns the query of the number of rows.
func (l *List) Total(total *int64) pg.Query { return l.render().totalQuery(total) }

// All returns a statement of all rows, in no order.
func (l *List) All() (sql string, args []any) {
	s := l.render()
	return Select{Columns: l.Columns, From: s.fromClause(l.Table, true), Where: s.where}.String(), s.args
}

// Conditions returns the conditions of the list, joined by AND.
func (l *List) Conditions() (where string, args []any) {
	s := l.render()
	return strings.Join(s.where, "\n   AND "), s.args
}

// rendering is a list with its conditions as SQL.
type rendering struct {
	List
	args Args
	// where are all conditions, filters those that stored counts do not have built in.
	where, filters []string
	// isFiltered, isNamed and isCounted report whether there are filters, whether they need the tables of Names, and whether
	// stored counts have all their columns.
	isFiltered, isNamed, isCounted bool

	order    []Column
	orderErr error
}

func (l *List) render() *rendering {
	s := &rendering{List: *l, args: l.Args[:len(l.Args):len(l.Args)], isCounted: l.Counts != nil && l.Deletion.Show != domain.OnlyDeleted}
	tenants := s.args.Render(l.Tenants)
	for _, condition := range l.Where {
		if condition.SQL == "" {
			continue
		}
		s.filters = append(s.filters, s.args.Render(condition))
		s.isFiltered, s.isNamed = true, s.isNamed || condition.Named
		s.isCounted = s.isCounted && !condition.Uncounted
	}
	for _, condition := range append([]string{tenants, l.Deletion.Condition().SQL, s.args.Render(l.Visible)}, s.filters...) {
		if condition != "" {
			s.where = append(s.where, condition)
		}
	}
	if tenants != "" {
		s.filters = append([]string{tenants}, s.filters...)
	}
	s.order, s.orderErr = l.Order.Resolve()
	return s
}

func (s *rendering) alias() string {
	_, alias, _ := strings.Cut(s.Table, " ")
	return alias
}

// fromClause returns the FROM clause of rows from a table, or from a query in its place.
func (s *rendering) fromClause(table string, isNamed bool) string {
	if isNamed && s.Names != "" {
		return table + s.Names
	}
	return table + s.Joins
}

// joinSides returns the joins of the tables of the order.
func (s *rendering) joinSides() string {
	joins := ""
	for _, column := range s.order {
		if column.Side == nil {
			continue
		}
		join := "\n  JOIN "
		if column.Nullable {
			join = "\n  LEFT JOIN "
		}
		if join += column.Side.Table + " ON " + column.Side.On; !strings.Contains(joins, join) {
			joins += join
		}
	}
	return joins
}

// limits are the texts of a page.
type limits struct {
	// limit is the text after LIMIT, reach the number of the rows of the page and its predecessors.
	limit, reach string
}

func (s *rendering) limitPage(page domain.PageRequest) limits {
	size := strconv.Itoa(page.Size)
	if !s.Fixed && !s.isWalked() {
		size = s.args.Add(page.Size) + "::bigint"
	}
	offset := int64(page.Number) * int64(page.Size)
	if offset == 0 {
		return limits{limit: size, reach: size}
	}
	skipped := s.args.Add(offset) + "::bigint"
	return limits{limit: size + " OFFSET " + skipped, reach: size + " + " + skipped}
}

func (s *rendering) totalQuery(total *int64) pg.Query {
	sql := Select{Columns: "count(*)", From: s.fromClause(s.Table, s.isNamed), Where: s.where}.String()
	if s.isCounted {
		sql = s.storedTotal()
	}
	return pg.Q(sql, s.args[:len(s.args):len(s.args)], pg.One(total))
}

func (s *rendering) pageQuery(page domain.PageRequest, scan func(pgx.Rows) error) (pg.Query, error) {
	if s.orderErr != nil {
		return pg.Query{}, s.orderErr
	}
	for i, column := range s.order {
		s.order[i].SQL = s.args.Render(Match(column.SQL, column.Args...))
	}
	of := s.limitPage(page)
	isNamed := s.isNamed || slices.ContainsFunc(s.order, func(c Column) bool { return c.Named })
	if s.Names == "" || isNamed {
		sql := s.rows(s.Columns, of, isNamed)
		return pg.Q(sql, s.args, scan), nil
	}
	rows := s.rows(s.alias()+".*", of, false)
	sql := Select{
		Columns: s.Columns, From: fmt.Sprintf("(%s) %s%s", rows, s.alias(), s.Names) + s.joinSides(), Order: OrderBy(s.order),
	}.String()
	return pg.Q(sql, s.args, scan), nil
}

// rows returns the query of a page.
func (s *rendering) rows(columns string, of limits, isNamed bool) string {
	if s.isWalked() {
		return s.walkedRows(columns, of)
	}
	return s.selectPart(columns, of, s.fromClause(s.Table, isNamed))
}
