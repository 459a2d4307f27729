// Package queues is where administrators see which task queues are needed, who serves them,
// and what is missing.
package queues
