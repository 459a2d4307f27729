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

func idTaken() error {
	return domain.Conflict(domain.CodeConflict, "the id is already in use")
}
