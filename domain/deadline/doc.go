// Package deadline computes due dates: rules of definitions, durations of ISO 8601, and working time of calendars. It does no I/O.
package deadline
