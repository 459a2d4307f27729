package availability

import "fmt"

// Error is the reason why an expression is refused, with its place.
type Error struct {
	// Column counts characters of the text from 1.
	Column  int
	Message string
}

// Error returns the column and the message.
func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }
