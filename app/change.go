package app

import (
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// change is the unit of work of an operation: a transaction for a caller at one time, and the events to record.
type change struct {
	tx     *persistence.Tx
	caller domain.Caller
	now    time.Time
	events domain.Events
}

// record adds events.
func (c *change) record(events ...domain.Event) { c.events = append(c.events, events...) }
