package domain

import (
	"time"

	"github.com/google/uuid"
)

// ArtifactActionType is the type of an action on a business artifact.
type ArtifactActionType string

// The types of action. Workers carry out the first two.
const (
	ArtifactActionStartWorkflow  ArtifactActionType = "START_WORKFLOW"
	ArtifactActionDownloadable   ArtifactActionType = "DOWNLOADABLE"
	ArtifactActionStartProcess   ArtifactActionType = "START_PROCESS"
	ArtifactActionCreateArtifact ArtifactActionType = "CREATE_BUSINESS_ARTIFACT"
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

// BusinessArtifactAction is an action that was invoked on a business artifact
// (specification section 2.16). Input is that of START_WORKFLOW and
// DOWNLOADABLE, ProcessID what START_PROCESS started, CreatedDefinition,
// CreatedID and Value what CREATE_BUSINESS_ARTIFACT created. DocumentID and
// DocumentURI are those of a completed DOWNLOADABLE, DocumentExpired says that
// the document is not kept any longer. Failure tells administrators why the
// action is in ERROR.
type BusinessArtifactAction struct {
	ID                  uuid.UUID
	TenantID            uuid.UUID
	ArtifactID          uuid.UUID
	Type                ArtifactActionType
	Status              ActionStatus
	Definition          ArtifactDefinitionRef
	Input               *JSONValue
	ProcessDefinitionID *uuid.UUID
	ProcessID           *uuid.UUID
	CreatedDefinition   *ArtifactDefinitionRef
	CreatedID           *uuid.UUID
	Value               []byte
	DocumentID          *uuid.UUID
	DocumentURI         string
	DocumentExpired     bool
	Failure             string
	FinishedAt          *time.Time
	Audit
}

// ArtifactActionID is the id of an action of an artifact definition, which knows
// it by its code only.
func ArtifactActionID(definition uuid.UUID, code string) uuid.UUID {
	return uuid.NewSHA1(definition, []byte("action/"+code))
}

// Complete moves a REQUESTED action to COMPLETED and reports whether that
// changed it. A result that comes after the end is dropped.
func (a *BusinessArtifactAction) Complete(by uuid.UUID, now time.Time) bool {
	return a.end(ActionCompleted, by, now)
}

// Cancel moves a REQUESTED action to CANCELED and reports whether that changed
// it.
func (a *BusinessArtifactAction) Cancel(by uuid.UUID, now time.Time) bool {
	return a.end(ActionCanceled, by, now)
}

// Fail moves a REQUESTED action to ERROR for the reason and reports whether that
// changed it.
func (a *BusinessArtifactAction) Fail(reason string, by uuid.UUID, now time.Time) bool {
	changed := a.end(ActionError, by, now)
	if changed {
		a.Failure = reason
	}
	return changed
}

// end is the only way out of REQUESTED, and there is none out of what it leads
// to.
func (a *BusinessArtifactAction) end(as ActionStatus, by uuid.UUID, now time.Time) bool {
	if a.Status != ActionRequested {
		return false
	}
	a.Status, a.FinishedAt = as, &now
	a.touch(by, now)
	return true
}
