package availability

import "fmt"

// Error says what is wrong with an expression, and where.
type Error struct {
	// Column counts characters of the text from 1.
	Column  int
	Message string
}

// Error returns the column and the message.
func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }
