// Package inspecting holds the process INSPECTION as a Temporal workflow and the activities it uses. It knows the
// service by the engine contract (names and payloads in this file) and by the REST API, and nothing else.
package inspecting

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

// Names that the process definition INSPECTION and the service fix.
const (
	WorkflowType        = "InspectionWorkflow"
	TaskQueue           = "QUEUE_INSPECTION"
	SignalCompletedTask = "KuFlow_Engine_Signal_Completed_Task"
)

// Activity types, spelled as the TypeScript and Python SDKs spell them.
const (
	activityCreateTask                = "KuFlow_Engine_createTask"
	activityCreateTaskAndWaitFinished = "KuFlow_Engine_createTaskAndWaitFinished"
	activityRetrieveTask              = "KuFlow_Engine_retrieveTask"
	activitySaveProcessElement        = "KuFlow_Engine_saveProcessElement"
)

// WorkflowRequest is the one argument that the service starts the workflow with. Members that newer workers know are
// ignored.
type WorkflowRequest struct {
	ProcessID uuid.UUID `json:"processId"`
}

// WorkflowResponse is the workflow's result. When the workflow returns it, the service completes the process.
type WorkflowResponse struct {
	Message string `json:"message"`
}

// Requests and responses of the activities.
type (
	createTaskRequest struct {
		Task restapi.Task `json:"task"`
	}
	retrieveTaskRequest struct {
		TaskID uuid.UUID `json:"taskId"`
	}
	taskResponse struct {
		Task restapi.Task `json:"task"`
	}
	saveProcessElementRequest struct {
		ProcessID uuid.UUID `json:"processId"`
		restapi.SaveElementCommand
	}
)
