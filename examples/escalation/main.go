// Command escalation is a worker for the process REQUEST: a task waits for a decision. A reminder comes first,
// and then the task of another person, who decides instead.
package main

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

const (
	remindAfter   = 2 * 24 * time.Hour
	escalateAfter = 3 * 24 * time.Hour
	// manager decides escalated tasks.
	manager = "alice@demo.example"
)

func main() {
	procession.Program{Name: "escalation", TaskQueue: "QUEUE_REQUESTS", Register: registerWorkflow}.Main()
}

func registerWorkflow(w *procession.Worker) error {
	procession.RegisterWorkflow(w, "RequestWorkflow", decideWorkflow)
	return nil
}

// decision is the data of both tasks.
type decision struct {
	Accepted bool `json:"ACCEPTED"`
}

func decideWorkflow(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	task, err := procession.CreateTask(ctx, "DECIDE")
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	decided := func() bool { return procession.Completed(ctx, task) }
	inTime, err := workflow.AwaitWithTimeout(ctx, remindAfter, decided)
	if err == nil && !inTime {
		if _, err = procession.SendMessage(ctx, "REMINDER", "A request waits for your decision"); err == nil {
			inTime, err = workflow.AwaitWithTimeout(ctx, escalateAfter, decided)
		}
	}
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	if inTime {
		return taskOutcome(procession.AwaitCompletion[decision](ctx, task))
	}
	// A task that is completed meanwhile stays completed, and counts.
	if err := procession.CancelTask(ctx, task.ID); err != nil {
		return procession.WorkflowResponse{}, err
	}
	left, err := procession.Execute[procession.ItemResponse](ctx, "retrieveProcessItem", procession.ItemRequest{ProcessItemID: task.ID})
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	if procession.Completed(ctx, left.ProcessItem) {
		return taskOutcome(procession.TaskOf[decision](left.ProcessItem))
	}
	return taskOutcome(procession.AwaitTask[decision](ctx, "DECIDE", procession.WithKey("manager"), procession.WithOwnerEmail(manager)))
}

func taskOutcome(task procession.Task[decision], err error) (procession.WorkflowResponse, error) {
	if err == nil && task.Data.Accepted {
		return procession.WorkflowResponse{Message: "Accepted"}, nil
	}
	return procession.WorkflowResponse{Message: "Refused"}, err
}
