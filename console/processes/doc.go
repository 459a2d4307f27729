// Package processes is the screens of processes: the list of those that a user may see,
// and each with its actions, items, timeline, messages and documents.
package processes
