package listquery

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// Condition is a condition on the rows of a list. The zero Condition keeps all rows.
type Condition struct {
	SQL string
	// Args replace the verbs %s of SQL: a Condition is replaced by its SQL, any other value by a placeholder. SQL without
	// arguments is used as it is, and may refer to the arguments of the List by number.
	Args []any
	// Uncounted conditions are about columns that the stored counts of the list do not have.
	Uncounted bool
	// Named conditions are about columns of the tables in List.Names.
	Named bool
}

// Match returns a condition.
func Match(sql string, args ...any) Condition { return Condition{SQL: sql, Args: args} }

// MatchIf returns Match if ok is set, and keeps all rows otherwise.
func MatchIf(ok bool, sql string, args ...any) Condition {
	if !ok {
		return Condition{}
	}
	return Match(sql, args...)
}

// MatchGiven returns the condition with a value, and keeps all rows without one.
func MatchGiven[T any](sql string, value *T) Condition {
	if value == nil {
		return Condition{}
	}
	return Match(sql, *value)
}

// MatchAny returns the condition with values, and keeps all rows without any.
func MatchAny[T any](sql string, values []T) Condition { return MatchIf(len(values) > 0, sql, values) }

// MatchText returns the condition with the pattern of LIKE for texts that contain a text, and keeps all rows for an empty one.
func MatchText(sql, text string) Condition {
	text = strings.TrimSpace(text)
	return MatchIf(text != "", sql, Pattern(text))
}

// MatchSearch keeps the rows in which one of the texts contains a text, compared by search_key, and all rows for an empty one.
func MatchSearch(text string, columns ...string) Condition {
	return MatchText("("+ContainsAny(columns...)+")", text)
}

// ContainsAny returns SQL for one of several texts that contains the first argument, a Pattern, compared by search_key.
func ContainsAny(columns ...string) string {
	conditions := make([]string, len(columns))
	for i, column := range columns {
		conditions[i] = "search_key(" + column + ") LIKE search_key(%[1]s)"
	}
	return strings.Join(conditions, " OR ")
}

// AnyOf keeps the rows with one of the values in a column; no values keep all rows. One value is compared by equality, so
// that an index on the column can provide the order too.
func AnyOf[T any](column string, values []T) Condition {
	if len(values) == 1 {
		return Match(column+" = %s", values[0])
	}
	return MatchAny(column+" = ANY(%s)", values)
}

// Within keeps the rows of the tenants, or all rows where they are everywhere. One tenant is compared by equality.
func Within(column string, everywhere bool, tenants []uuid.UUID) Condition {
	switch {
	case everywhere:
		return Condition{}
	case len(tenants) == 1:
		return Match(column+" = %s", tenants[0])
	}
	return Match(column+" = ANY(%s)", tenants)
}

// Join joins conditions by an operator, AND or OR.
func Join(operator string, conditions ...Condition) Condition {
	args := make([]any, len(conditions))
	for i, c := range conditions {
		args[i] = c
	}
	return Match(strings.TrimSuffix(strings.Repeat("%s "+operator+" ", len(args)), " "+operator+" "), args...)
}

// OnRows returns the condition as an Uncounted one.
func (c Condition) OnRows() Condition {
	c.Uncounted = true
	return c
}

// OnNames returns the condition as an Uncounted and Named one.
func (c Condition) OnNames() Condition {
	c.Uncounted, c.Named = true, true
	return c
}

// Args are the arguments of a statement.
type Args []any

// Add adds an argument and returns its placeholder.
func (a *Args) Add(value any) string {
	*a = append(*a, value)
	return fmt.Sprintf("$%d", len(*a))
}

// Render returns the SQL of a condition, with its arguments added.
func (a *Args) Render(c Condition) string {
	if len(c.Args) == 0 {
		return c.SQL
	}
	texts := make([]any, len(c.Args))
	for i, arg := range c.Args {
		if part, ok := arg.(Condition); ok {
			texts[i] = a.Render(part)
		} else {
			texts[i] = a.Add(arg)
		}
	}
	return fmt.Sprintf(c.SQL, texts...)
}

// Pattern returns the pattern of LIKE for texts that contain a text.
func Pattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
