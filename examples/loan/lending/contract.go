// Package lending holds the loan process as a Temporal workflow and the activities it uses. It knows the service by
// the engine contract (names and payloads in this file) and by the REST API, and nothing else.
package lending

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Names that the process definition LOAN and the service fix.
const (
	WorkflowType      = "SampleEngineWorkerLoanWorkflow"
	TaskQueue         = "QUEUE_SAMPLE_LOAN"
	SignalProcessItem = "KuFlow_Engine_Signal_Process_Item"
)

// Activity types, spelled as the TypeScript and Python SDKs spell them.
const (
	activityRetrieveProcess      = "KuFlow_Engine_retrieveProcess"
	activityPatchProcessMetadata = "KuFlow_Engine_patchProcessMetadata"
	activityCreateProcessItem    = "KuFlow_Engine_createProcessItem"
	activityRetrieveProcessItem  = "KuFlow_Engine_retrieveProcessItem"
)

// WorkflowRequest is the one argument that the service starts a process workflow with. Members this workflow does not
// use (extras) are ignored.
type WorkflowRequest struct {
	ProcessID       string `json:"processId"`
	RequestTime     string `json:"requestTime,omitempty"`
	RequestTimeZone string `json:"requestTimeZone,omitempty"`
}

// WorkflowResponse is the workflow's result. When the workflow returns it, the service completes the process.
type WorkflowResponse struct {
	Message string `json:"message"`
}

// ProcessItemSignal is the argument of SignalProcessItem. For an item of type TASK it means that the task is completed.
type ProcessItemSignal struct {
	ID   uuid.UUID `json:"id"`
	Type string    `json:"type"`
}

// Requests and responses of the activities.
type (
	retrieveProcessRequest struct {
		ProcessID uuid.UUID `json:"processId"`
	}
	patchProcessMetadataRequest struct {
		ProcessID uuid.UUID                `json:"processId"`
		JSONPatch []restapi.PatchOperation `json:"jsonPatch"`
	}
	processResponse struct {
		Process restapi.Process `json:"process"`
	}
	retrieveProcessItemRequest struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
	}
	processItemResponse struct {
		ProcessItem restapi.ProcessItem `json:"processItem"`
	}
)
