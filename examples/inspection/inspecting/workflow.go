package inspecting

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

// Codes of the process definition INSPECTION.
const (
	TaskInspect   = "INSPECT"
	ElementNote   = "NOTE"
	ElementRating = "RATING"
	ElementScore  = "SCORE"
)

const (
	callTimeout = time.Minute
	// waitTimeout is how long one attempt of an activity waits for its task. A person may take longer: the next attempt
	// goes on waiting.
	waitTimeout = 24 * time.Hour
)

// InspectionWorkflow has something inspected and makes the rating the score of the process. It waits for the signal
// about a completed task.
func InspectionWorkflow(ctx workflow.Context, request WorkflowRequest) (WorkflowResponse, error) {
	return inspection(ctx, request, func(ctx workflow.Context, task restapi.Task) error {
		completed := map[uuid.UUID]bool{}
		workflow.Go(ctx, func(ctx workflow.Context) {
			for {
				var id uuid.UUID
				if !workflow.GetSignalChannel(ctx, SignalCompletedTask).Receive(ctx, &id) {
					return
				}
				completed[id] = true
			}
		})
		var answer taskResponse
		err := workflow.ExecuteActivity(within(ctx, callTimeout), activityCreateTask, createTaskRequest{task}).Get(ctx, &answer)
		if err != nil || finished(answer.Task) {
			// A workflow that starts again finds the task of the run before, and gets no signal for it.
			return err
		}
		return workflow.Await(ctx, func() bool { return completed[task.ID] })
	})
}

// InspectionWorkflowWithActivityToken does the same and waits as old workers do: in an activity that the service
// completes.
func InspectionWorkflowWithActivityToken(ctx workflow.Context, request WorkflowRequest) (WorkflowResponse, error) {
	return inspection(ctx, request, func(ctx workflow.Context, task restapi.Task) error {
		ctx = within(ctx, waitTimeout)
		return workflow.ExecuteActivity(ctx, activityCreateTaskAndWaitFinished, createTaskRequest{task}).Get(ctx, nil)
	})
}

// inspection is what both have in common. createAndWait returns when the task is finished.
func inspection(
	ctx workflow.Context, request WorkflowRequest, createAndWait func(workflow.Context, restapi.Task) error,
) (WorkflowResponse, error) {
	task := restapi.Task{
		ID: TaskID(request.ProcessID), ProcessID: request.ProcessID,
		TaskDefinition: restapi.Definition{Code: TaskInspect},
		ElementValues:  restapi.ElementValues{ElementNote: {restapi.Text("Rate what you see.")}},
	}
	if err := createAndWait(ctx, task); err != nil {
		return WorkflowResponse{}, err
	}
	ctx = within(ctx, callTimeout)
	var answer taskResponse
	err := workflow.ExecuteActivity(ctx, activityRetrieveTask, retrieveTaskRequest{task.ID}).Get(ctx, &answer)
	if err != nil {
		return WorkflowResponse{}, err
	}
	rating := answer.Task.ElementValues.First(ElementRating)
	switch {
	case answer.Task.State == restapi.TaskCancelled:
		return WorkflowResponse{Message: "The inspection was cancelled"}, nil
	case !rating.IsValid() || rating.Type != restapi.TypeNumber:
		return WorkflowResponse{Message: "Inspected without a rating"}, nil
	}
	err = workflow.ExecuteActivity(ctx, activitySaveProcessElement, saveProcessElementRequest{
		ProcessID: request.ProcessID,
		SaveElementCommand: restapi.SaveElementCommand{
			ElementDefinitionCode: ElementScore,
			ElementValues:         []restapi.ElementValue{{Type: restapi.TypeNumber, Value: rating.Value}},
		},
	}).Get(ctx, nil)
	return WorkflowResponse{Message: "Inspected"}, err
}

// within bounds an attempt of an activity. There is no bound on attempts: a process outlives an outage of the service.
func within(ctx workflow.Context, limit time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: limit,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}

func finished(task restapi.Task) bool {
	return task.State == restapi.TaskCompleted || task.State == restapi.TaskCancelled
}

// TaskID is the id of the one inspection of a process, a version 5 UUID: however often the activity or the whole
// workflow is repeated, there is one task.
func TaskID(process uuid.UUID) uuid.UUID { return uuid.NewSHA1(process, []byte(TaskInspect)) }
