// Package outbox carries out what committed transactions ask of Temporal. The
// commands are rows that were written together with the change that makes them
// necessary, so none is lost and none is sent for a change that did not commit.
package outbox
