package lending

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/refusal"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Activities calls the service on behalf of the workflow. Each may run several times for one call of the workflow.
type Activities struct {
	API *restapi.Client
}

// Register adds the loan workflow and its activities, under their contract names, to a worker or a test environment.
func (a *Activities) Register(registry worker.Registry) {
	registry.RegisterWorkflowWithOptions(SampleEngineWorkerLoanWorkflow, workflow.RegisterOptions{Name: WorkflowType})
	registry.RegisterActivityWithOptions(a.retrieveProcess, activity.RegisterOptions{Name: activityRetrieveProcess})
	registry.RegisterActivityWithOptions(a.patchProcessMetadata, activity.RegisterOptions{Name: activityPatchProcessMetadata})
	registry.RegisterActivityWithOptions(a.createProcessItem, activity.RegisterOptions{Name: activityCreateProcessItem})
	registry.RegisterActivityWithOptions(a.retrieveProcessItem, activity.RegisterOptions{Name: activityRetrieveProcessItem})
}

// WorkflowTypes lists what Register registers, for the registration with the service (B46).
func WorkflowTypes() []string { return []string{WorkflowType} }

// ActivityTypes lists what Register registers, for the registration with the service (B46).
func ActivityTypes() []string {
	return []string{
		activityRetrieveProcess, activityPatchProcessMetadata, activityCreateProcessItem, activityRetrieveProcessItem,
	}
}

func (a *Activities) retrieveProcess(ctx context.Context, request retrieveProcessRequest) (processResponse, error) {
	process, err := a.API.RetrieveProcess(ctx, request.ProcessID)
	return processResponse{process}, refusal.Failure(err)
}

func (a *Activities) patchProcessMetadata(ctx context.Context, request patchProcessMetadataRequest) (processResponse, error) {
	process, err := a.API.PatchProcessMetadata(ctx, request.ProcessID, request.JSONPatch)
	return processResponse{process}, refusal.Failure(err)
}

func (a *Activities) createProcessItem(ctx context.Context, request restapi.ProcessItemCreateParams) (processItemResponse, error) {
	item, err := a.API.CreateProcessItem(ctx, request)
	return processItemResponse{item}, refusal.Failure(err)
}

func (a *Activities) retrieveProcessItem(ctx context.Context, request retrieveProcessItemRequest) (processItemResponse, error) {
	item, err := a.API.RetrieveProcessItem(ctx, request.ProcessItemID)
	return processItemResponse{item}, refusal.Failure(err)
}
