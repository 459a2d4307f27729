// Package conformance lists the statements of the interface specification, each
// with the tests that prove it. Its own test compares the list with the source:
// a statement without a test fails, and so do an unknown test and a field or an
// operation without a statement.
package conformance
