package procession

import (
	"context"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/procession-dev/procession/sdk/rest"
)

// operationPrefix begins the activity types of the API's operations, spelled as the TypeScript and Python SDKs spell them.
const operationPrefix = "KuFlow_Engine_"

// The other SDKs do not have createProcessActivity.
const createProcessActivity = "Procession_createProcess"

const (
	// operationLost is the time without a heartbeat after which Temporal retries an operation: its task was lost with a host or a worker.
	operationLost      = 8 * time.Second
	heartbeatsEachLost = 4
)

// keepAlive sends heartbeats of an activity until stop is called, if its caller demands them.
func keepAlive(ctx context.Context) (stop func()) {
	if !activity.IsActivity(ctx) || activity.GetInfo(ctx).HeartbeatTimeout <= 0 {
		return func() {}
	}
	ended := make(chan struct{})
	heartbeats := time.NewTicker(activity.GetInfo(ctx).HeartbeatTimeout / heartbeatsEachLost)
	go func() {
		defer heartbeats.Stop()
		for {
			select {
			case <-heartbeats.C:
				activity.RecordHeartbeat(ctx)
			case <-ended:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(ended) }
}

func isOperation(name string) bool {
	return strings.HasPrefix(name, operationPrefix) || name == createProcessActivity
}

// registerOperation registers the activity of an operation.
func registerOperation[Req, Res any](w *Worker, name string, f func(context.Context, Req) (Res, error)) {
	RegisterActivity(w, operationPrefix+name, f)
}

// registerOperations registers the activities of all operations.
func registerOperations(w *Worker) {
	registerProcessOperations(w, w.client)
	registerItemOperations(w, w.client)
	registerArtifactOperations(w, w.client)
}

func processOf(answer rest.Process, err error) (ProcessResponse, error) {
	return ProcessResponse{answer}, err
}

func registerProcessOperations(w *Worker, c *Client) {
	registerOperation(w, "retrievePrincipal", func(ctx context.Context, r PrincipalRequest) (PrincipalResponse, error) {
		principal, err := Decode[rest.Principal](c.RetrievePrincipal(ctx, r.PrincipalID))
		return PrincipalResponse{principal}, err
	})
	registerOperation(w, "retrieveTenantUser", func(ctx context.Context, r TenantUserRequest) (TenantUserResponse, error) {
		user, err := Decode[rest.TenantUser](c.RetrieveTenantUser(ctx, r.TenantUserID))
		return TenantUserResponse{user}, err
	})
	RegisterActivity(w, createProcessActivity, func(ctx context.Context, r rest.ProcessCreateParams) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.CreateProcess(ctx, r)))
	})
	registerOperation(w, "findProcesses", func(ctx context.Context, r FindProcesses) (ProcessesResponse, error) {
		page, err := Decode[rest.ProcessPage](c.FindProcesses(ctx, &rest.FindProcessesParams{
			Page: r.Page, Size: r.Size, Sort: r.Sorts, TenantID: r.TenantIDs, State: r.States,
			ProcessDefinitionID: r.ProcessDefinitionIDs, ProcessDefinitionCode: r.ProcessDefinitionCodes,
			InitiatorID: r.InitiatorIDs, InitiatorEmail: r.InitiatorEmails, Metadata: r.Metadata,
		}))
		return ProcessesResponse{page}, err
	})
	registerOperation(w, "retrieveProcess", func(ctx context.Context, r ProcessRequest) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.RetrieveProcess(ctx, r.ProcessID)))
	})
	registerOperation(w, "updateProcessEntity", func(ctx context.Context, r UpdateEntity) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.UpdateProcessEntity(ctx, r.ProcessID, rest.ProcessEntityUpdateParams{Entity: r.Entity})))
	})
	registerOperation(w, "patchProcessEntity", func(ctx context.Context, r PatchProcess) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.PatchProcessEntityWithApplicationJSONPatchPlusJSONBody(ctx, r.ProcessID, r.JSONPatch)))
	})
	registerOperation(w, "updateProcessMetadata", func(ctx context.Context, r UpdateMetadata) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.UpdateProcessMetadata(ctx, r.ProcessID, rest.ProcessMetadataUpdateParams{Metadata: r.Metadata})))
	})
	registerOperation(w, "patchProcessMetadata", func(ctx context.Context, r PatchProcess) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.PatchProcessMetadataWithApplicationJSONPatchPlusJSONBody(ctx, r.ProcessID, r.JSONPatch)))
	})
	registerOperation(w, "changeProcessInitiator", func(ctx context.Context, r ChangeInitiator) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.ChangeProcessInitiator(ctx, r.ProcessID, r.ProcessChangeInitiatorParams)))
	})
	registerOperation(w, "cancelProcessItems", func(ctx context.Context, r CancelItems) (ProcessResponse, error) {
		return processOf(Decode[rest.Process](c.CancelProcessProcessItems(ctx, r.ProcessID,
			&rest.CancelProcessProcessItemsParams{ProcessItemID: r.ProcessItemIDs})))
	})
	registerOperation(w, "createProcessAction", func(ctx context.Context, r CreateProcessAction) (ProcessActionResponse, error) {
		action, err := Decode[rest.ProcessAction](c.CreateProcessAction(ctx, r.ProcessID, r.ProcessActionCreateParams))
		return ProcessActionResponse{action}, err
	})
	registerOperation(w, "retrieveProcessAction", func(ctx context.Context, r ProcessActionRequest) (ProcessActionResponse, error) {
		action, err := Decode[rest.ProcessAction](c.RetrieveProcessAction(ctx, r.ProcessID, r.ProcessActionID))
		return ProcessActionResponse{action}, err
	})
	registerOperation(w, "cancelProcessAction", func(ctx context.Context, r ProcessActionRequest) (ProcessActionResponse, error) {
		action, err := Decode[rest.ProcessAction](c.CancelProcessAction(ctx, r.ProcessID, r.ProcessActionID))
		return ProcessActionResponse{action}, err
	})
}

func itemOf(answer rest.ProcessItem, err error) (ItemResponse, error) {
	return ItemResponse{answer}, err
}

func registerItemOperations(w *Worker, c *Client) {
	registerOperation(w, "findProcessItems", func(ctx context.Context, r FindItems) (ItemsResponse, error) {
		page, err := Decode[rest.ProcessItemPage](c.FindProcessItems(ctx, &rest.FindProcessItemsParams{
			Page: r.Page, Size: r.Size, Sort: r.Sorts, TenantID: r.TenantIDs, ProcessID: r.ProcessIDs, Type: r.Types,
			TaskState: r.TaskStates, ProcessItemDefinitionCode: r.ProcessItemDefinitionCodes,
			ProcessDefinitionID: r.ProcessDefinitionIDs, ProcessDefinitionCode: r.ProcessDefinitionCodes,
			TaskPriority: r.TaskPriorities, TaskDueBefore: r.TaskDueBefore, TaskDueAfter: r.TaskDueAfter, TaskOverdue: r.TaskOverdue,
		}))
		return ItemsResponse{page}, err
	})
	registerOperation(w, "retrieveProcessItem", func(ctx context.Context, r ItemRequest) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.RetrieveProcessItem(ctx, r.ProcessItemID)))
	})
	registerOperation(w, "createProcessItem", func(ctx context.Context, r rest.ProcessItemCreateParams) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.CreateProcessItem(ctx, r)))
	})
	registerOperation(w, "completeProcessItemTask", func(ctx context.Context, r ItemRequest) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.CompleteProcessItemTask(ctx, r.ProcessItemID)))
	})
	registerOperation(w, "claimProcessItemTask", func(ctx context.Context, r ItemRequest) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.ClaimProcessItemTask(ctx, r.ProcessItemID)))
	})
	registerOperation(w, "assignProcessItemTask", func(ctx context.Context, r AssignTask) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.AssignProcessItemTask(ctx, r.ProcessItemID, r.ProcessItemTaskAssignParams)))
	})
	registerOperation(w, "delegateProcessItemTask", func(ctx context.Context, r DelegateTask) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.DelegateProcessItemTask(ctx, r.ProcessItemID, r.ProcessItemTaskDelegateParams)))
	})
	registerOperation(w, "releaseProcessItemTask", func(ctx context.Context, r ItemRequest) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.ReleaseProcessItemTask(ctx, r.ProcessItemID)))
	})
	registerOperation(w, "updateProcessItemTaskPlanning", func(ctx context.Context, r PlanTask) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.UpdateProcessItemTaskPlanning(ctx, r.ProcessItemID, r.ProcessItemTaskPlanningParams)))
	})
	registerOperation(w, "updateProcessItemTaskData", func(ctx context.Context, r UpdateTaskData) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.UpdateProcessItemTaskData(ctx, r.ProcessItemID,
			rest.ProcessItemTaskDataUpdateParams{Data: r.Data})))
	})
	registerOperation(w, "patchProcessItemTaskData", func(ctx context.Context, r PatchTaskData) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.PatchProcessItemTaskDataWithApplicationJSONPatchPlusJSONBody(ctx, r.ProcessItemID, r.JSONPatch)))
	})
	registerOperation(w, "updateProcessItemTaskContextData", func(ctx context.Context, r UpdateTaskData) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.UpdateProcessItemTaskContextData(ctx, r.ProcessItemID,
			rest.ProcessItemTaskContextDataUpdateParams{Data: r.Data})))
	})
	registerOperation(w, "appendProcessItemTaskLog", func(ctx context.Context, r AppendTaskLog) (ItemResponse, error) {
		return itemOf(Decode[rest.ProcessItem](c.AppendProcessItemTaskLog(ctx, r.ProcessItemID,
			rest.ProcessItemTaskAppendLogParams{Message: r.Message, Level: r.Level})))
	})
	registerOperation(w, "generateProcessItemAiAssistance", func(ctx context.Context, r GenerateAssistance) (AssistanceResponse, error) {
		run, err := Decode[rest.ProcessItemAiAssistance](c.GenerateProcessItemAiAssistance(ctx, r.ProcessItemID,
			rest.ProcessItemAiAssistanceGenerateParams{RequestID: r.RequestID}))
		return AssistanceResponse{run}, err
	})
	registerOperation(w, "retrieveProcessItemAiAssistance", func(ctx context.Context, r ItemRequest) (AssistanceResponse, error) {
		run, err := Decode[rest.ProcessItemAiAssistance](c.RetrieveProcessItemAiAssistance(ctx, r.ProcessItemID))
		return AssistanceResponse{run}, err
	})
}

func artifactOf(answer rest.BusinessArtifact, err error) (ArtifactResponse, error) {
	return ArtifactResponse{answer}, err
}

func artifactActionOf(answer rest.BusinessArtifactAction, err error) (ArtifactAction, error) {
	return ArtifactAction{answer}, err
}

func registerArtifactOperations(w *Worker, c *Client) {
	registerOperation(w, "findBusinessArtifacts", func(ctx context.Context, r FindArtifacts) (ArtifactsResponse, error) {
		page, err := Decode[rest.BusinessArtifactPage](c.FindBusinessArtifacts(ctx, &rest.FindBusinessArtifactsParams{
			Page: r.Page, Size: r.Size, Sort: r.Sorts, TenantID: r.TenantIDs, Value: r.Values,
			BusinessArtifactDefinitionID:   r.BusinessArtifactDefinitionIDs,
			BusinessArtifactDefinitionCode: r.BusinessArtifactDefinitionCodes,
		}))
		return ArtifactsResponse{page}, err
	})
	registerOperation(w, "createBusinessArtifact", func(ctx context.Context, r rest.BusinessArtifactCreateParams) (ArtifactResponse, error) {
		return artifactOf(Decode[rest.BusinessArtifact](c.CreateBusinessArtifact(ctx, r)))
	})
	registerOperation(w, "retrieveBusinessArtifact", func(ctx context.Context, r ArtifactRequest) (ArtifactResponse, error) {
		return artifactOf(Decode[rest.BusinessArtifact](c.RetrieveBusinessArtifact(ctx, r.BusinessArtifactID)))
	})
	registerOperation(w, "deleteBusinessArtifact", func(ctx context.Context, r ArtifactRequest) (struct{}, error) {
		response, err := c.DeleteBusinessArtifact(ctx, r.BusinessArtifactID)
		if err == nil {
			err = response.Body.Close()
		}
		return struct{}{}, err
	})
	registerOperation(w, "updateBusinessArtifact", func(ctx context.Context, r UpdateArtifact) (ArtifactResponse, error) {
		return artifactOf(Decode[rest.BusinessArtifact](c.UpdateBusinessArtifactData(ctx, r.BusinessArtifactID,
			rest.BusinessArtifactDataUpdateParams{Data: r.Data})))
	})
	registerOperation(w, "patchBusinessArtifact", func(ctx context.Context, r PatchArtifact) (ArtifactResponse, error) {
		return artifactOf(Decode[rest.BusinessArtifact](c.PatchBusinessArtifactDataWithApplicationJSONPatchPlusJSONBody(ctx,
			r.BusinessArtifactID, r.JSONPatch)))
	})
	registerOperation(w, "createBusinessArtifactAction", func(ctx context.Context, r CreateArtifactAction) (ArtifactAction, error) {
		return artifactActionOf(Decode[rest.BusinessArtifactAction](c.CreateBusinessArtifactAction(ctx, r.BusinessArtifactID,
			r.BusinessArtifactActionCreateParams)))
	})
	registerOperation(w, "retrieveBusinessArtifactAction", func(ctx context.Context, r ArtifactActionID) (ArtifactAction, error) {
		return artifactActionOf(Decode[rest.BusinessArtifactAction](c.RetrieveBusinessArtifactAction(ctx, r.BusinessArtifactID,
			r.BusinessArtifactActionID)))
	})
	registerOperation(w, "cancelBusinessArtifactAction", func(ctx context.Context, r ArtifactActionID) (ArtifactAction, error) {
		return artifactActionOf(Decode[rest.BusinessArtifactAction](c.CancelBusinessArtifactAction(ctx, r.BusinessArtifactID,
			r.BusinessArtifactActionID)))
	})
	registerOperation(w, "prepareBusinessArtifactCreateArtifact", func(ctx context.Context, r PrepareCreateArtifact) (PrepareCreateArtifactResponse, error) {
		prepared, err := Decode[rest.BusinessArtifactCreateArtifactPrepare](c.PrepareBusinessArtifactCreateArtifact(ctx,
			r.BusinessArtifactID, r.BusinessArtifactCreateArtifactPrepareParams))
		return PrepareCreateArtifactResponse{prepared}, err
	})
}
