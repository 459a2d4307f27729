package domain

import (
	"time"

	"github.com/google/uuid"
)

// AvailabilityFault tells administrators that the availability expression of a
// user action failed: for the first time, and for the last time, which was in
// the process.
type AvailabilityFault struct {
	TenantID uuid.UUID
	// Definition is the version whose action it is.
	Definition DefinitionRef
	ActionCode string
	ProcessID  uuid.UUID
	Message    string
	FirstAt    time.Time
	LastAt     time.Time
}
