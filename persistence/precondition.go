package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

type preconditionKey struct{}

// WithPrecondition has transactions under the context know what their request
// requires of the resource that it writes to.
func WithPrecondition(ctx context.Context, p domain.Precondition) context.Context {
	return context.WithValue(ctx, preconditionKey{}, p)
}

func precondition(ctx context.Context) domain.Precondition {
	p, _ := ctx.Value(preconditionKey{}).(domain.Precondition)
	return p
}

// Found records the version of a resource that the transaction has under lock, or
// that exists where the transaction was to create it. CheckPrecondition compares
// the one that the precondition is about.
func (tx *Tx) Found(id uuid.UUID, version domain.Version) {
	if tx.precondition.About(id) {
		tx.current = &version
	}
}

// CheckPrecondition returns a PRECONDITION_FAILED error unless the resource that
// the request is about, read by the transaction, has a version that it requires.
func (tx *Tx) CheckPrecondition() error { return tx.precondition.Check(tx.current) }
