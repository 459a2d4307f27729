package pg

import "fmt"

// The order of the event log, for queries over events e.
const (
	// SettledEvent is true of an event e below the horizon: every transaction that might insert before it has ended.
	// Other events are shown later, so that a reader in the order of EventOrder misses none.
	SettledEvent = `(e.era < (SELECT l.era FROM event_ledger l) OR e.xid < (SELECT event_horizon(pg_current_snapshot())))`

	EventOrder           = `e.era, e.xid, e.position`
	EventOrderDescending = `e.era DESC, e.xid DESC, e.position DESC`
)

// ComparePlace compares the place of an event e in the event log with a place that three expressions name. The era is
// compared for itself too: comparing rows of columns leaves out no partition.
func ComparePlace(operator, era, xid, position string) string {
	return fmt.Sprintf("e.era %[1]c= %[3]s AND (e.era, e.xid, e.position) %[2]s (%[3]s, %[4]s, %[5]s)",
		operator[0], operator, era, xid, position)
}
