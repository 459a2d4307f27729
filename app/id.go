package app

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// idOr returns the identifier the caller chose, or else a new one.
func idOr(chosen *uuid.UUID) uuid.UUID {
	if chosen != nil {
		return *chosen
	}
	return domain.NewID()
}

// idTaken refuses an id that is in use. right is the error of the check whether
// the caller may create under any id: without the right it is returned instead.
func idTaken(right error) error {
	if domain.HasCode(right, domain.CodeAccessDenied) {
		return right
	}
	return domain.Conflict(domain.CodeConflict, "the id is already in use")
}
