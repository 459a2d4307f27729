package listquery

import (
	"fmt"
	"strings"
)

// Walk is a way to rows in the order of a WalkIndex: the rows of one definition d after the other.
type Walk struct {
	// Definitions is a query for the ids of definitions, Column the column of the rows, or of the Side of the order, that has
	// the id. Null is a column that is null in all these rows, empty if there is none.
	Definitions, Column, Null string
	// Args replace the verbs %s of Definitions, as in a Condition.
	Args []any
	// OnlyNull rows have no value in Nullable columns.
	OnlyNull bool
}

// unseen is how many rows a caller may not see and still have a page read in the order of all rows: that reads so many
// rows in vain at most.
const unseen = 1000

// isWalked reports whether a page is read along the walks. The plan of a list with counts and filters depends on the values of
// these, and PostgreSQL would read an index of all rows in the order of ids.
func (s *rendering) isWalked() bool {
	switch {
	case s.orderErr != nil || s.order[0].Index == NoIndex:
		return false
	case len(s.Walks) > 0:
		return !s.isNamed
	}
	return s.isCounted && len(s.Counts.Walks) > 0 && !s.isFiltered
}

// walkedIDs returns the query for the ids of the rows along the walks, and of Others.
func (s *rendering) walkedIDs(of limits) string {
	if len(s.Walks) > 0 {
		return Union(s.walkQueries("", s.order, of, s.Walks)...)
	}
	return Union(append(s.walkQueries("", s.order, of, s.Counts.Walks), s.Counts.Others)...)
}

// walkedRows returns the query of a page that is read in the order of all rows if nearly all are visible to the caller and
// there is an index, and along the walks otherwise: as many rows along each as the page and its predecessors have, and the rows
// of Others. Other rows are not read.
func (s *rendering) walkedRows(columns string, of limits) string {
	if s.order[0].Nullable {
		return s.valuedRows(columns, of)
	}
	ids := s.fromIDs(s.walkedIDs(of))
	if s.order[0].Index == WalkIndex {
		return s.selectPart(columns, of, ids)
	}
	// The condition is the same for all rows; PostgreSQL does not execute a part if it is false.
	seen := Select{
		Columns: fmt.Sprintf("coalesce(sum(n) FILTER (WHERE %s IS NOT TRUE), 0) <= %d AS nearly_all", s.Counts.Covers, unseen),
		From:    s.Counts.Stored + " " + s.alias(), Where: s.filters,
	}
	return "WITH seen AS MATERIALIZED (\n" + seen.String() + ")\n" + UnionAll(
		"("+s.selectPart(columns, of, s.fromClause(s.Table, false), "(SELECT s.nearly_all FROM seen s)")+")",
		"("+s.selectPart(columns, of, ids, "NOT (SELECT s.nearly_all FROM seen s)")+")")
}

// selectPart returns the query of a page of rows that meet further conditions.
func (s *rendering) selectPart(columns string, of limits, from string, conditions ...string) string {
	return Select{
		Columns: columns, From: from + s.joinSides(), Where: append(conditions, s.where...), Order: OrderBy(s.order), Limit: of.limit,
	}.String()
}

// walkQueries returns the queries for the ids of as many rows along each walk, in an order, as the page and its predecessors
// have.
func (s *rendering) walkQueries(condition string, order []Column, of limits, walks []Walk) []string {
	queries := make([]string, len(walks))
	for i, walk := range walks {
		indexed := s.alias()
		if side := order[0].Side; side != nil {
			_, indexed, _ = strings.Cut(side.Table, " ")
		}
		match := []string{indexed + "." + walk.Column + " = d.id"}
		if walk.Null != "" {
			match = append(match, indexed+"."+walk.Null+" IS NULL")
		}
		if condition != "" {
			match = append(match, condition)
		}
		rows := Select{
			Columns: s.alias() + ".id", From: s.fromClause(s.Table, false) + s.joinSides(), Where: append(match, s.where...),
			Order: OrderBy(order), Limit: of.reach,
		}
		definitions := s.args.Render(Match(walk.Definitions, walk.Args...))
		queries[i] = "SELECT w.id FROM (" + definitions + ") d\n CROSS JOIN LATERAL (" + rows.String() + ") w"
	}
	return queries
}

// valuedRows returns the query of a page in the order of a column that can be null. Rows without a value are read only where
// there are too few others: they may be few, and no index has them alone.
func (s *rendering) valuedRows(columns string, of limits) string {
	column := s.order[0]
	valued := make([]Walk, 0, len(s.Counts.Walks))
	for _, walk := range s.Counts.Walks {
		if !walk.OnlyNull {
			valued = append(valued, walk)
		}
	}
	// PostgreSQL does not know that an index without nulls has them last in both directions.
	notNull := append([]Column{column}, s.order[1:]...)
	notNull[0].Nullable = false
	ids := []string{"SELECT id FROM valued"}
	for _, rest := range s.walkQueries(column.SQL+" IS NULL", s.order[1:], of, s.Counts.Walks) {
		ids = append(ids, rest+"\n WHERE (SELECT count(*) FROM valued) < "+of.reach)
	}
	return "WITH valued AS MATERIALIZED (\n" + Union(s.walkQueries(column.SQL+" IS NOT NULL", notNull, of, valued)...) + ")\n" +
		s.selectPart(columns, of, s.fromIDs(Union(append(ids, s.Counts.Others)...)))
}
