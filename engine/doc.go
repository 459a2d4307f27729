// Package engine is the service's side of Temporal: namespaces, the commands
// that start and steer workers' workflows, and how those workflows ended.
//
// One connection serves all namespaces. It is opened when it is first needed and
// reopened when it is lost, so the service starts and stays up without Temporal.
// Every call returns within CallTimeout and is not retried here; callers decide
// when to retry.
package engine
