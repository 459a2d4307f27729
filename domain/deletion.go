package domain

import (
	"time"

	"github.com/google/uuid"
)

// Deletion is when a resource was deleted and who did it. What is deleted is still
// found by its id, and lists leave it out unless they are asked for it. DeletedAt
// and DeletedBy are nil for a resource that is not deleted.
type Deletion struct {
	DeletedAt *time.Time
	DeletedBy *uuid.UUID
}

// Deleted reports whether the resource is deleted.
func (d *Deletion) Deleted() bool { return d.DeletedAt != nil }

// RequireKept refuses a resource that is deleted with INVALID_STATE.
func (d *Deletion) RequireKept(resource string) error {
	if d.Deleted() {
		return Conflict(CodeInvalidState, "the "+resource+" is deleted")
	}
	return nil
}

func (d *Deletion) set(by uuid.UUID, now time.Time) { d.DeletedAt, d.DeletedBy = &now, &by }

// DeletedFilter says what a list does with resources that are deleted.
type DeletedFilter string

// The filters. An empty one is ExcludeDeleted.
const (
	ExcludeDeleted DeletedFilter = "EXCLUDE"
	IncludeDeleted DeletedFilter = "INCLUDE"
	OnlyDeleted    DeletedFilter = "ONLY"
)
