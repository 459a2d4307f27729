// Package relay executes the commands for Temporal that transactions staged. Each
// command is a row written together with the change that requires it, so that no
// command is lost and none is sent for a change that did not commit.
package relay
