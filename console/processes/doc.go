// Package processes shows the processes of a user: the list, and each process with its actions, items, timeline,
// messages and documents.
package processes
