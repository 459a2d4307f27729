package inspecting

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/inspection/restapi"
)

// FailureType is the failure type of a refused REST call, as the public SDKs name it; its detail is the error body.
const FailureType = "KuFlowActivities.RestFailure"

// Activities calls the service on behalf of the workflow. Each may run several times for one call of the workflow.
type Activities struct {
	API *restapi.Client
}

// Register adds the workflow and its activities, under their contract names, to a worker or a test environment.
// withActivityToken chooses the workflow that waits as old workers do.
func (a *Activities) Register(registry worker.Registry, withActivityToken bool) {
	w := InspectionWorkflow
	if withActivityToken {
		w = InspectionWorkflowWithActivityToken
	}
	registry.RegisterWorkflowWithOptions(w, workflow.RegisterOptions{Name: WorkflowType})
	for name, f := range a.byType() {
		registry.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
}

func (a *Activities) byType() map[string]any {
	return map[string]any{
		activityCreateTask:                a.createTask,
		activityCreateTaskAndWaitFinished: a.createTaskAndWaitFinished,
		activityRetrieveTask:              a.retrieveTask,
		activitySaveProcessElement:        a.saveProcessElement,
	}
}

// ActivityTypes lists what Register registers, for the registration with the service (A33).
func ActivityTypes() []string {
	return []string{
		activityCreateTask, activityCreateTaskAndWaitFinished, activityRetrieveTask, activitySaveProcessElement,
	}
}

func (a *Activities) createTask(ctx context.Context, request createTaskRequest) (taskResponse, error) {
	task, err := a.API.CreateTask(ctx, request.Task, nil)
	return taskResponse{task}, failure(err)
}

// createTaskAndWaitFinished leaves it to the service to complete the activity when the task is finished. When Temporal
// starts it again, it has another token, which replaces the one that the service has.
func (a *Activities) createTaskAndWaitFinished(ctx context.Context, request createTaskRequest) error {
	if _, err := a.API.CreateTask(ctx, request.Task, activity.GetInfo(ctx).TaskToken); err != nil {
		return failure(err)
	}
	return activity.ErrResultPending
}

func (a *Activities) retrieveTask(ctx context.Context, request retrieveTaskRequest) (taskResponse, error) {
	task, err := a.API.RetrieveTask(ctx, request.TaskID)
	return taskResponse{task}, failure(err)
}

func (a *Activities) saveProcessElement(ctx context.Context, request saveProcessElementRequest) error {
	_, err := a.API.SaveProcessElement(ctx, request.ProcessID, request.SaveElementCommand)
	return failure(err)
}

// failure turns a REST error into a Temporal failure: a permanent refusal fails the workflow at once, everything else
// is retried.
func failure(err error) error {
	refused, ok := errors.AsType[*restapi.ResponseError](err)
	if !ok {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), FailureType, temporal.ApplicationErrorOptions{
		NonRetryable: !refused.Temporary(),
		Details:      []any{refused.Body},
	})
}
