package notifications

import (
	"fmt"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// nextEvents returns two common table expressions: place locks the row of a table with a position in the event log, and batch has
// columns of the next $1 events e behind it. One replica at a time gets events; without new ones no row is locked.
func nextEvents(cursor, columns string) string {
	return fmt.Sprintf(`place AS (
    SELECT c.era, c.xid, c.position
      FROM %[1]s c
     WHERE EXISTS (SELECT 1 FROM events e WHERE %[3]s AND %[4]s)
       AND (c.era, c.xid, c.position) = (SELECT s.era, s.xid, s.position FROM %[1]s s)
       FOR NO KEY UPDATE OF c SKIP LOCKED
), batch AS (
    SELECT b.*
      FROM place c
     CROSS JOIN LATERAL (
           SELECT %[2]s
             FROM events e
            WHERE %[3]s AND %[4]s
            ORDER BY %[5]s
            LIMIT $1) b
)`, cursor, columns, pg.ComparePlace(">", "c.era", "c.xid", "c.position"), pg.SettledEvent, pg.EventOrder)
}

// moveCursor returns a common table expression that moves the position to the last event of batch.
func moveCursor(cursor string) string {
	return `moved AS (
    UPDATE ` + cursor + ` c
       SET era = b.era, xid = b.xid, position = b.position
      FROM (SELECT e.era, e.xid, e.position FROM batch e ORDER BY ` + pg.EventOrderDescending + ` LIMIT 1) b
)`
}
