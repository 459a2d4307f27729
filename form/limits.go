package form

import "fmt"

// Limits bound what is read of one form. What exceeds them is a *LimitError, except
// that data nested too deeply is shown as JSON.
type Limits struct {
	// Depth is how many objects and arrays may be within each other.
	Depth int
	// Fields is how many fields there may be, the cells of tables included.
	Fields int
	// Rows is how many elements an array may have.
	Rows int
}

// DefaultLimits returns limits that suit forms for people.
func DefaultLimits() Limits { return Limits{Depth: 16, Fields: 50_000, Rows: 5_000} }

// LimitError is returned for a value that is too large.
type LimitError struct {
	// What is the plural of what there is too much of, such as "pages".
	What string
	Max  int
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the form has more than %d %s", e.Max, e.What)
}
