// Package conformance lists what the interface specification says, statement by
// statement, each with the tests that show it. Its own test holds the list
// against the source: a statement without a test fails, and so do a test that
// does not exist and a field or an operation without a statement.
package conformance
