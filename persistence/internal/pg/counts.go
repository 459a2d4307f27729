package pg

import (
	"slices"
	"strings"
)

// Counts are numbers of rows that are kept for a list, so that its total needs no rows. All conditions of Where, but for
// those of Rows, must be about columns that the counts have too.
type Counts struct {
	// Rows are the conditions of Where that counts do not need: what is visible, and what is not deleted.
	Rows []string
	// From has the counts n, under the alias of the rows.
	From string
	// Covers is true of the counts of rows that are visible to the caller because of rights on definitions, and
	// CoversRow of such a row.
	Covers, CoversRow string
	// Others is a query for the ids of the rows that may be visible for other reasons. Table is the place of the rows
	// in the list, as "table alias".
	Others, Table string
}

// total returns the query that adds up counts, and the rows that these leave out.
func (l *List) total() string {
	counted, others := l.parts()
	query := "SELECT coalesce((SELECT sum(n) FROM " + counted + "), 0)::bigint"
	if others == "" {
		return query
	}
	return query + "\n     + (SELECT count(*) FROM " + others + ")"
}

// CountBy returns the query for the totals n by a column of the rows, which Counts have too. A value may have two, of which
// the sum is its total.
func (l *List) CountBy(column string) string {
	counted, others := l.parts()
	query := "SELECT " + column + ", sum(n) AS n FROM " + counted + "\n GROUP BY " + column
	if others == "" {
		return query
	}
	return query + "\n UNION ALL\nSELECT " + column + ", count(*) FROM " + others + "\n GROUP BY " + column
}

// parts returns where the counts come from and the rows that these leave out, "" for none, each with its conditions.
func (l *List) parts() (counted, others string) {
	c := l.Counts
	filters := slices.DeleteFunc(slices.Clone(l.Where), func(condition string) bool { return slices.Contains(c.Rows, condition) })
	counted = c.From + "\n WHERE " + strings.Join(append(filters, c.Covers), "\n   AND ")
	if c.Others == "" {
		return counted, ""
	}
	table, alias, _ := strings.Cut(c.Table, " ")
	// Few rows, one look-up for each: the planner would expect the average number.
	from := strings.Replace(l.From, c.Table, "("+c.Others+") others\n CROSS JOIN LATERAL (SELECT * FROM "+table+
		" x WHERE x.id = others.id OFFSET 0) "+alias, 1)
	return counted, from + "\n WHERE " + strings.Join(l.Where, "\n   AND ") + "\n   AND " + c.CoversRow + " IS NOT TRUE"
}
