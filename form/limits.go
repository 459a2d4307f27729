package form

import "fmt"

// Limits limit the size of a form. Exceeding them is a *LimitError, except that data nested too deeply is shown as
// JSON.
type Limits struct {
	// Depth is the maximum nesting of objects and arrays.
	Depth int
	// Fields is the maximum number of fields, including cells of tables.
	Fields int
	// Rows is the maximum number of elements of an array.
	Rows int
}

// DefaultLimits returns limits for forms that people fill in.
func DefaultLimits() Limits { return Limits{Depth: 16, Fields: 50_000, Rows: 5_000} }

// LimitError is returned for a value that is too large.
type LimitError struct {
	// What is the limited quantity in the plural, such as "pages".
	What string
	Max  int
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the form has more than %d %s", e.Max, e.What)
}
