// Package completions observes the ends of workflows: it scans Temporal's lists in
// every namespace with a running workflow, and records the ends. It also inspects
// running workflows and records their problems.
package completions
