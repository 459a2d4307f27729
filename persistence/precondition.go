package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

type preconditionKey struct{}

// WithPrecondition returns a context under which transactions check the precondition of their request on the
// resource that it writes to.
func WithPrecondition(ctx context.Context, p domain.Precondition) context.Context {
	return context.WithValue(ctx, preconditionKey{}, p)
}

func precondition(ctx context.Context) domain.Precondition {
	p, _ := ctx.Value(preconditionKey{}).(domain.Precondition)
	return p
}

// Found records the version of a resource that the transaction has under lock, or that exists where the
// transaction was to create it. CheckPrecondition checks the one that the precondition is about.
func (tx *Tx) Found(id uuid.UUID, version domain.Version) {
	if tx.precondition.About(id) {
		tx.current = &version
	}
}

// CheckPrecondition returns a PRECONDITION_FAILED error unless the transaction read the resource of the request
// at a version that the precondition allows.
func (tx *Tx) CheckPrecondition() error { return tx.precondition.Check(tx.current) }
