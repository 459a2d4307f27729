package persistence

import (
	"context"
	"slices"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// A Read is a read of a transaction that can share a round trip with another one: its queries, and their result once
// they are answered. It is executed once. Reads that are always executed alone are methods of Tx.
type Read[T any] struct {
	queries []pg.Query
	result  func(*Tx) (T, error)
}

// Do executes the read in one round trip.
func (r Read[T]) Do(ctx context.Context, tx *Tx) (T, error) {
	if err := tx.Read(ctx, r.queries...); err != nil {
		var none T
		return none, err
	}
	return r.result(tx)
}

// Pair contains the results of two reads.
type Pair[A, B any] struct {
	First  A
	Second B
}

// And returns two reads in one round trip, in this order: the second one runs when the rows of the first one are under
// lock.
func And[A, B any](first Read[A], second Read[B]) Read[Pair[A, B]] {
	return Read[Pair[A, B]]{slices.Concat(first.queries, second.queries), func(tx *Tx) (both Pair[A, B], err error) {
		if both.First, err = first.result(tx); err != nil {
			return both, err
		}
		both.Second, err = second.result(tx)
		return both, err
	}}
}

// Both executes two reads as And does.
func Both[A, B any](ctx context.Context, tx *Tx, first Read[A], second Read[B]) (A, B, error) {
	both, err := And(first, second).Do(ctx, tx)
	return both.First, both.Second, err
}

// Then returns a read that converts the result of another read.
func Then[A, B any](read Read[A], then func(*Tx, A) (B, error)) Read[B] {
	return Read[B]{read.queries, func(tx *Tx) (B, error) {
		found, err := read.result(tx)
		if err != nil {
			var none B
			return none, err
		}
		return then(tx, found)
	}}
}

// answer returns the Read of queries that fill dest.
func answer[T any](dest *T, queries ...pg.Query) Read[T] {
	return Read[T]{queries, func(*Tx) (T, error) { return *dest, nil }}
}
