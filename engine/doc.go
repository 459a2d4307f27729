// Package engine is the service's side of Temporal: namespaces, the commands
// that start and steer workers' workflows, and how those workflows ended.
//
// One connection serves all namespaces. It is made when it is first needed and
// made again when it is lost, so the service starts and stays up without
// Temporal. Every call answers or fails within CallTimeout and is not retried
// here; callers know best when to try again.
package engine
