package domain

import (
	"time"

	"github.com/google/uuid"
)

// Absence is the time in which a user carries out the claimed tasks of another one in a tenant.
type Absence struct {
	ID, TenantID uuid.UUID
	// PrincipalID is absent, SubstituteID acts for it.
	PrincipalID, SubstituteID uuid.UUID
	From, Until               time.Time
}
