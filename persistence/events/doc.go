// Package events reads the event log: all of it for administrators, and as a feed of what is visible to a caller.
// Transactions of persistence write it.
package events
