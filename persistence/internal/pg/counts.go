package pg

import (
	"fmt"
	"slices"
	"strings"
)

// Counts are stored numbers of rows of a list, so that its total reads no rows. All conditions of Where, except for
// Rows, must be about columns that the counts have too.
type Counts struct {
	// Rows are the conditions of Where that counts do not need: visible rows, and rows that are not deleted.
	Rows []string
	// From has the counts n, under the alias of the rows.
	From string
	// Covers is true of the counts of rows that are visible to the caller because of rights on definitions, and
	// CoversRow of such a row.
	Covers, CoversRow string
	// Others is a query for the ids of the rows that may be visible for other reasons. Table is the place of the rows
	// in the list, as "table alias".
	Others, Table string
	// Walks are the ways to the rows that are visible because of rights on definitions, each in the order of an index, and
	// Kept is the table of the counts, under the alias of the rows. A page is read along them where the caller does not see
	// nearly all rows. Rows that are neither on a way nor in Others must not be visible.
	Walks []Walk
	Kept  string
	// Alone has every page read along the walks: no index has all rows in the order of the list.
	Alone bool
	// Nullable is the column of the order if it can be null. Rows without a value are last, in the rest of the order.
	Nullable string
	// Deleted is the column with the time of the deletion if deleted rows, which have no counts, are listed too.
	Deleted string
}

// Walk is a way to rows: the rows of a list that match one of the definitions d, in turn.
type Walk struct {
	// Definitions is a query for the ids of definitions, Match the condition of a row of the definition d.
	Definitions, Match string
	// OnlyNull rows have no value in Nullable.
	OnlyNull bool
}

// unseen is how many rows a caller may not see and still have a page read in the order of all rows: that reads so many
// rows in vain at most.
const unseen = 1000

// totalQuery returns the query that adds up counts, and the rows that these leave out.
func (l *List) totalQuery() string {
	if column := l.Counts.Deleted; column != "" {
		kept, counts := *l, *l.Counts
		counts.Deleted, kept.Counts = "", &counts
		kept.Where = append(slices.Clone(l.Where), column+" IS NULL")
		counts.Rows = append(slices.Clone(counts.Rows), column+" IS NULL")
		return kept.totalQuery() + "\n     + (SELECT count(*) FROM " + l.From + "\n WHERE " + strings.Join(l.Where, "\n   AND ") +
			"\n   AND " + column + " IS NOT NULL)"
	}
	counted, others := l.countParts()
	query := "SELECT coalesce((SELECT sum(n) FROM " + counted + "), 0)::bigint"
	if others == "" {
		return query
	}
	return query + "\n     + (SELECT count(*) FROM " + others + ")"
}

// CountBy returns the query for the totals n by a column of the rows, which Counts have too. A value may have two totals to
// add.
func (l *List) CountBy(column string) string {
	counted, others := l.countParts()
	query := "SELECT " + column + ", sum(n) AS n FROM " + counted + "\n GROUP BY " + column
	if others == "" {
		return query
	}
	return query + "\n UNION ALL\nSELECT " + column + ", count(*) FROM " + others + "\n GROUP BY " + column
}

// countParts returns where the counts come from and the rows that these leave out, "" for none, each with its conditions.
func (l *List) countParts() (counted, others string) {
	c := l.Counts
	filters := slices.DeleteFunc(slices.Clone(l.Where), func(condition string) bool { return slices.Contains(c.Rows, condition) })
	counted = c.From + "\n WHERE " + strings.Join(append(filters, c.Covers), "\n   AND ")
	if c.Others == "" {
		return counted, ""
	}
	return counted, l.fromIDs(c.Others) + "\n WHERE " + strings.Join(l.Where, "\n   AND ") + "\n   AND " + c.CoversRow + " IS NOT TRUE"
}

// fromIDs returns the FROM clause for the rows with the ids of a query.
func (l *List) fromIDs(ids string) string {
	// Few rows, one look-up for each: the planner would expect the average number.
	table, alias, _ := strings.Cut(l.Counts.Table, " ")
	return strings.Replace(l.From, l.Counts.Table, "("+ids+") others\n CROSS JOIN LATERAL (SELECT * FROM "+table+
		" x WHERE x.id = others.id OFFSET 0) "+alias, 1)
}

// walkedQuery returns the query of a page that is read in the order of all rows if nearly all are visible to the caller, and
// along the walks otherwise: as many rows along each as the page and its predecessors have, and the rows of Others. Other
// rows are not read. In an order without an index of the walks, only the visible rows are sorted.
func (l *List) walkedQuery(columns, limit, reach string) string {
	c := l.Counts
	where, order := strings.Join(l.Where, "\n   AND "), strings.Join(l.Order, ", ")
	part := func(from, condition string) string {
		return fmt.Sprintf("(SELECT %s\n  FROM %s\n WHERE %s\n   AND %s\n ORDER BY %s LIMIT %s)",
			columns, from, condition, where, order, limit)
	}
	if c.Nullable != "" {
		return l.timedQuery(reach, part)
	}
	ids := l.fromIDs(strings.Join(append(l.walkQueries("", order, reach, c.Walks), c.Others), "\n UNION\n"))
	if c.Alone {
		return part(ids, "true")
	}
	// The condition is the same for all rows; PostgreSQL does not execute a part if it is false.
	seen := fmt.Sprintf("WITH seen AS MATERIALIZED (\n    SELECT coalesce(sum(n) FILTER (WHERE %s IS NOT TRUE), 0) <= %d AS nearly_all\n"+
		"      FROM %s\n     WHERE %s)\n", c.Covers, unseen, c.Kept, l.Where[0])
	return seen + part(l.From, "(SELECT s.nearly_all FROM seen s)") +
		"\n UNION ALL\n" + part(ids, "NOT (SELECT s.nearly_all FROM seen s)")
}

// walkQueries returns the queries for the ids of as many rows along each walk, in an order, as the page and those before it have.
func (l *List) walkQueries(condition, order, reach string, walks []Walk) []string {
	_, alias, _ := strings.Cut(l.Counts.Table, " ")
	ways := make([]string, len(walks))
	for i, walk := range walks {
		ways[i] = fmt.Sprintf("SELECT w.id FROM (%s) d\n CROSS JOIN LATERAL (SELECT %s.id FROM %s\n"+
			" WHERE %s%s\n   AND %s\n ORDER BY %s LIMIT %s) w", walk.Definitions, alias, l.From, walk.Match, condition,
			strings.Join(l.Where, "\n   AND "), order, reach)
	}
	return ways
}

// timedQuery returns the query of a page in the order of a column that can be null. Rows without a value are read only where
// there are too few others: they may be few, and no index has them alone.
func (l *List) timedQuery(reach string, part func(from, condition string) string) string {
	c := l.Counts
	// PostgreSQL does not know that an index without nulls has them last in both directions.
	order := strings.Replace(strings.Join(l.Order, ", "), NullsLast, "", 1)
	valued := slices.DeleteFunc(slices.Clone(c.Walks), func(w Walk) bool { return w.OnlyNull })
	ways := []string{"SELECT id FROM valued"}
	for _, way := range l.walkQueries(" AND "+c.Nullable+" IS NULL", strings.Join(l.Order[1:], ", "), reach, c.Walks) {
		ways = append(ways, way+"\n WHERE (SELECT count(*) FROM valued) < "+reach)
	}
	return "WITH valued AS MATERIALIZED (\n" +
		strings.Join(l.walkQueries(" AND "+c.Nullable+" IS NOT NULL", order, reach, valued), "\n UNION\n") + ")\n" +
		part(l.fromIDs(strings.Join(append(ways, c.Others), "\n UNION\n")), "true")
}
