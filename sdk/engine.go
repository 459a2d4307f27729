package procession

import (
	"time"

	"github.com/google/uuid"
)

// Arguments of the workflows that the service starts, one each, and their results.
type (
	// WorkflowRequest starts the workflow of a process.
	WorkflowRequest struct {
		ProcessID       uuid.UUID      `json:"processId"`
		RequestTime     time.Time      `json:"requestTime,omitzero"`
		RequestTimeZone string         `json:"requestTimeZone,omitempty"`
		Extras          map[string]any `json:"extras,omitempty"`
	}
	// WorkflowResponse is the result of a workflow of a process, of a user action or of a robot. When the workflow of a
	// process returns it, the service completes the process.
	WorkflowResponse struct {
		Message string `json:"message"`
	}

	// UserActionRequest starts the workflow of a user action on a process (START_WORKFLOW or DOWNLOADABLE).
	// UserActionID is the invocation, to which Client.UploadActionDocument delivers.
	UserActionRequest struct {
		ProcessID                uuid.UUID      `json:"processId"`
		UserActionDefinitionType string         `json:"userActionDefinitionType,omitempty"`
		UserActionDefinitionCode string         `json:"userActionDefinitionCode,omitempty"`
		UserActionID             uuid.UUID      `json:"userActionId"`
		RequestorPrincipalID     uuid.UUID      `json:"requestorPrincipalId"`
		RequestTime              time.Time      `json:"requestTime,omitzero"`
		RequestTimeZone          string         `json:"requestTimeZone,omitempty"`
		Extras                   map[string]any `json:"extras,omitempty"`
	}

	// RobotRequest starts the workflow of a robot on a task.
	RobotRequest struct {
		ProcessID       uuid.UUID      `json:"processId"`
		ProcessItemID   uuid.UUID      `json:"processItemId"`
		RobotID         uuid.UUID      `json:"robotId"`
		RobotOperation  string         `json:"robotOperation,omitempty"`
		RequestTime     time.Time      `json:"requestTime,omitzero"`
		RequestTimeZone string         `json:"requestTimeZone,omitempty"`
		Extras          map[string]any `json:"extras,omitempty"`
	}

	// ArtifactActionRequest starts the workflow of an action on a business artifact (START_WORKFLOW or DOWNLOADABLE).
	// BusinessArtifactActionValueID is the id of the action.
	ArtifactActionRequest struct {
		BusinessArtifactID                   uuid.UUID      `json:"businessArtifactId"`
		BusinessArtifactActionDefinitionType string         `json:"businessArtifactActionDefinitionType,omitempty"`
		BusinessArtifactActionDefinitionCode string         `json:"businessArtifactActionDefinitionCode,omitempty"`
		BusinessArtifactActionValueID        uuid.UUID      `json:"businessArtifactActionValueId"`
		RequestorPrincipalID                 uuid.UUID      `json:"requestorPrincipalId"`
		RequestTime                          time.Time      `json:"requestTime,omitzero"`
		RequestTimeZone                      string         `json:"requestTimeZone,omitempty"`
		Extras                               map[string]any `json:"extras,omitempty"`
	}
	// ArtifactActionResponse completes an action on a business artifact. Downloadable is for actions that deliver a
	// document.
	ArtifactActionResponse struct {
		Message      string        `json:"message"`
		Downloadable *Downloadable `json:"downloadable,omitempty"`
	}
	// Downloadable names the document that an action delivers, as Client.UploadArtifactDocument returns it.
	Downloadable struct {
		DocumentURI string `json:"documentUri"`
	}
)

// itemSignalName is the signal by which the service notifies the workflow of a process of its items.
const itemSignalName = "KuFlow_Engine_Signal_Process_Item"

// ItemSignal is the argument of that signal. For an item of type TASK it means that the task is completed, for a MESSAGE
// or a THREAD that a user created it.
type ItemSignal struct {
	ID      uuid.UUID `json:"id"`
	Type    string    `json:"type"`
	Payload struct {
		ProcessItemDefinitionCode       string `json:"processItemDefinitionCode,omitempty"`
		DataStructureDataDefinitionCode string `json:"dataStructureDataDefinitionCode,omitempty"`
	} `json:"payload"`
	RequestTime     time.Time `json:"requestTime,omitzero"`
	RequestTimeZone string    `json:"requestTimeZone,omitempty"`
}

// ActionSignal is the argument of the signals that definitions name: an action of type SEND_WORKFLOW_SIGNAL. Receive it
// with workflow.GetSignalChannel and the name of the definition.
type ActionSignal struct {
	UserActionDefinitionCode string         `json:"userActionDefinitionCode"`
	Input                    map[string]any `json:"input,omitempty"`
	RequestTime              time.Time      `json:"requestTime,omitzero"`
	RequestTimeZone          string         `json:"requestTimeZone,omitempty"`
}
