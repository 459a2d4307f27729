package customers

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/refusal"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Activities calls the service on behalf of the workflows. Each may run several times for one call of a workflow.
type Activities struct {
	API *restapi.Client
}

// Register adds the workflows and their activities, under their contract names, to a worker or a test environment.
func (a *Activities) Register(registry worker.Registry) {
	registry.RegisterWorkflowWithOptions(CustomerStatement, workflow.RegisterOptions{Name: StatementWorkflow})
	registry.RegisterWorkflowWithOptions(CustomerRecalculate, workflow.RegisterOptions{Name: RecalculateWorkflow})
	registry.RegisterActivityWithOptions(a.retrieveArtifact, activity.RegisterOptions{Name: activityRetrieveArtifact})
	registry.RegisterActivityWithOptions(a.patchArtifact, activity.RegisterOptions{Name: activityPatchArtifact})
	registry.RegisterActivityWithOptions(a.retrieveAction, activity.RegisterOptions{Name: activityRetrieveAction})
	registry.RegisterActivityWithOptions(a.uploadStatement, activity.RegisterOptions{Name: activityUploadStatement})
}

// WorkflowTypes lists what Register registers, for the registration with the service (B46).
func WorkflowTypes() []string { return []string{StatementWorkflow, RecalculateWorkflow} }

// ActivityTypes lists what Register registers, for the registration with the service (B46).
func ActivityTypes() []string {
	return []string{activityRetrieveArtifact, activityPatchArtifact, activityRetrieveAction, activityUploadStatement}
}

func (a *Activities) retrieveArtifact(ctx context.Context, request retrieveArtifactRequest) (artifactResponse, error) {
	artifact, err := a.API.RetrieveBusinessArtifact(ctx, request.BusinessArtifactID)
	return artifactResponse{artifact}, refusal.Failure(err)
}

func (a *Activities) patchArtifact(ctx context.Context, request patchArtifactRequest) (artifactResponse, error) {
	artifact, err := a.API.PatchBusinessArtifactData(ctx, request.BusinessArtifactID, request.JSONPatch)
	return artifactResponse{artifact}, refusal.Failure(err)
}

func (a *Activities) retrieveAction(ctx context.Context, request retrieveActionRequest) (actionResponse, error) {
	action, err := a.API.RetrieveBusinessArtifactAction(ctx, request.BusinessArtifactID, request.BusinessArtifactActionID)
	return actionResponse{action}, refusal.Failure(err)
}

// uploadStatement writes the statement and uploads it in one go: a document has no place in a workflow's history. What
// an attempt uploaded before it was repeated is deleted by the service after two hours.
func (a *Activities) uploadStatement(ctx context.Context, request uploadStatementRequest) (Downloadable, error) {
	content, err := statement(request.Month, request.Customer)
	if err != nil {
		return Downloadable{}, err
	}
	uri, err := a.API.UploadBusinessArtifactDocument(ctx, request.BusinessArtifactID, "statement.csv", "text/csv", content)
	return Downloadable{DocumentURI: uri}, refusal.Failure(err)
}
