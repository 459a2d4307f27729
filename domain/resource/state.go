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
	Origin
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

// Source is the origin of a resource.
type Source string

// The sources.
const (
	SourceManifest Source = "MANIFEST"
	// SourceDirectory is the source of users and groups that a directory manages.
	SourceDirectory Source = "DIRECTORY"
	// SourceDeparted is the source of users and groups that the directory has deleted and other resources refer to.
	SourceDeparted Source = "DEPARTED"
	// SourceSignIn is the source of users that their first sign-in created. Administrators manage them.
	SourceSignIn Source = "SIGN_IN"
)

// Sources lists all sources.
func Sources() []Source {
	return []Source{SourceManifest, SourceDirectory, SourceDeparted, SourceSignIn}
}

// Origin contains the source of a resource, and the data of the directory about it.
type Origin struct {
	Source Source
	// ExternalID is the identifier that the directory has for the resource, "" for none.
	ExternalID string
	// Entry is nil for resources that no directory has written.
	Entry *DirectoryEntry
}

// DirectoryEntry contains the attributes of a user or a group as the directory sent them.
type DirectoryEntry struct {
	UserName    string `json:"userName,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Formatted   string `json:"formatted,omitempty"`
	GivenName   string `json:"givenName,omitempty"`
	FamilyName  string `json:"familyName,omitempty"`
	// Active is the statement of the directory. An administrator may disable an active user.
	Active bool `json:"active"`
}
