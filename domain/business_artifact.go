package domain

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// ArtifactPermission is a right on the artifacts of a definition.
type ArtifactPermission string

// The permissions on artifacts.
const (
	PermissionArtifactViewer  ArtifactPermission = "VIEWER"
	PermissionArtifactEditor  ArtifactPermission = "EDITOR"
	PermissionArtifactManager ArtifactPermission = "MANAGER"
)

// ArtifactDefinitionRef identifies a business artifact definition, or an action of one, as resources show it.
type ArtifactDefinitionRef struct {
	ID   uuid.UUID
	Code string
}

// BusinessArtifact is an object that processes work on (specification section 2.15). Data is nil when it has
// none.
type BusinessArtifact struct {
	ID         uuid.UUID
	TenantID   uuid.UUID
	Definition ArtifactDefinitionRef
	Data       *JSONValue
	Audit
	Deletion
}

// CheckMayWrite refuses callers without the Editor permission with ACCESS_DENIED, and a deleted artifact with
// INVALID_STATE.
func (a *BusinessArtifact) CheckMayWrite(rights ArtifactRights) error {
	if err := rights.RequireEditor(); err != nil {
		return err
	}
	return a.CheckKept()
}

// CheckKept refuses a deleted artifact with INVALID_STATE.
func (a *BusinessArtifact) CheckKept() error { return a.RequireKept("business artifact") }

// Delete deletes the artifact and reports whether that changed it.
func (a *BusinessArtifact) Delete(by uuid.UUID, now time.Time) bool {
	if a.Deleted() {
		return false
	}
	a.set(by, now)
	a.touch(by, now)
	return true
}

// Restore undoes the deletion of the artifact and reports whether it was deleted.
func (a *BusinessArtifact) Restore(by uuid.UUID, now time.Time) bool {
	if !a.Deleted() {
		return false
	}
	a.Deletion = Deletion{}
	a.touch(by, now)
	return true
}

// SetData replaces the data of the artifact.
func (a *BusinessArtifact) SetData(data JSONValue, by uuid.UUID, now time.Time) {
	a.Data = &data
	a.touch(by, now)
}

// ArtifactDefinitionSummary is a business artifact definition as lists show it.
type ArtifactDefinitionSummary struct {
	ArtifactDefinitionRef
	TenantID uuid.UUID
	Name     translation.Name
	// Creatable reports whether the caller may create artifacts of the definition.
	Creatable bool
}
