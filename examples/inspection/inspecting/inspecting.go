// Package inspecting is the process INSPECTION as a workflow for definitions of version 2022-10-08.
package inspecting

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/inspection/shapea"
	"github.com/procession-dev/procession/sdk"
)

// Names that the process definition INSPECTION and the service fix.
const (
	WorkflowType = "InspectionWorkflow"
	TaskQueue    = "QUEUE_INSPECTION"

	TaskInspect   = "INSPECT"
	ElementNote   = "NOTE"
	ElementRating = "RATING"
	ElementScore  = "SCORE"
)

// signalCompletedTask has the id of a completed task as its argument.
const signalCompletedTask = "KuFlow_Engine_Signal_Completed_Task"

// Activity types, spelled as the TypeScript and Python SDKs spell them.
const (
	activityCreateTask                = "KuFlow_Engine_createTask"
	activityCreateTaskAndWaitFinished = "KuFlow_Engine_createTaskAndWaitFinished"
	activityRetrieveTask              = "KuFlow_Engine_retrieveTask"
	activitySaveProcessElement        = "KuFlow_Engine_saveProcessElement"
)

// waitTimeout is how long one attempt of an activity waits for its task. A person may take longer: the next attempt goes
// on waiting.
const waitTimeout = 24 * time.Hour

// Requests and responses of the activities.
type (
	createTaskRequest struct {
		Task shapea.Task `json:"task"`
	}
	retrieveTaskRequest struct {
		TaskID uuid.UUID `json:"taskId"`
	}
	taskResponse struct {
		Task shapea.Task `json:"task"`
	}
	saveProcessElementRequest struct {
		ProcessID uuid.UUID `json:"processId"`
		shapea.ProcessSaveElementCommand
	}
)

// Options choose between the two ways to wait for a task.
type Options struct {
	// WithActivityToken waits in an activity that the service completes, as old workers do, instead of for a signal.
	WithActivityToken bool
}

// Register registers the workflows of inspections with a worker.
func Register(w *procession.Worker, options Options) error {
	api, err := shapea.New(w.Client())
	if err != nil {
		return err
	}
	wait := forSignal
	if options.WithActivityToken {
		wait = forActivity
	}
	procession.RegisterWorkflow(w, WorkflowType, newInspection(wait))
	procession.RegisterActivity(w, activityCreateTask, func(ctx context.Context, r createTaskRequest) (taskResponse, error) {
		task, err := procession.Decode[shapea.Task](api.CreateTask(ctx, nil, r.Task))
		return taskResponse{task}, err
	})
	// It leaves it to the service to complete the activity when the task is finished. When Temporal starts it again, it
	// has another token, which replaces the one that the service has.
	procession.RegisterActivity(w, activityCreateTaskAndWaitFinished, func(ctx context.Context, r createTaskRequest) (struct{}, error) {
		token := base64.StdEncoding.EncodeToString(activity.GetInfo(ctx).TaskToken)
		_, err := procession.Decode[shapea.Task](api.CreateTask(ctx, &shapea.CreateTaskParams{ActivityToken: &token}, r.Task))
		if err == nil {
			err = activity.ErrResultPending
		}
		return struct{}{}, err
	})
	procession.RegisterActivity(w, activityRetrieveTask, func(ctx context.Context, r retrieveTaskRequest) (taskResponse, error) {
		task, err := procession.Decode[shapea.Task](api.RetrieveTask(ctx, r.TaskID))
		return taskResponse{task}, err
	})
	procession.RegisterActivity(w, activitySaveProcessElement, func(ctx context.Context, r saveProcessElementRequest) (struct{}, error) {
		_, err := procession.Decode[shapea.Process](api.ActionsProcessSaveElement(ctx, r.ProcessID, r.ProcessSaveElementCommand))
		return struct{}{}, err
	})
	return nil
}

// newInspection returns the workflow of an inspection. The rating becomes the score of the process. createAndWait
// returns when the task is finished.
func newInspection(createAndWait func(workflow.Context, shapea.Task) error) func(workflow.Context, procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	return func(ctx workflow.Context, request procession.WorkflowRequest) (procession.WorkflowResponse, error) {
		// However often the activity or the whole workflow is repeated, there is one task.
		id := procession.ItemID(request.ProcessID, TaskInspect)
		err := createAndWait(ctx, shapea.Task{
			ID: &id, ProcessID: request.ProcessID, TaskDefinition: shapea.TaskDefinitionSummary{Code: new(TaskInspect)},
			ElementValues: shapea.TaskElementValues{ElementNote: {{Type: "STRING", Value: json.RawMessage(`"Rate what you see."`)}}},
		})
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		answer, err := procession.Call[taskResponse](ctx, activityRetrieveTask, retrieveTaskRequest{id})
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		rating := shapea.First(answer.Task.ElementValues, ElementRating)
		switch {
		case answer.Task.State != nil && *answer.Task.State == shapea.TaskStateCANCELLED:
			return procession.WorkflowResponse{Message: "The inspection was cancelled"}, nil
		case !rating.IsValid() || rating.Type != "NUMBER":
			return procession.WorkflowResponse{Message: "Inspected without a rating"}, nil
		}
		_, err = procession.Call[struct{}](ctx, activitySaveProcessElement, saveProcessElementRequest{
			request.ProcessID, shapea.ProcessSaveElementCommand{
				ElementDefinitionCode: ElementScore,
				ElementValues:         []shapea.ElementValue{{Type: rating.Type, Value: rating.Value}},
			},
		})
		return procession.WorkflowResponse{Message: "Inspected"}, err
	}
}

// forSignal creates a task and waits for the signal about it.
func forSignal(ctx workflow.Context, task shapea.Task) error {
	completed := map[uuid.UUID]bool{}
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var id uuid.UUID
			if !workflow.GetSignalChannel(ctx, signalCompletedTask).Receive(ctx, &id) {
				return
			}
			completed[id] = true
		}
	})
	answer, err := procession.Call[taskResponse](ctx, activityCreateTask, createTaskRequest{task})
	if err != nil {
		return err
	}
	if state := answer.Task.State; state != nil && (*state == shapea.TaskStateCOMPLETED || *state == shapea.TaskStateCANCELLED) {
		// A workflow that starts again finds the task of the run before, and gets no signal for it.
		return nil
	}
	return workflow.Await(ctx, func() bool { return completed[*task.ID] })
}

// forActivity creates a task in an activity that the service completes.
func forActivity(ctx workflow.Context, task shapea.Task) error {
	_, err := procession.Call[struct{}](workflow.WithStartToCloseTimeout(ctx, waitTimeout), activityCreateTaskAndWaitFinished, createTaskRequest{task})
	return err
}
