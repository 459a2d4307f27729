// Package audit shows the event log to administrators, and exports it.
package audit
