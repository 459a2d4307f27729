package procession

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/sdk/rest"
)

// Requests and responses of the activities, equal to the types of the other SDKs. Workflows seldom need them, because the
// functions of this package call the activities. Execute calls the remaining ones:
//
//	found, err := procession.Execute[procession.ProcessesResponse](ctx, "findProcesses", procession.FindProcesses{States: …})
type (
	// PrincipalRequest is the request of retrievePrincipal, PrincipalResponse its response.
	PrincipalRequest struct {
		PrincipalID uuid.UUID `json:"principalId"`
	}
	// PrincipalResponse is described with PrincipalRequest.
	PrincipalResponse struct {
		Principal rest.Principal `json:"principal"`
	}
	// TenantUserRequest is the request of retrieveTenantUser, TenantUserResponse its response.
	TenantUserRequest struct {
		TenantUserID uuid.UUID `json:"tenantUserId"`
	}
	// TenantUserResponse is described with TenantUserRequest.
	TenantUserResponse struct {
		TenantUser rest.TenantUser `json:"tenantUser"`
	}

	// ProcessRequest is the request of retrieveProcess.
	ProcessRequest struct {
		ProcessID uuid.UUID `json:"processId"`
	}
	// ProcessResponse is the response of all operations that return a process.
	ProcessResponse struct {
		Process rest.Process `json:"process"`
	}
	// FindProcesses is the request of findProcesses; its response is ProcessesResponse.
	FindProcesses struct {
		Page                   *int                `json:"page,omitempty"`
		Size                   *int                `json:"size,omitempty"`
		Sorts                  []string            `json:"sorts,omitempty"`
		TenantIDs              []uuid.UUID         `json:"tenantIds,omitempty"`
		ProcessDefinitionIDs   []uuid.UUID         `json:"processDefinitionIds,omitempty"`
		ProcessDefinitionCodes []string            `json:"processDefinitionCodes,omitempty"`
		States                 []rest.ProcessState `json:"states,omitempty"`
		InitiatorIDs           []uuid.UUID         `json:"initiatorIds,omitempty"`
		InitiatorEmails        []string            `json:"initiatorEmails,omitempty"`
		Metadata               []string            `json:"metadata,omitempty"`
	}
	// ProcessesResponse is the response of findProcesses.
	ProcessesResponse struct {
		Processes rest.ProcessPage `json:"processes"`
	}
	// UpdateEntity is the request of updateProcessEntity.
	UpdateEntity struct {
		ProcessID uuid.UUID      `json:"processId"`
		Entity    rest.JSONValue `json:"entity"`
	}
	// UpdateMetadata is the request of updateProcessMetadata.
	UpdateMetadata struct {
		ProcessID uuid.UUID      `json:"processId"`
		Metadata  rest.JSONValue `json:"metadata"`
	}
	// PatchProcess is the request of patchProcessEntity and patchProcessMetadata. Paths point into the value.
	PatchProcess struct {
		ProcessID uuid.UUID      `json:"processId"`
		JSONPatch rest.JSONPatch `json:"jsonPatch"`
	}
	// ChangeInitiator is the request of changeProcessInitiator, with the id or the e-mail address of the new initiator.
	ChangeInitiator struct {
		ProcessID uuid.UUID `json:"processId"`
		rest.ProcessChangeInitiatorParams
	}
	// CancelItems is the request of cancelProcessItems.
	CancelItems struct {
		ProcessID      uuid.UUID   `json:"processId"`
		ProcessItemIDs []uuid.UUID `json:"processItemIds"`
	}
	// CreateProcessAction is the request of createProcessAction.
	CreateProcessAction struct {
		ProcessID uuid.UUID `json:"processId"`
		rest.ProcessActionCreateParams
	}
	// ProcessActionRequest is the request of retrieveProcessAction and cancelProcessAction.
	ProcessActionRequest struct {
		ProcessID       uuid.UUID `json:"processId"`
		ProcessActionID uuid.UUID `json:"processActionId"`
	}
	// ProcessActionResponse is the response of the operations on a process action.
	ProcessActionResponse struct {
		ProcessAction rest.ProcessAction `json:"processAction"`
	}
)

// Requests and responses about process items.
type (
	// ItemRequest is the request of retrieveProcessItem, claimProcessItemTask, completeProcessItemTask,
	// releaseProcessItemTask and retrieveProcessItemAiAssistance.
	ItemRequest struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
	}
	// ItemResponse is the response of all operations that return an item. createProcessItem takes
	// rest.ProcessItemCreateParams.
	ItemResponse struct {
		ProcessItem rest.ProcessItem `json:"processItem"`
	}
	// FindItems is the request of findProcessItems; its response is ItemsResponse. Lists leave out the data of tasks.
	FindItems struct {
		Page                       *int                           `json:"page,omitempty"`
		Size                       *int                           `json:"size,omitempty"`
		Sorts                      []string                       `json:"sorts,omitempty"`
		TenantIDs                  []uuid.UUID                    `json:"tenantIds,omitempty"`
		ProcessIDs                 []uuid.UUID                    `json:"processIds,omitempty"`
		Types                      []rest.ProcessItemType         `json:"types,omitempty"`
		TaskStates                 []rest.ProcessItemTaskState    `json:"taskStates,omitempty"`
		ProcessItemDefinitionCodes []string                       `json:"processItemDefinitionCodes,omitempty"`
		ProcessDefinitionIDs       []uuid.UUID                    `json:"processDefinitionIds,omitempty"`
		ProcessDefinitionCodes     []string                       `json:"processDefinitionCodes,omitempty"`
		TaskPriorities             []rest.ProcessItemTaskPriority `json:"taskPriorities,omitempty"`
		TaskDueBefore              *time.Time                     `json:"taskDueBefore,omitempty"`
		TaskDueAfter               *time.Time                     `json:"taskDueAfter,omitempty"`
		TaskOverdue                *bool                          `json:"taskOverdue,omitempty"`
	}
	// ItemsResponse is the response of findProcessItems.
	ItemsResponse struct {
		ProcessItems rest.ProcessItemPage `json:"processItems"`
	}
	// AssignTask is the request of assignProcessItemTask, with the id or the e-mail address of the new owner.
	AssignTask struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
		rest.ProcessItemTaskAssignParams
	}
	// DelegateTask is the request of delegateProcessItemTask, with the id or the e-mail address of the new owner.
	DelegateTask struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
		rest.ProcessItemTaskDelegateParams
	}
	// PlanTask is the request of updateProcessItemTaskPlanning. Absent members are cleared.
	PlanTask struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
		rest.ProcessItemTaskPlanningParams
	}
	// UpdateTaskData is the request of updateProcessItemTaskData and updateProcessItemTaskContextData.
	UpdateTaskData struct {
		ProcessItemID uuid.UUID      `json:"processItemId"`
		Data          rest.JSONValue `json:"data"`
	}
	// PatchTaskData is the request of patchProcessItemTaskData. Paths point into the value.
	PatchTaskData struct {
		ProcessItemID uuid.UUID      `json:"processItemId"`
		JSONPatch     rest.JSONPatch `json:"jsonPatch"`
	}
	// AppendTaskLog is the request of appendProcessItemTaskLog.
	AppendTaskLog struct {
		ProcessItemID uuid.UUID                    `json:"processItemId"`
		Message       string                       `json:"message"`
		Level         rest.ProcessItemTaskLogLevel `json:"level"`
	}
	// GenerateAssistance is the request of generateProcessItemAiAssistance.
	GenerateAssistance struct {
		ProcessItemID uuid.UUID `json:"processItemId"`
		RequestID     uuid.UUID `json:"requestId"`
	}
	// AssistanceResponse is the response of generateProcessItemAiAssistance and retrieveProcessItemAiAssistance.
	AssistanceResponse struct {
		ProcessItemAiAssistance rest.ProcessItemAiAssistance `json:"processItemAiAssistance"`
	}
)

// Requests and responses about business artifacts.
type (
	// ArtifactRequest is the request of retrieveBusinessArtifact and deleteBusinessArtifact.
	ArtifactRequest struct {
		BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
	}
	// ArtifactResponse is the response of the operations that return an artifact. createBusinessArtifact takes
	// rest.BusinessArtifactCreateParams.
	ArtifactResponse struct {
		BusinessArtifact rest.BusinessArtifact `json:"businessArtifact"`
	}
	// FindArtifacts is the request of findBusinessArtifacts; its response is ArtifactsResponse.
	FindArtifacts struct {
		Page                            *int        `json:"page,omitempty"`
		Size                            *int        `json:"size,omitempty"`
		Sorts                           []string    `json:"sorts,omitempty"`
		TenantIDs                       []uuid.UUID `json:"tenantIds,omitempty"`
		BusinessArtifactDefinitionIDs   []uuid.UUID `json:"businessArtifactDefinitionIds,omitempty"`
		BusinessArtifactDefinitionCodes []string    `json:"businessArtifactDefinitionCodes,omitempty"`
		Values                          []string    `json:"values,omitempty"`
	}
	// ArtifactsResponse is the response of findBusinessArtifacts.
	ArtifactsResponse struct {
		BusinessArtifacts rest.BusinessArtifactPage `json:"businessArtifacts"`
	}
	// UpdateArtifact is the request of updateBusinessArtifact.
	UpdateArtifact struct {
		BusinessArtifactID uuid.UUID      `json:"businessArtifactId"`
		Data               rest.JSONValue `json:"data"`
	}
	// PatchArtifact is the request of patchBusinessArtifact. Paths point into the value.
	PatchArtifact struct {
		BusinessArtifactID uuid.UUID      `json:"businessArtifactId"`
		JSONPatch          rest.JSONPatch `json:"jsonPatch"`
	}
	// CreateArtifactAction is the request of createBusinessArtifactAction.
	CreateArtifactAction struct {
		BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
		rest.BusinessArtifactActionCreateParams
	}
	// ArtifactActionID is the request of retrieveBusinessArtifactAction and cancelBusinessArtifactAction.
	ArtifactActionID struct {
		BusinessArtifactID       uuid.UUID `json:"businessArtifactId"`
		BusinessArtifactActionID uuid.UUID `json:"businessArtifactActionId"`
	}
	// ArtifactAction is the response of the operations on an action of an artifact.
	ArtifactAction struct {
		BusinessArtifactAction rest.BusinessArtifactAction `json:"businessArtifactAction"`
	}
	// PrepareCreateArtifact is the request of prepareBusinessArtifactCreateArtifact.
	PrepareCreateArtifact struct {
		BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
		rest.BusinessArtifactCreateArtifactPrepareParams
	}
	// PrepareCreateArtifactResponse is the response of prepareBusinessArtifactCreateArtifact.
	PrepareCreateArtifactResponse struct {
		BusinessArtifactCreateArtifactPrepare rest.BusinessArtifactCreateArtifactPrepare `json:"businessArtifactCreateArtifactPrepare"`
	}
)
