package domain

import (
	"time"

	"github.com/google/uuid"
)

// Deletion records when and by whom a resource was deleted. A deleted resource is still found by its id, and is
// left out of lists unless the request asks for deleted ones. DeletedAt and DeletedBy are nil for a resource
// that is not deleted.
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

// DeletedFilter selects whether a list includes deleted resources.
type DeletedFilter string

// The filters. An empty one is ExcludeDeleted.
const (
	ExcludeDeleted DeletedFilter = "EXCLUDE"
	IncludeDeleted DeletedFilter = "INCLUDE"
	OnlyDeleted    DeletedFilter = "ONLY"
)

// Excludes reports whether a list leaves deleted resources out.
func (f DeletedFilter) Excludes() bool { return f == ExcludeDeleted || f == "" }
