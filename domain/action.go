package domain

import (
	"time"

	"github.com/google/uuid"
)

// ActionStatus is how far an action has got.
type ActionStatus string

// The statuses. All but REQUESTED are final.
const (
	ActionRequested ActionStatus = "REQUESTED"
	ActionCompleted ActionStatus = "COMPLETED"
	ActionCanceled  ActionStatus = "CANCELED"
	ActionError     ActionStatus = "ERROR"
)

// ActionDefinitionRef names the action of a definition that was invoked.
type ActionDefinitionRef struct {
	ID   uuid.UUID
	Code string
}

// NewActionDefinitionRef names an action of a definition, which knows it by its
// code only.
func NewActionDefinitionRef(definition uuid.UUID, code string) ActionDefinitionRef {
	return ActionDefinitionRef{ID: uuid.NewSHA1(definition, []byte("action/"+code)), Code: code}
}

// Action is what an action that was invoked on a process and one on a business
// artifact have in common. Started is the process that it started. DocumentID
// and DocumentURI are those of a completed DOWNLOADABLE, DocumentExpired says
// that the document is not kept any longer. Failure tells administrators why the
// action is in ERROR, and Errors the caller where that became known within the
// invocation.
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

// Complete moves a REQUESTED action to COMPLETED and reports whether that
// changed it. A result that comes after the end is dropped.
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

// Refuse moves a REQUESTED action to ERROR for a reason that its caller may know.
func (a *Action) Refuse(reason *Error, by uuid.UUID, now time.Time) {
	if !a.Fail(reason.Message, by, now) {
		return
	}
	if a.Errors = reason.Details; len(a.Errors) == 0 {
		a.Errors = []Detail{{Code: reason.Code, Message: reason.Message}}
	}
}

// Deliver gives the action the document that it ends with, and the text by which
// clients refer to it.
func (a *Action) Deliver(document uuid.UUID, uri string) {
	a.DocumentID, a.DocumentURI = &document, uri
}

// end is the only way out of REQUESTED, and there is none out of what it leads
// to.
func (a *Action) end(as ActionStatus, by uuid.UUID, now time.Time) bool {
	if a.Status != ActionRequested {
		return false
	}
	a.Status, a.FinishedAt = as, &now
	a.touch(by, now)
	return true
}
