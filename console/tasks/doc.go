// Package tasks is where people find their tasks and work on them.
package tasks
