package domain

import (
	"time"

	"github.com/google/uuid"
)

// ActionStatus is the status of an action.
type ActionStatus string

// The statuses. All but REQUESTED are final.
const (
	ActionRequested ActionStatus = "REQUESTED"
	ActionCompleted ActionStatus = "COMPLETED"
	ActionCanceled  ActionStatus = "CANCELED"
	ActionError     ActionStatus = "ERROR"
)

// ActionDefinitionRef identifies an action of a definition.
type ActionDefinitionRef struct {
	ID   uuid.UUID
	Code string
}

// NewActionDefinitionRef returns the reference to an action of a definition, in which the action is identified
// by its code only.
func NewActionDefinitionRef(definition uuid.UUID, code string) ActionDefinitionRef {
	return ActionDefinitionRef{ID: uuid.NewSHA1(definition, []byte("action/"+code)), Code: code}
}

// Action contains the common fields of actions on processes and business artifacts. Started is the process that it
// started. DocumentID and DocumentURI identify the document of a completed DOWNLOADABLE; DocumentExpired reports that
// it was removed. Failure is the reason of an ERROR for administrators, Errors the reason for the caller if it was
// known within the invocation.
type Action struct {
	ID              uuid.UUID
	TenantID        uuid.UUID
	Status          ActionStatus
	Definition      ActionDefinitionRef
	Started         *StartedProcess
	DocumentID      *uuid.UUID
	DocumentURI     string
	DocumentExpired bool
	Failure         string
	Errors          []Detail
	FinishedAt      *time.Time
	Audit
}

// StartedProcess is a process that an action started.
type StartedProcess struct {
	DefinitionID uuid.UUID
	ID           uuid.UUID
}

// Complete moves a REQUESTED action to COMPLETED and reports whether that changed it. A result after the end is
// discarded.
func (a *Action) Complete(by uuid.UUID, now time.Time) bool {
	return a.end(ActionCompleted, by, now)
}

// Cancel moves a REQUESTED action to CANCELED and reports whether that changed
// it.
func (a *Action) Cancel(by uuid.UUID, now time.Time) bool {
	return a.end(ActionCanceled, by, now)
}

// Fail moves a REQUESTED action to ERROR for the reason and reports whether that
// changed it.
func (a *Action) Fail(reason string, by uuid.UUID, now time.Time) bool {
	changed := a.end(ActionError, by, now)
	if changed {
		a.Failure = reason
	}
	return changed
}

// Refuse moves a REQUESTED action to ERROR for a reason that may be shown to its caller.
func (a *Action) Refuse(reason *Error, by uuid.UUID, now time.Time) {
	if !a.Fail(reason.Message, by, now) {
		return
	}
	if a.Errors = reason.Details; len(a.Errors) == 0 {
		a.Errors = []Detail{{Code: reason.Code, Message: reason.Message}}
	}
}

// Deliver sets the document with which the action ends, and the text by which clients refer to it.
func (a *Action) Deliver(document uuid.UUID, uri string) {
	a.DocumentID, a.DocumentURI = &document, uri
}

// end moves the action from REQUESTED to a final status. There is no other transition.
func (a *Action) end(as ActionStatus, by uuid.UUID, now time.Time) bool {
	if a.Status != ActionRequested {
		return false
	}
	a.Status, a.FinishedAt = as, &now
	a.touch(by, now)
	return true
}
