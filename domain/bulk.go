package domain

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// BulkKind is the kind of a bulk operation: an operation on a single resource that is repeated for each of a selection.
type BulkKind string

// The kinds of bulk operations. Package app/bulk carries them out; its table of kinds says how to add one.
const (
	BulkCancelProcesses    BulkKind = "CANCEL_PROCESSES"
	BulkTerminateProcesses BulkKind = "TERMINATE_PROCESSES"
	BulkRestartProcesses   BulkKind = "RESTART_PROCESSES"
	BulkMoveProcesses      BulkKind = "MOVE_PROCESSES"
	BulkAssignTasks        BulkKind = "ASSIGN_TASKS"
	BulkReleaseTasks       BulkKind = "RELEASE_TASKS"
	BulkRecalculateTasks   BulkKind = "RECALCULATE_TASKS"
	BulkCancelTasks        BulkKind = "CANCEL_TASKS"
	BulkRetryIncidents     BulkKind = "RETRY_INCIDENTS"
	BulkDismissIncidents   BulkKind = "DISMISS_INCIDENTS"
	BulkAcknowledge        BulkKind = "ACKNOWLEDGE_INCIDENTS"
)

// BulkKinds returns all kinds in the order in which they are offered.
func BulkKinds() []BulkKind {
	return []BulkKind{
		BulkCancelProcesses, BulkTerminateProcesses, BulkRestartProcesses, BulkMoveProcesses,
		BulkAssignTasks, BulkReleaseTasks, BulkRecalculateTasks, BulkCancelTasks,
		BulkRetryIncidents, BulkDismissIncidents, BulkAcknowledge,
	}
}

// BulkSubject is the kind of the resources of a bulk operation.
type BulkSubject string

// The subjects.
const (
	BulkProcesses BulkSubject = "PROCESSES"
	BulkTasks     BulkSubject = "TASKS"
	BulkIncidents BulkSubject = "INCIDENTS"
)

// Subject returns the kind of the resources, the end of the name of the kind; "" for an unknown kind.
func (k BulkKind) Subject() BulkSubject {
	for _, s := range []BulkSubject{BulkProcesses, BulkTasks, BulkIncidents} {
		if strings.HasSuffix(string(k), "_"+string(s)) {
			return s
		}
	}
	return ""
}

// BulkState is the state of a bulk operation.
type BulkState string

// The states. A PREVIEW has a fixed selection and waits for its start.
const (
	BulkPreview   BulkState = "PREVIEW"
	BulkRunning   BulkState = "RUNNING"
	BulkStopped   BulkState = "STOPPED"
	BulkCompleted BulkState = "COMPLETED"
)

// Ended reports whether the operation is in a final state.
func (s BulkState) Ended() bool { return s == BulkStopped || s == BulkCompleted }

// BulkItemState is the state of a resource in a bulk operation.
type BulkItemState string

// The states of items. A REFUSED item has a reason.
const (
	BulkItemPending BulkItemState = "PENDING"
	BulkItemDone    BulkItemState = "DONE"
	BulkItemRefused BulkItemState = "REFUSED"
)

const (
	// MaxBulkSelection is the maximum number of resources of a bulk operation.
	MaxBulkSelection = 100_000
	// MaxBulkRunning is the number of bulk operations of a tenant that run at the same time. Later ones wait.
	MaxBulkRunning = 5
	// MaxBulkIDs is the maximum number of ids in a filter.
	MaxBulkIDs = 1000
	// BulkBatch is the number of resources that one step of a bulk operation handles.
	BulkBatch = 20
	// BulkPreviewLifetime is the time after which a preview that was not started is deleted.
	BulkPreviewLifetime = 24 * time.Hour
	// BulkReportLifetime is the time after which an ended operation is deleted with its report.
	BulkReportLifetime = 90 * 24 * time.Hour
)

// BulkFilter selects the resources of a bulk operation. Fields are combined; an empty field keeps everything. Fields that the
// subject does not have must be empty.
type BulkFilter struct {
	IDs    []uuid.UUID `json:"ids,omitempty"`
	States []string    `json:"states,omitempty"`
	// Search is as in the lists of the console.
	Search string `json:"search,omitempty"`
	// DefinitionID is the process definition of processes and tasks.
	DefinitionID *uuid.UUID `json:"definitionId,omitempty"`
	// Standing, InitiatorID and Metadata select processes, as in lists of processes.
	Standing    Standing   `json:"standing,omitempty"`
	InitiatorID *uuid.UUID `json:"initiatorId,omitempty"`
	Metadata    []string   `json:"metadata,omitempty"`
	// OwnerID and View select tasks, as in the inbox.
	OwnerID *uuid.UUID `json:"ownerId,omitempty"`
	View    InboxView  `json:"view,omitempty"`
	// DueAfter, DueBefore and Overdue select tasks by their due date: in a period without its end, and open ones after their due
	// date.
	DueAfter  *time.Time `json:"dueAfter,omitempty"`
	DueBefore *time.Time `json:"dueBefore,omitempty"`
	Overdue   bool       `json:"overdue,omitempty"`
	// Cause is the fingerprint of incidents, Worker the build id of their worker.
	Cause  string         `json:"cause,omitempty"`
	Worker string         `json:"worker,omitempty"`
	Kinds  []IncidentKind `json:"kinds,omitempty"`
	// Assigned and Acknowledged keep the incidents with or without an assignee and an acknowledgement.
	AssigneeID   *uuid.UUID `json:"assigneeId,omitempty"`
	Assigned     *bool      `json:"assigned,omitempty"`
	Acknowledged *bool      `json:"acknowledged,omitempty"`
}

// BulkParameters are the parameters of kinds that need some. NewOwnerID is the owner of BulkAssignTasks, ToVersion the number of
// the version of BulkMoveProcesses.
type BulkParameters struct {
	NewOwnerID *uuid.UUID `json:"newOwnerId,omitempty"`
	ToVersion  int        `json:"toVersion,omitempty"`
}

// BulkSample contains the effects of BulkMoveProcesses on the first Checked selected processes: on Refused the move is not
// permitted, Invalid would have values that violate the schemas of the new version, and Losing would have items, user actions or
// elements that it lacks.
type BulkSample struct {
	Checked int `json:"checked"`
	Refused int `json:"refused"`
	Invalid int `json:"invalid"`
	Losing  int `json:"losing"`
}

// Add adds the effects of a move of a process.
func (s *BulkSample) Add(p *RepairPreview) {
	if slices.ContainsFunc(p.Values, func(v PreviewedValue) bool { return !v.Valid }) {
		s.Invalid++
	}
	if len(p.Kept)+len(p.LostActions)+len(p.LostElements) > 0 {
		s.Losing++
	}
}

// BulkForecast is a group of selected resources with the same expected result. Code and Message are empty for the resources
// on which the operation is permitted.
type BulkForecast struct {
	Code    Code   `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Count   int    `json:"count"`
}

// BulkOperation is a bulk operation. Its selection is fixed. Done and Refused count the handled resources.
type BulkOperation struct {
	ID         uuid.UUID
	TenantID   uuid.UUID
	Kind       BulkKind
	Filter     BulkFilter
	Parameters BulkParameters
	Reason     string
	State      BulkState
	CreatedBy  uuid.UUID
	// Operator reports whether the credential of the author had the rights of an operator.
	Operator  bool
	CreatedAt time.Time
	StartedAt *time.Time
	EndedAt   *time.Time
	Selected  int
	Forecast  []BulkForecast
	// Sample is set for BulkMoveProcesses.
	Sample  *BulkSample
	Done    int
	Refused int
}

// NamedBulkOperation is a bulk operation for display.
type NamedBulkOperation struct {
	BulkOperation

	TenantCode   string
	AuthorName   string
	NewOwnerName string
}

// Permitted returns the number of selected resources on which the operation was permitted at the time of the preview.
func (o *BulkOperation) Permitted() int {
	for _, f := range o.Forecast {
		if f.Code == "" {
			return f.Count
		}
	}
	return 0
}

// Left returns the number of resources that are not handled.
func (o *BulkOperation) Left() int { return o.Selected - o.Done - o.Refused }

// WorkflowID returns the id of the workflow of the operation.
func (o *BulkOperation) WorkflowID() string { return BulkWorkflowID(o.ID) }

// BulkWorkflowID returns the id of the workflow of a bulk operation.
func BulkWorkflowID(id uuid.UUID) string { return "bulk-operation-" + id.String() }

// Version returns the version of the operation, which changes with the handled resources and the state.
func (o *BulkOperation) Version() Version {
	changed := o.CreatedAt
	if o.StartedAt != nil {
		changed = *o.StartedAt
	}
	if o.EndedAt != nil {
		changed = *o.EndedAt
	}
	return VersionAt(changed.Add(time.Duration(o.Done+o.Refused) * time.Microsecond))
}

// Start moves a preview to RUNNING. The reason is 1..500 characters; an operation that is not a preview is refused with
// INVALID_STATE.
func (o *BulkOperation) Start(reason string, now time.Time) error {
	reason = strings.TrimSpace(reason)
	switch {
	case reason == "" || utf8.RuneCountInString(reason) > MaxRepairReason:
		return Invalid(LocationBody, "/reason", "must have 1 to 500 characters")
	case o.State != BulkPreview:
		return Conflict(CodeInvalidState, "the bulk operation was started before")
	case o.Selected == 0:
		return Conflict(CodeInvalidState, "no resource is selected")
	}
	o.Reason, o.State, o.StartedAt = reason, BulkRunning, &now
	return nil
}

// Stop moves a running operation to STOPPED and reports whether that changed it. A preview is refused with INVALID_STATE, a
// completed operation stays as it is.
func (o *BulkOperation) Stop(now time.Time) (bool, error) {
	if o.State == BulkPreview {
		return false, Conflict(CodeInvalidState, "the bulk operation was not started")
	}
	return o.end(BulkStopped, now), nil
}

// Complete moves a running operation to COMPLETED and reports whether that changed it.
func (o *BulkOperation) Complete(now time.Time) bool { return o.end(BulkCompleted, now) }

func (o *BulkOperation) end(state BulkState, now time.Time) bool {
	if o.State != BulkRunning {
		return false
	}
	o.State, o.EndedAt = state, &now
	return true
}

// BulkItem is a resource of a bulk operation. Code and Message are the reason of a refusal. Label is the subject of a process
// or of the process of a task, or the message of an incident, "" if it is not visible to the reader.
type BulkItem struct {
	TargetID uuid.UUID
	State    BulkItemState
	Code     Code
	Message  string
	EndedAt  *time.Time
	Label    string
}

// BulkKey identifies the resource of a bulk operation that a call is made for, at the time At.
type BulkKey struct {
	Operation uuid.UUID
	Target    uuid.UUID
	At        time.Time
}

// BulkUnchanged is the reason to refuse a resource on which the operation has no effect.
func BulkUnchanged() *Error {
	return &Error{Kind: KindConflict, Code: CodeInvalidState, Message: "there is nothing to change"}
}
