// Package completions notices the ends of workflows: it looks for them in Temporal's
// lists, in every namespace where a workflow runs, and has them recorded.
package completions
