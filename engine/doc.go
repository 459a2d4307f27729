// Package engine is the service's client of Temporal: it manages namespaces, executes
// the commands for workers' workflows, and reads the ends of those workflows.
//
// One connection serves all namespaces. It is opened at the first call and reopened
// when it is lost, so the service starts and keeps running without Temporal. Every call
// returns within CallTimeout; callers decide about retries.
package engine
