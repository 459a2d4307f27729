package domain

import (
	"time"

	"github.com/google/uuid"
)

// AvailabilityFault records that the availability expression of a user action failed: first and last time, and
// the process of the last failure.
type AvailabilityFault struct {
	TenantID uuid.UUID
	// Definition is the version that has the action.
	Definition DefinitionRef
	ActionCode string
	ProcessID  uuid.UUID
	Message    string
	FirstAt    time.Time
	LastAt     time.Time
}
