// Package useractions holds the user actions REPORT and NUDGE of the process LOAN.
package useractions

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// Workflow types that the definition LOAN names. Both run on the queue of the loans.
const (
	ReportWorkflow = "LoanReportWorkflow"
	NudgeWorkflow  = "LoanNudgeWorkflow"
)

// Activity types. Each does all that it is about in one go: documents and the data of people have no place in a
// workflow's history.
const (
	activityUploadReport = "Loan_uploadReport"
	activityRemind       = "Loan_remind"
)

// Register registers the actions with a worker.
func Register(w *procession.Worker) {
	procession.RegisterWorkflow(w, ReportWorkflow, withActivity(activityUploadReport))
	procession.RegisterWorkflow(w, NudgeWorkflow, withActivity(activityRemind))
	desk := &desk{w.Client()}
	procession.RegisterActivity(w, activityUploadReport, desk.uploadReport)
	procession.RegisterActivity(w, activityRemind, desk.remindOwners)
}

// withActivity returns the workflow of an action that one activity carries out.
func withActivity(activityType string) func(workflow.Context, procession.UserActionRequest) (procession.WorkflowResponse, error) {
	return func(ctx workflow.Context, request procession.UserActionRequest) (procession.WorkflowResponse, error) {
		return procession.Call[procession.WorkflowResponse](ctx, activityType, request)
	}
}

// desk calls the service on behalf of the workflows. Each activity may run several times for one call of a workflow.
type desk struct{ api *procession.Client }

// uploadReport reads the loan, writes the report and uploads it. The upload completes the action; an action that is over
// by then needs none.
func (d *desk) uploadReport(ctx context.Context, request procession.UserActionRequest) (procession.WorkflowResponse, error) {
	process, items, err := d.readProcess(ctx, request.ProcessID)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	content, err := renderReport(process, items)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	taken, err := d.api.UploadActionDocument(ctx, request.ProcessID, request.UserActionID,
		procession.Document{Name: "loan.csv", ContentType: "text/csv", Content: content})
	if err == nil && !taken {
		return procession.WorkflowResponse{Message: "The report is not waited for any longer"}, nil
	}
	return procession.WorkflowResponse{Message: "The report is ready"}, err
}

// readProcess returns the process and its tasks, the oldest first, each with its data.
func (d *desk) readProcess(ctx context.Context, id uuid.UUID) (rest.Process, []rest.ProcessItem, error) {
	process, err := procession.Decode[rest.Process](d.api.RetrieveProcess(ctx, id))
	if err != nil {
		return process, nil, err
	}
	listed, err := d.listItems(ctx, id)
	var tasks []rest.ProcessItem
	for _, item := range listed {
		if item.Type != rest.ProcessItemTypeTASK {
			continue
		}
		whole, err := procession.Decode[rest.ProcessItem](d.api.RetrieveProcessItem(ctx, item.ID))
		if err != nil {
			return process, nil, err
		}
		tasks = append(tasks, whole)
	}
	return process, tasks, err
}

// listItems lists the first hundred items, the oldest first.
func (d *desk) listItems(ctx context.Context, id uuid.UUID) ([]rest.ProcessItemPageItem, error) {
	page, err := procession.Decode[rest.ProcessItemPage](d.api.FindProcessItems(ctx, &rest.FindProcessItemsParams{
		Size: new(100), Sort: []string{"createdAt,asc"}, ProcessID: []uuid.UUID{id},
	}))
	return page.Content, err
}

// remindOwners leaves a message in the process that names the tasks that are open. Its id follows from the action: however
// often the activity is repeated, there is one.
func (d *desk) remindOwners(ctx context.Context, request procession.UserActionRequest) (procession.WorkflowResponse, error) {
	process, err := procession.Decode[rest.Process](d.api.RetrieveProcess(ctx, request.ProcessID))
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	if process.State != rest.ProcessStateRUNNING {
		return procession.WorkflowResponse{Message: "The loan is decided"}, nil
	}
	items, err := d.listItems(ctx, request.ProcessID)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	var open []string
	for _, item := range items {
		if item.Task != nil && (item.Task.State == rest.ProcessItemTaskStateREADY || item.Task.State == rest.ProcessItemTaskStateCLAIMED) {
			open = append(open, item.ProcessItemDefinitionRef.Code)
		}
	}
	if len(open) == 0 {
		return procession.WorkflowResponse{Message: "No task is open"}, nil
	}
	text := "Waiting for " + strings.Join(open, ", ")
	_, err = procession.Decode[rest.ProcessItem](d.api.CreateProcessItem(ctx, rest.ProcessItemCreateParams{
		ID: new(uuid.NewSHA1(request.UserActionID, []byte("reminder"))), Type: rest.ProcessItemTypeMESSAGE,
		ProcessID: request.ProcessID, ProcessItemDefinitionCode: new("NOTE"),
		Message: &rest.ProcessItemMessageCreateParams{Text: &text},
	}))
	return procession.WorkflowResponse{Message: text}, err
}
