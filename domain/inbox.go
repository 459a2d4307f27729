package domain

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/translation"
)

// InboxView is a selection of the tasks that are visible to a user.
type InboxView string

// The views.
const (
	// InboxToClaim are READY tasks that the user may claim.
	InboxToClaim InboxView = "to-claim"
	// InboxMine are CLAIMED tasks of the user.
	InboxMine InboxView = "mine"
	// InboxSubstituted are CLAIMED tasks of the absent people for whom the user substitutes.
	InboxSubstituted InboxView = "substituted"
	// InboxDone are COMPLETED tasks of the user.
	InboxDone InboxView = "done"
	// InboxAll are all tasks that are visible to the user.
	InboxAll InboxView = "all"
)

// InboxViews returns all views in the order in which they are offered.
func InboxViews() []InboxView {
	return []InboxView{InboxToClaim, InboxMine, InboxSubstituted, InboxDone, InboxAll}
}

// InboxCountLimit bounds the counts of views that are not shown.
const InboxCountLimit = 100

// InboxTask is a task as a list for people shows it.
type InboxTask struct {
	ID          uuid.UUID
	Name        translation.Name
	State       TaskState
	ProcessID   uuid.UUID
	ProcessName translation.Name
	// Subject is the title of the process.
	Subject       string
	InitiatorName string
	// OwnerName is empty for a task that is not claimed.
	OwnerName string
	// Substitutes reports whether the user carries out the task for its absent owner.
	Substitutes    bool
	CreatedAt      time.Time
	LastModifiedAt time.Time
	// DueAt and FollowUpAt are nil if they are not planned. PriorityRank is the TaskPriority.Rank.
	DueAt, FollowUpAt *time.Time
	PriorityRank      int
}

// Priority returns the priority of the task.
func (t *InboxTask) Priority() TaskPriority { return PriorityOfRank(t.PriorityRank) }

// IsOverdue reports whether the task is open and its due date has passed.
func (t *InboxTask) IsOverdue(now time.Time) bool {
	return t.State.Open() && t.DueAt != nil && !now.Before(*t.DueAt)
}

// Inbox is a page of the tasks of a view, with the options of its filters.
type Inbox struct {
	Page[InboxTask]
	// Counts are how many tasks each view has, whatever it is narrowed to. Of own tasks in the other views,
	// InboxCountLimit are counted.
	Counts map[InboxView]int64
	// At is the place in the event log that the page was read at.
	At EventCursor
	// Definitions are the definitions of the processes of the view's tasks, by name.
	Definitions []InboxDefinition
}

// InboxDefinition is a process definition, and how many tasks of a view belong to
// its processes.
type InboxDefinition struct {
	ID    uuid.UUID
	Name  translation.Name
	Tasks int64
}

// OpenedTask is a task for display, with the rights of the user.
type OpenedTask struct {
	InboxTask

	Item *ProcessItem `db:"-"`
	// ProcessVersion is the version of the process's definition.
	ProcessVersion uuid.UUID
	// EditorID is the principal that changed the task last, EditorName its name.
	EditorID   uuid.UUID
	EditorName string
	// Candidate may claim the task while it is READY.
	Candidate bool
	// Manages may assign the task, release it and write to it.
	Manages bool
	// DelegatorName is the name of the delegator, "" for none.
	DelegatorName string
	// SubstituteName is the name of the person who completed the task for its absent owner, "" for none.
	SubstituteName string
	// OpposedName is the name of a task of the user that excludes the task, "" for none.
	OpposedName translation.Name
	// SeesProcess may read the process of the task.
	SeesProcess bool
}
