package httpio

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// PtrOrNil returns a pointer to the value, nil for the zero value, so that the member
// is left out of the answer.
func PtrOrNil[T comparable](value T) *T {
	var nothing T
	if value == nothing {
		return nil
	}
	return &value
}

// Deref returns the value of a member that may be absent, the zero value when it is.
func Deref[T any](value *T) T {
	if value == nil {
		var nothing T
		return nothing
	}
	return *value
}

// Deleted returns a Deletion in the form in which resources show it, nil for
// resources that are not deleted.
func Deleted(d domain.Deletion) (at *time.Time, by *uuid.UUID) {
	if d.DeletedAt == nil {
		return nil, nil
	}
	return new(d.DeletedAt.UTC()), d.DeletedBy
}

// Audited returns an Audit in the form that every audited resource of the contracts
// embeds: in UTC, whatever zone the database driver speaks.
func Audited(a domain.Audit) (createdBy *uuid.UUID, createdAt *time.Time, modifiedBy *uuid.UUID, modifiedAt *time.Time) {
	return &a.CreatedBy, new(a.CreatedAt.UTC()), &a.LastModifiedBy, new(a.LastModifiedAt.UTC())
}
