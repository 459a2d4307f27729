// Package domain holds the rules about processes, process items and the principals that work on them: resources,
// states and transitions, access rules, events and errors.
//
// It is pure: no I/O, no clock and no context. Callers pass in times and new identifiers, so every rule can be
// read and tested by itself.
package domain
