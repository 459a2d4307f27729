// Package events reads the event log: all events for administrators, and a feed of the events visible to a caller.
// Transactions of persistence write it.
package events
