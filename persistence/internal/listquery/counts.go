package listquery

import (
	"strings"

	"github.com/google/uuid"
)

// Counts are stored numbers n of rows of a list OfCaller, so that its total reads no rows. The conditions of the list that are
// not Uncounted are about columns that the counts have too. In its texts, {tenants} is the comparison with the caller's tenants.
type Counts struct {
	// Current is the function that returns the counts of tenants. Stored is the table of the counts, which may be some seconds
	// behind.
	Current, Stored string
	// Covers is true of the counts of rows that are visible to the caller because of rights on definitions, and
	// CoversRow of such a row.
	Covers, CoversRow string
	// Others is a query for the ids of the rows that may be visible for other reasons, empty if there are none.
	Others string
	// Walks are the ways to the rows that are visible because of rights on definitions. Rows that are neither on a way nor
	// in Others must not be visible.
	Walks []Walk

	tenants string
}

func (c Counts) ofTenants(tenants []uuid.UUID) *Counts {
	c.Others = strings.ReplaceAll(c.Others, "{tenants}", strings.TrimPrefix(compareTenants(tenants), " "))
	c.tenants = tenantArray(tenants)
	return &c
}

// storedTotal returns the query that adds up counts, and the rows that these leave out.
func (s *rendering) storedTotal() string {
	counted, others := s.countParts(s.Counts.Current + "(" + s.Counts.tenants + ") " + s.alias())
	counted.Columns = "sum(n)"
	query := "SELECT coalesce((" + counted.String() + "), 0)::bigint"
	if s.Counts.Others != "" {
		others.Columns = "count(*)"
		query += "\n     + (" + others.String() + ")"
	}
	if s.withDeleted() {
		deleted := append(s.where[:len(s.where):len(s.where)], s.Deletion.Deleted)
		query += "\n     + (" + Select{Columns: "count(*)", From: s.fromClause(s.Table, false), Where: deleted}.String() + ")"
	}
	return query
}

// withDeleted reports whether the list includes deleted rows, which have no counts.
func (s *rendering) withDeleted() bool {
	return s.Deletion.Deleted != "" && s.Deletion.Condition().SQL == ""
}

// CountBy returns the query for the totals n by a column of the rows, from counts in a table in place of Current. A value may
// have two totals to add. Lists without counts return "".
func (l *List) CountBy(column, counts string) (sql string, args []any) {
	s := l.render()
	if !s.isCounted {
		return "", s.args
	}
	counted, others := s.countParts(counts + " " + s.alias())
	counted.Columns, counted.GroupBy = column+", sum(n) AS n", column
	if s.Counts.Others == "" {
		return counted.String(), s.args
	}
	others.Columns, others.GroupBy = column+", count(*)", column
	return UnionAll(counted.String(), others.String()), s.args
}

// countParts returns the counts from a table, and the rows that these leave out.
func (s *rendering) countParts(table string) (counted, others Select) {
	counted = Select{From: table, Where: append(s.filters[:len(s.filters):len(s.filters)], s.Counts.Covers)}
	rows := s.where[:len(s.where):len(s.where)]
	if s.withDeleted() {
		rows = append(rows, s.Deletion.Kept)
	}
	return counted, Select{From: s.fromIDs(s.Counts.Others), Where: append(rows, s.Counts.CoversRow+" IS NOT TRUE")}
}

// fromIDs returns the FROM clause for the rows with the ids of a query.
func (s *rendering) fromIDs(ids string) string {
	// Few rows, one look-up for each: the planner would expect the average number.
	table, alias, _ := strings.Cut(s.Table, " ")
	return s.fromClause("("+ids+") others\n CROSS JOIN LATERAL (SELECT * FROM "+table+" x WHERE x.id = others.id OFFSET 0) "+alias, false)
}
