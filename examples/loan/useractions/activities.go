package useractions

import (
	"context"
	"strings"

	"github.com/google/uuid"
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
	registry.RegisterWorkflowWithOptions(LoanReport, workflow.RegisterOptions{Name: ReportWorkflow})
	registry.RegisterWorkflowWithOptions(LoanNudge, workflow.RegisterOptions{Name: NudgeWorkflow})
	registry.RegisterActivityWithOptions(a.uploadReport, activity.RegisterOptions{Name: activityUploadReport})
	registry.RegisterActivityWithOptions(a.remind, activity.RegisterOptions{Name: activityRemind})
}

// WorkflowTypes lists what Register registers, for the registration with the service (B46).
func WorkflowTypes() []string { return []string{ReportWorkflow, NudgeWorkflow} }

// ActivityTypes lists what Register registers, for the registration with the service (B46).
func ActivityTypes() []string { return []string{activityUploadReport, activityRemind} }

// uploadReport reads the loan, writes the report and uploads it.
func (a *Activities) uploadReport(ctx context.Context, request ActionRequest) (ActionResponse, error) {
	process, items, err := a.read(ctx, request.ProcessID)
	if err != nil {
		return ActionResponse{}, refusal.Failure(err)
	}
	content, err := report(process, items)
	if err != nil {
		return ActionResponse{}, err
	}
	taken, err := a.API.UploadProcessUserActionDocument(ctx, request.ProcessID, request.UserActionID,
		"loan.csv", "text/csv", content)
	if err != nil {
		return ActionResponse{}, refusal.Failure(err)
	}
	if !taken {
		return ActionResponse{Message: "The report is not waited for any longer"}, nil
	}
	return ActionResponse{Message: "The report is ready"}, nil
}

// read returns the process and its tasks, the oldest first, each with its data.
func (a *Activities) read(ctx context.Context, id uuid.UUID) (restapi.Process, []restapi.ProcessItem, error) {
	process, err := a.API.RetrieveProcess(ctx, id)
	if err != nil {
		return process, nil, err
	}
	listed, err := a.API.FindProcessItems(ctx, id)
	if err != nil {
		return process, nil, err
	}
	var tasks []restapi.ProcessItem
	for _, item := range listed {
		if item.Type != restapi.ItemTask {
			continue
		}
		whole, err := a.API.RetrieveProcessItem(ctx, item.ID)
		if err != nil {
			return process, nil, err
		}
		tasks = append(tasks, whole)
	}
	return process, tasks, nil
}

// remind creates a message whose id follows from the action: however often the activity is repeated, there is one.
func (a *Activities) remind(ctx context.Context, request ActionRequest) (ActionResponse, error) {
	process, err := a.API.RetrieveProcess(ctx, request.ProcessID)
	if err != nil {
		return ActionResponse{}, refusal.Failure(err)
	}
	if process.State != restapi.ProcessRunning {
		return ActionResponse{Message: "The loan is decided"}, nil
	}
	items, err := a.API.FindProcessItems(ctx, request.ProcessID)
	if err != nil {
		return ActionResponse{}, refusal.Failure(err)
	}
	var open []string
	for _, item := range items {
		if state := item.TaskState(); state == restapi.TaskReady || state == restapi.TaskClaimed {
			open = append(open, item.Code())
		}
	}
	if len(open) == 0 {
		return ActionResponse{Message: "No task is open"}, nil
	}
	text := "Waiting for " + strings.Join(open, ", ")
	_, err = a.API.CreateProcessItem(ctx, restapi.ProcessItemCreateParams{
		ID: uuid.NewSHA1(request.UserActionID, []byte("reminder")), Type: restapi.ItemMessage,
		ProcessID: request.ProcessID, ProcessItemDefinitionCode: "NOTE", Message: &restapi.MessageCreateParams{Text: text},
	})
	return ActionResponse{Message: text}, refusal.Failure(err)
}
