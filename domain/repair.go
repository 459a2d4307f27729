package domain

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// RepairKind is the kind of a repair of a running process.
type RepairKind string

// The kinds of repairs.
const (
	// RepairReopenTask makes a completed task CLAIMED by its former owner.
	RepairReopenTask RepairKind = "REOPEN_TASK"
	// RepairTaskData replaces the data of a task that is not cancelled.
	RepairTaskData RepairKind = "CHANGE_TASK_DATA"
	// RepairMetadata and RepairEntity replace a value of the process.
	RepairMetadata RepairKind = "CHANGE_METADATA"
	RepairEntity   RepairKind = "CHANGE_ENTITY"
	// RepairCompleteStep completes a pending activity of the workflow with a result.
	RepairCompleteStep RepairKind = "COMPLETE_STEP"
	// RepairReset continues the workflow from an earlier event of its history.
	RepairReset RepairKind = "RESET"
	// RepairRestart terminates the workflow and starts it again from its beginning, with the same values.
	RepairRestart RepairKind = "RESTART"
	// RepairTerminate cancels the process and terminates its workflow at once.
	RepairTerminate RepairKind = "TERMINATE"
	// RepairMove moves the process to another version of its definition.
	RepairMove RepairKind = "MOVE_TO_VERSION"
	// RepairUndoMove moves the process back that has not changed since its last move.
	RepairUndoMove RepairKind = "UNDO_MOVE"
)

// MaxRepairReason is the maximum length of the reason of a repair, in characters.
const MaxRepairReason = 500

// RepairRequest is the input of a repair. ID is the id that the caller chose, nil for a new one. Reason is 1..500 characters. ItemID is the task of RepairReopenTask and
// RepairTaskData; Value the new value of the changes, and the result of RepairCompleteStep, nil for none. Parameters are
// set for RepairCompleteStep and RepairReset. With Reset, RepairReopenTask and RepairTaskData continue the workflow from before
// the end of the task: it waits for the task again, or reads its new data. ToVersion is the number of the version of RepairMove.
type RepairRequest struct {
	ID         *uuid.UUID
	Kind       RepairKind
	Reason     string
	ItemID     *uuid.UUID
	Value      json.RawMessage
	Reset      bool
	ToVersion  int
	Parameters CommandParameters
}

// CommandParameters are the parameters of an engine command. EngineRun is Temporal's id of a run. CommandReset has the id of
// the event to continue after, which ends a workflow task, or the item to continue before the end of, and whether the workflow
// gets the later signals again; CommandCompleteStep has an activity and its result; CommandSignalMove has a move; CommandSignalOverdue
// has the due date, and the number of the step of the escalation, counted from 1.
type CommandParameters struct {
	EngineRun string          `json:"engineRun,omitempty"`
	EventID   int64           `json:"eventId,omitempty"`
	Before    *uuid.UUID      `json:"before,omitempty"`
	Signals   bool            `json:"signals,omitempty"`
	Activity  string          `json:"activity,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Move      *VersionMove    `json:"move,omitempty"`
	DueAt     *time.Time      `json:"dueAt,omitempty"`
	Step      int             `json:"step,omitempty"`
}

// Check refuses a request without a reason, or without the members that its kind needs.
func (r *RepairRequest) Check() error {
	r.Reason = strings.TrimSpace(r.Reason)
	if r.Reason == "" || utf8.RuneCountInString(r.Reason) > MaxRepairReason {
		return Invalid(LocationBody, "reason", "must have 1 to 500 characters")
	}
	switch r.Kind {
	case RepairReopenTask:
		return r.require("processItemId", r.ItemID != nil)
	case RepairTaskData:
		if r.ItemID == nil {
			return r.require("processItemId", false)
		}
		return r.require("value", r.Value != nil)
	case RepairMetadata, RepairEntity:
		return r.require("value", r.Value != nil)
	case RepairCompleteStep:
		return r.require("activityId", r.Parameters.Activity != "")
	case RepairReset:
		if r.Parameters.EngineRun == "" {
			return r.require("engineRunId", false)
		}
		return r.require("eventId", r.Parameters.EventID > 0)
	case RepairMove:
		return r.require("toVersion", r.ToVersion > 0)
	case RepairRestart, RepairTerminate, RepairUndoMove:
		return nil
	}
	return Invalid(LocationBody, "kind", "is not a kind of repair")
}

func (r *RepairRequest) require(member string, isSet bool) error {
	if isSet {
		return nil
	}
	return Invalid(LocationBody, member, "is required by the kind "+string(r.Kind))
}

// CheckMayRepair refuses callers that may not repair processes of a definition of the tenant with ACCESS_DENIED. granted reports
// whether the caller is a repairer of the definition.
func (c Caller) CheckMayRepair(tenant uuid.UUID, granted bool) error {
	if granted || c.Administration(tenant).Administers() {
		return nil
	}
	return Denied("the right to repair the process is required")
}

// CheckMayReplace refuses a process without a workflow, and a run that is not started yet, with INVALID_STATE. run is nil for a
// manual process.
func (r *EngineRun) CheckMayReplace() error {
	if r == nil {
		return Conflict(CodeInvalidState, "the process has no workflow")
	}
	if r.State == RunPending {
		return Conflict(CodeInvalidState, "the workflow is not started yet")
	}
	return nil
}

// Repair is a repair that was carried out.
type Repair struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	ProcessID uuid.UUID
	ItemID    *uuid.UUID
	Kind      RepairKind
	Reason    string
	// Move is set for RepairMove and RepairUndoMove.
	Move      *VersionMove
	CreatedBy uuid.UUID
	CreatedAt time.Time
}

// RepeatedBy reports whether a request with the id of the repair repeats it: its kind, process and task are the same.
func (r *Repair) RepeatedBy(process uuid.UUID, in RepairRequest) bool {
	return r.Kind == in.Kind && r.ProcessID == process && equalIDs(r.ItemID, in.ItemID)
}

// PointEventKind is the kind of an event after a repair point.
type PointEventKind string

// The kinds of events that happen again.
const (
	PointActivity PointEventKind = "ACTIVITY"
	PointTimer    PointEventKind = "TIMER"
	PointChild    PointEventKind = "CHILD_WORKFLOW"
	// PointSignal is a signal that the workflow receives again.
	PointSignal PointEventKind = "SIGNAL"
)

// RepairPoint is an event of a workflow's history from which it can continue. EventID ends a workflow task of the run
// EngineRun. Events are the first of the EventCount events that happen again.
type RepairPoint struct {
	EngineRun string
	EventID   int64
	At        time.Time
	// Cause is the event that the workflow task handled, such as a completed activity or a signal, and Name its name.
	Cause, Name string
	Events      []RepairPointEvent
	EventCount  int
}

// RepairPointEvent is an event after a point. Name is the type of an activity or workflow, the name of a signal, or the duration
// of a timer. ItemID is the item that a signal of the service is about.
type RepairPointEvent struct {
	Kind   PointEventKind
	Name   string
	At     time.Time
	ItemID *uuid.UUID
}

// Steps returns the names of the activities and child workflows that run again.
func (p *RepairPoint) Steps() []string {
	steps := []string{}
	for _, e := range p.Events {
		if e.Kind == PointActivity || e.Kind == PointChild {
			steps = append(steps, e.Name)
		}
	}
	return steps
}
