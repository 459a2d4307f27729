package domain

import (
	"encoding/json"
	"slices"
)

// UserActionPermission is a kind of permission to invoke a user action
// (specification section 2.14).
type UserActionPermission string

// The kinds. Each requires exactly the named relation: a Manager without the Viewer permission is no VIEWER.
const (
	UserActionInitiator UserActionPermission = "INITIATOR"
	UserActionViewer    UserActionPermission = "VIEWER"
	UserActionManager   UserActionPermission = "MANAGER"
)

// UserAction is an action of users on a process (specification section 2.12).
type UserAction struct {
	// Code is unique within the process definition, 1..50 characters.
	Code string `json:"code" right:"no"`
	// Name is the text of the menu, 1..50 characters.
	Name string `json:"name" right:"no"`
	// Type also restricts who may invoke the action: some types are for managers only.
	Type ProcessActionType `json:"type" right:"yes"`
	// Availability is a boolean jq expression in ${ … } (specification section
	// 2.13); always available unless given.
	Availability string `json:"availability,omitempty" right:"no"`
	// Permissions are alternatives: a principal needs one of them to invoke the action.
	Permissions []UserActionPermission `json:"permissions" right:"yes"`
	// WorkflowType and TaskQueue are for DOWNLOADABLE and START_WORKFLOW.
	WorkflowType string `json:"workflowType,omitempty" right:"no"`
	TaskQueue    string `json:"taskQueue,omitempty" right:"yes"`
	// ProcessDefinition is the code of the definition that START_RELATED_PROCESS starts.
	ProcessDefinition string `json:"processDefinition,omitempty" right:"no"`
	// Item is the code of the item definition that CREATE_TASK, CREATE_PROCESS_ITEM_MESSAGE and
	// CREATE_PROCESS_ITEM_THREAD create. A message needs none.
	Item string `json:"item,omitempty" right:"no"`
	// SignalName is the signal that SEND_WORKFLOW_SIGNAL sends.
	SignalName string `json:"signalName,omitempty" right:"no"`
	// I18n are the translations of its texts, by language and key.
	I18n json.RawMessage `json:"i18n,omitempty" right:"no"`
}

// UserActionRelations are the relations of a principal to a process, and the state of the process, that decide
// which user actions the principal may invoke.
type UserActionRelations struct {
	// Sees reports whether the process is visible to the principal, Deleted whether it is deleted.
	Sees, Deleted bool
	// Initiator is the initiator of the process; a Viewer has that permission on its definition; a Manager has
	// that permission or runs its workflow.
	Initiator, Viewer, Manager bool
	// StartsRelated reports whether the principal has the Initiator permission on the definition that the action
	// names, RelatedPublished whether that has a published version.
	StartsRelated, RelatedPublished bool
	// WorkflowOpen reports whether the workflow of the process can receive signals.
	WorkflowOpen bool
}

// Obstacle is a reason why a principal may not invoke a user action now.
type Obstacle string

// The obstacles, in the order in which they are reported.
const (
	ObstacleProcess      Obstacle = "PROCESS_NOT_VISIBLE"
	ObstaclePermission   Obstacle = "PERMISSION"
	ObstacleManager      Obstacle = "MANAGER_REQUIRED"
	ObstacleRelated      Obstacle = "RELATED_PROCESS_PERMISSION"
	ObstacleDeleted      Obstacle = "PROCESS_DELETED"
	ObstacleNotPublished Obstacle = "RELATED_PROCESS_NOT_PUBLISHED"
	ObstacleWorkflow     Obstacle = "WORKFLOW_ENDED"
	ObstacleUnavailable  Obstacle = "NOT_AVAILABLE"
	ObstacleExpression   Obstacle = "EXPRESSION_FAILED"
)

// Obstacles lists the reasons that prevent a principal from invoking the action, apart from its availability
// expression.
func (a *UserAction) Obstacles(r UserActionRelations) []Obstacle {
	var found []Obstacle
	hinders := func(holds bool, o Obstacle) {
		if holds {
			found = append(found, o)
		}
	}
	related := a.Type == ProcessActionStartRelatedProcess
	hinders(!r.Sees, ObstacleProcess)
	hinders(!slices.ContainsFunc(a.Permissions, r.has), ObstaclePermission)
	hinders(a.Type.forManagers() && !r.Manager, ObstacleManager)
	hinders(related && !r.StartsRelated, ObstacleRelated)
	hinders(r.Deleted, ObstacleDeleted)
	hinders(related && r.StartsRelated && !r.RelatedPublished, ObstacleNotPublished)
	hinders(a.Type == ProcessActionSendSignal && !r.WorkflowOpen, ObstacleWorkflow)
	return found
}

func (r *UserActionRelations) has(kind UserActionPermission) bool {
	switch kind {
	case UserActionInitiator:
		return r.Initiator
	case UserActionViewer:
		return r.Viewer
	case UserActionManager:
		return r.Manager
	}
	return false
}

// Refusal returns the error for the obstacle.
func (o Obstacle) Refusal() error {
	switch o {
	case ObstacleProcess:
		return NotFound("process")
	case ObstacleNotPublished:
		return Conflict(CodeDefinitionNotPublished, o.Message())
	case ObstacleDeleted, ObstacleWorkflow:
		return Conflict(CodeInvalidState, o.Message())
	case ObstacleUnavailable, ObstacleExpression:
		// The expression is not disclosed to callers of the action.
		return Denied("the action is not available now")
	case ObstaclePermission, ObstacleManager, ObstacleRelated:
	}
	return Denied(o.Message())
}

// Message returns the description of the obstacle.
func (o Obstacle) Message() string {
	switch o {
	case ObstacleProcess:
		return "the process is not visible"
	case ObstacleDeleted:
		return "the process is deleted"
	case ObstaclePermission:
		return "none of the permissions of the action is given"
	case ObstacleManager:
		return "the Manager permission on the process is required"
	case ObstacleRelated:
		return "the Initiator permission on the process definition is required"
	case ObstacleNotPublished:
		return "the process definition is not published"
	case ObstacleWorkflow:
		return "the process has no workflow that could be sent a signal"
	case ObstacleUnavailable:
		return "the availability expression is false"
	case ObstacleExpression:
		return "the availability expression failed"
	}
	return ""
}
