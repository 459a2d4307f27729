// Package queues shows administrators the task queues, their workers and their problems.
package queues
