// Package httpio is the part of HTTP that every operation shares: request ids,
// the access log, recovery from panics, validation of requests against the
// contract, and the one table that turns errors into answers.
package httpio
