// Package bulk has the screens of bulk operations: the choice of an action for all entries of a list, its preview, progress and
// report, and the list of started operations.
package bulk
