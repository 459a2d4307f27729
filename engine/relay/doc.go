// Package relay executes the commands for Temporal that committed transactions
// staged. The commands are rows that were written together
// with the change that makes them necessary, so none is lost and none is sent for
// a change that did not commit.
package relay
