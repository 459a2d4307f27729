// Package domain holds what is true of processes, process items and the people
// and programs that work on them: resources, states and the transitions between
// them, access rules, events and errors.
//
// It is pure: no I/O, no clock and no context. Whoever needs the time or a new
// identifier passes it in, so every rule can be read and tested by itself.
package domain
