// Package audit records what was refused: sign-ins, and what callers may not do.
// A request only adds to counts in memory, which are bounded; a background loop
// writes them into the ledger of events, one event for what is alike. Counts that
// were not written when the process is killed are lost.
package audit
