package listquery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// Index tells which index contains the rows of a list in the order of a column, followed by the id.
type Index int

const (
	// NoIndex leaves the plan to PostgreSQL.
	NoIndex Index = iota
	// WalkIndex has the rows of each Walk in the order.
	WalkIndex
	// WalkAndTenantIndex are two indexes: a WalkIndex, and one with all rows of a tenant in the order.
	WalkAndTenantIndex
)

// Column is a column, or an expression, of an order.
type Column struct {
	// SQL contains a verb %s for each of Args, as a Condition does.
	SQL        string
	Args       []any
	Descending bool
	// Nullable columns have their null values last. Rest is the column of the order of these rows, which has a WalkIndex.
	Nullable bool
	Rest     string
	// Index makes pages in this order independent of the number of rows that are not visible.
	Index Index
	// Named columns are of the tables in List.Names.
	Named bool
	// Side is the table of the column if it is not the table of the rows.
	Side *Side
}

// Side is a narrow table with a row for each row of the list, or for those with a value: columns that change often, and the
// columns of the walks for its indexes.
type Side struct {
	// Table is the table with its alias, On the condition that joins it to the table of the rows.
	Table, On string
}

// Columns are the columns that a list can be sorted by, by the property. The property id breaks ties.
type Columns map[string]Column

// Order is the order of a list: by keys, or without any by default.
type Order struct {
	By      []domain.SortKey
	Columns Columns
	Default []Column
}

// String returns the column in an ORDER BY clause. NULLS LAST for a column without nulls would prevent PostgreSQL from reading
// an index backwards.
func (c Column) String() string {
	text := c.SQL
	if c.Descending {
		text += " DESC"
	}
	if c.Nullable {
		text += " NULLS LAST"
	}
	return text
}

func (c Column) sameAs(other Column) bool { return c.SQL == other.SQL }

// Resolve returns the columns of the order. A property that is not in Columns is a VALIDATION error.
func (o Order) Resolve() ([]Column, error) {
	var columns []Column
	for _, key := range o.By {
		column, ok := o.Columns[key.Property]
		if !ok {
			return nil, domain.InvalidField(domain.FieldSort, fmt.Sprintf("%q cannot be sorted by", key.Property))
		}
		column.Descending = key.Descending
		columns = append(columns, column)
	}
	if len(o.By) == 0 {
		columns = slices.Clone(o.Default)
	}
	if len(columns) == 1 && columns[0].Rest != "" {
		columns = append(columns, Column{SQL: columns[0].Rest})
	}
	if id, ok := o.Columns["id"]; ok && !slices.ContainsFunc(columns, id.sameAs) {
		columns = append(columns, id)
	}
	return columns, nil
}

// OrderBy returns the columns in an ORDER BY clause.
func OrderBy(columns []Column) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = column.String()
	}
	return strings.Join(texts, ", ")
}

// ShownName is the column of the name of the version with an alias that a reader of languages is shown: the name in the first of
// them that has it, or the one in the definition, as translation.Name.For chooses. Without languages it is the one in the definition.
func ShownName(alias string, languages []string) Column {
	if len(languages) == 0 {
		return Column{SQL: alias + ".name", Named: true}
	}
	sql := strings.ReplaceAll(`coalesce((SELECT coalesce(v.names -> 'in' ->> l.tag, v.name) FROM unnest(%s::text[]) WITH ORDINALITY l (tag, rank)
         WHERE v.names -> 'in' ? l.tag OR v.names ->> 'default' = l.tag OR starts_with(v.names ->> 'default', l.tag || '-')
         ORDER BY l.rank LIMIT 1), v.name) COLLATE "und-x-icu"`, "v.", alias+".")
	return Column{SQL: sql, Args: []any{languages}, Named: true}
}
