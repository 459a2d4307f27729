package domain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// EventCursor is a place in the ledger of events: behind everything that was
// committed before, ahead of everything that is committed later. The zero cursor
// is at the beginning.
//
// Events are in the order of their cursors: by the era, which begins anew when
// the database moves to another cluster, by the transaction, and by the place
// within the transaction.
type EventCursor struct {
	Era         int32
	Transaction uint64
	Position    int64
}

// errCursor says that a text is no cursor.
var errCursor = errors.New("is no cursor that the service gave out")

const cursorParts = 3

// String is the text that clients keep. Its form is nobody else's business.
func (c EventCursor) String() string {
	return fmt.Sprintf("%d.%d.%d", c.Era, c.Transaction, c.Position)
}

// ParseEventCursor reads what String wrote, and nothing else.
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
