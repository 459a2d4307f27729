// Package audit records refused sign-ins and requests that their callers may not
// make. A request only adds to counts in memory, which are bounded; a background
// loop writes them into the event log, one event for all equal refusals. Counts
// that are not yet written are lost when the process is killed.
package audit
