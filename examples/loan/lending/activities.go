package lending

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// failureREST is the failure type of a refused REST call, as the public SDKs name it; its detail is the error body.
const failureREST = "KuFlowActivities.RestFailure"

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
	return processResponse{process}, failure(err)
}

func (a *Activities) patchProcessMetadata(ctx context.Context, request patchProcessMetadataRequest) (processResponse, error) {
	process, err := a.API.PatchProcessMetadata(ctx, request.ProcessID, request.JSONPatch)
	return processResponse{process}, failure(err)
}

func (a *Activities) createProcessItem(ctx context.Context, request restapi.ProcessItemCreateParams) (processItemResponse, error) {
	item, err := a.API.CreateProcessItem(ctx, request)
	return processItemResponse{item}, failure(err)
}

func (a *Activities) retrieveProcessItem(ctx context.Context, request retrieveProcessItemRequest) (processItemResponse, error) {
	item, err := a.API.RetrieveProcessItem(ctx, request.ProcessItemID)
	return processItemResponse{item}, failure(err)
}

// failure turns a REST error into what Temporal shall do about it: a refusal for good (4xx except 408 and 429) fails
// the workflow at once, everything else is tried again.
func failure(err error) error {
	refused, ok := errors.AsType[*restapi.ResponseError](err)
	if !ok {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), failureREST, temporal.ApplicationErrorOptions{
		NonRetryable: !refused.Temporary(),
		Details:      []any{refused.Body},
	})
}
