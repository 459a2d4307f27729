package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Found records the version of a resource that the transaction has under lock, or that exists where the
// transaction was to create it. CheckPrecondition checks the one that the precondition is about.
func (tx *Tx) Found(id uuid.UUID, version domain.Version) {
	if tx.call.Precondition.About(id) {
		tx.current = &version
	}
}

// CheckPrecondition returns a PRECONDITION_FAILED error unless the transaction read the resource of the request
// at a version that the precondition allows.
func (tx *Tx) CheckPrecondition() error { return tx.call.Precondition.Check(tx.current) }
