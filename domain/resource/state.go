package resource

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Stored is a resource as it was last applied. PublishedVersion is the version of a process definition
// to which new processes are pinned, nil without one.
type Stored struct {
	Document
	ID               uuid.UUID
	TenantID         uuid.UUID
	PublishedVersion *uuid.UUID
	// EventID is the event that records the manifest. It is written, and not read.
	EventID uuid.UUID
	// Robot is nil for resources of other kinds.
	Robot *RobotState
	domain.Audit
}

// RobotState contains the state of a robot that its manifest lacks: its files, the source package first, and the names of its
// environment variables.
type RobotState struct {
	Files     []domain.RobotFile
	Variables []string
}
