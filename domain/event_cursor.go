package domain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// EventCursor is a position in the event log: behind everything that was committed before, ahead of everything
// that is committed later. The zero cursor is at the beginning.
//
// Events are ordered by their cursors: by the era, which is a partition of the event log, by the transaction, and
// by the position within the transaction. An era begins when the one before has lasted long enough, or when the
// database moves to another cluster.
type EventCursor struct {
	Era         int32
	Transaction uint64
	Position    int64
}

// errCursor is returned for a text that is not a cursor.
var errCursor = errors.New("is not a cursor returned by the service")

const cursorParts = 3

// String returns the text form for clients, which is opaque to them.
func (c EventCursor) String() string {
	return fmt.Sprintf("%d.%d.%d", c.Era, c.Transaction, c.Position)
}

// ParseEventCursor parses the output of String.
func ParseEventCursor(text string) (EventCursor, error) {
	parts := strings.Split(text, ".")
	if len(parts) != cursorParts {
		return EventCursor{}, errCursor
	}
	era, err := strconv.ParseUint(parts[0], 10, 31)
	if err != nil {
		return EventCursor{}, errCursor
	}
	// PostgreSQL's bigint holds both.
	transaction, err := strconv.ParseUint(parts[1], 10, 63)
	if err != nil {
		return EventCursor{}, errCursor
	}
	position, err := strconv.ParseUint(parts[2], 10, 63)
	if err != nil {
		return EventCursor{}, errCursor
	}
	c := EventCursor{Era: int32(era), Transaction: transaction, Position: int64(position)}
	if c.String() != text {
		return EventCursor{}, errCursor
	}
	return c, nil
}
