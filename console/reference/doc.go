// Package reference shows the contracts of the REST interface, for those who write programs that call it. Its pages are
// made from the documents that requests are checked against and need nothing but the service itself.
package reference
