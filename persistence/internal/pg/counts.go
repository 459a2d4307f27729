package pg

import "strings"

// Counts are numbers of rows that are kept for a list, so that its total needs no rows. All conditions of Where must
// be about columns that the counts have too.
type Counts struct {
	// From has the counts n, under the alias of the rows.
	From string
	// Covers is true of the counts of rows that are visible to the caller because of rights on definitions, and
	// CoversRow of such a row.
	Covers, CoversRow string
	// Others is a query for the ids of the rows that may be visible for other reasons. Table is the place of the rows
	// in the list, as "table alias".
	Others, Table string
}

func conditions(lists ...[]string) string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return strings.Join(all, "\n   AND ")
}

// total returns the query that adds up counts, and the rows that these leave out.
func (l *List) total() string {
	c := l.Counts
	counted := "coalesce((SELECT sum(n) FROM " + c.From + "\n WHERE " + conditions([]string{c.Covers}, l.Where) + "), 0)::bigint"
	if c.Others == "" {
		return "SELECT " + counted
	}
	table, alias, _ := strings.Cut(c.Table, " ")
	// Few rows, one look-up for each: the planner would expect the average number.
	from := strings.Replace(l.From, c.Table, "("+c.Others+") others\n CROSS JOIN LATERAL (SELECT * FROM "+table+
		" x WHERE x.id = others.id OFFSET 0) "+alias, 1)
	return "SELECT " + counted + "\n     + (SELECT count(*) FROM " + from + "\n WHERE " +
		conditions(l.Visible, []string{c.CoversRow + " IS NOT TRUE"}, l.Where) + ")"
}
