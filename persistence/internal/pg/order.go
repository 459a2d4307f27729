package pg

// The order of the event log, for queries over events e.
const (
	// SettledEvent is true of an event e whose position in the event log is final: every transaction that might
	// insert before it has ended. Other events are shown later, so that a reader in the order of eventOrder
	// misses none.
	SettledEvent = `(e.era < (SELECT l.era FROM event_ledger l) OR e.xid < (SELECT pg_snapshot_xmin(pg_current_snapshot())))`

	EventOrder           = `e.era, e.xid, e.position`
	EventOrderDescending = `e.era DESC, e.xid DESC, e.position DESC`
)
