package listquery

import "strings"

// Select is a SELECT statement. Empty parts are left out.
type Select struct {
	With          []CTE
	Columns, From string
	// Where are joined by AND.
	Where          []string
	GroupBy, Order string
	// Limit is the text after LIMIT.
	Limit string
}

// CTE is a materialized WITH query.
type CTE struct{ Name, SQL string }

// String returns the statement.
func (s Select) String() string {
	var text strings.Builder
	for i, query := range s.With {
		text.WriteString([]string{"WITH ", ",\n"}[min(i, 1)] + query.Name + " AS MATERIALIZED (\n" + query.SQL + ")")
	}
	if len(s.With) > 0 {
		text.WriteString("\n")
	}
	text.WriteString("SELECT " + s.Columns + "\n  FROM " + s.From)
	for _, part := range []struct{ clause, text string }{
		{" WHERE ", strings.Join(s.Where, "\n   AND ")},
		{" GROUP BY ", s.GroupBy},
		{" ORDER BY ", s.Order},
		{" LIMIT ", s.Limit},
	} {
		if part.text != "" {
			text.WriteString("\n" + part.clause + part.text)
		}
	}
	return text.String()
}

// Union returns the rows of queries without duplicates, UnionAll with them.
func Union(queries ...string) string { return strings.Join(queries, "\n UNION\n") }

// UnionAll returns the rows of all queries.
func UnionAll(queries ...string) string { return strings.Join(queries, "\n UNION ALL\n") }
