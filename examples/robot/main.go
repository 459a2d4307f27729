// Command robot is a worker for the robot RATES: when a task that it assists with gets an owner, it looks up a rate and
// fills it in. The owner checks it and completes the task.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

func main() {
	procession.Program{Name: "robot", TaskQueue: "QUEUE_RATES", Register: registerRobot}.Main()
}

func registerRobot(w *procession.Worker) error {
	procession.RegisterWorkflow(w, "RatesWorkflow", fillIn)
	procession.RegisterActivity(w, "LookUp", lookUp)
	return nil
}

// rateRequest contains the task data at the start of the robot; rate is the field that the robot fills in.
type (
	rateRequest struct {
		Currency string `json:"CURRENCY"`
	}
	rate struct {
		Rate json.Number `json:"RATE"`
	}
)

func fillIn(ctx workflow.Context, request procession.RobotRequest) (procession.WorkflowResponse, error) {
	item, err := procession.Execute[procession.ItemResponse](ctx, "retrieveProcessItem", procession.ItemRequest{ProcessItemID: request.ProcessItemID})
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	task, err := procession.TaskOf[rateRequest](item.ProcessItem)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	found, err := procession.Call[rate](ctx, "LookUp", task.Data)
	if err != nil {
		// The owner reads it in the log of the task, and fills in the rate without the robot.
		return procession.WorkflowResponse{Message: "no rate found"},
			procession.LogTask(ctx, request.ProcessItemID, rest.ProcessItemTaskLogLevelWARN, "no rate of "+task.Data.Currency)
	}
	return procession.WorkflowResponse{Message: "filled in"}, procession.SetTaskData(ctx, request.ProcessItemID, found)
}

// lookUp stands for a call of another system.
func lookUp(_ context.Context, a rateRequest) (rate, error) {
	value, found := map[string]json.Number{"USD": "0.92", "GBP": "1.17"}[a.Currency]
	if !found {
		return rate{}, temporal.NewNonRetryableApplicationError(fmt.Sprintf("no rate of %q", a.Currency), "RateUnknown", nil)
	}
	return rate{value}, nil
}
