package lending

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// Item definitions of the process LOAN.
const (
	loanApplication       = "LOAN_APPLICATION"
	approveLoan           = "APPROVE_LOAN"
	notificationGranted   = "NOTIFICATION_GRANTED"
	notificationRejection = "NOTIFICATION_REJECTION"
)

// Failure types of a workflow that cannot go on. The service turns such a failure into an incident of the process.
const (
	failureRequest     = "LoanRequestInvalid"
	failureApplication = "LoanApplicationInvalid"
	failureCancelled   = "LoanTaskCancelled"
)

// loan is the state of one running loan process.
type loan struct {
	processID uuid.UUID
	completed map[uuid.UUID]bool
}

// SampleEngineWorkerLoanWorkflow asks for a loan application, has amounts above the limit approved, and notifies the
// process's initiator of the outcome. The service completes the process when it returns.
func SampleEngineWorkerLoanWorkflow(ctx workflow.Context, request WorkflowRequest) (WorkflowResponse, error) {
	processID, err := uuid.Parse(request.ProcessID)
	if err != nil {
		return WorkflowResponse{}, temporal.NewNonRetryableApplicationError("processId is not a UUID", failureRequest, err)
	}
	l := &loan{processID: processID, completed: map[uuid.UUID]bool{}}
	workflow.Go(ctx, l.collectCompletedTasks)
	return l.run(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		// No bound on attempts: a process outlives an outage of the service.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	}))
}

func (l *loan) run(ctx workflow.Context) (WorkflowResponse, error) {
	application, err := l.completedTask(ctx, loanApplication, nil)
	if err != nil {
		return WorkflowResponse{}, err
	}
	data := application.TaskData()
	if err := l.saveApplicantName(ctx, data); err != nil {
		return WorkflowResponse{}, err
	}
	amount, err := amountInEUR(data["AMOUNT"], data["CURRENCY"])
	if err != nil {
		return WorkflowResponse{}, temporal.NewNonRetryableApplicationError(err.Error(), failureApplication, nil)
	}
	granted := true
	if needsApproval(amount) {
		prefilled := present(data, "FIRST_NAME", "LAST_NAME")
		prefilled["AMOUNT"] = json.RawMessage(amount.FloatString(2))
		approval, err := l.completedTask(ctx, approveLoan, prefilled)
		if err != nil {
			return WorkflowResponse{}, err
		}
		// A missing approval is a rejection: data that violates the schema can be completed too.
		granted = textOf(approval.TaskData()["APPROVAL"]) == "YES"
	}
	if granted {
		return l.notify(ctx, notificationGranted, "The loan is granted")
	}
	return l.notify(ctx, notificationRejection, "The loan is rejected")
}

// collectCompletedTasks remembers every completed task. The signal may arrive before the activity that created the
// task has returned, and more than once: only membership counts.
func (l *loan) collectCompletedTasks(ctx workflow.Context) {
	signals := workflow.GetSignalChannel(ctx, SignalProcessItem)
	for {
		var signal ProcessItemSignal
		if !signals.Receive(ctx, &signal) {
			return
		}
		if signal.Type == restapi.ItemTask {
			l.completed[signal.ID] = true
		}
	}
}

// completedTask creates a task without owner, waits until it is completed, and returns the completed task.
func (l *loan) completedTask(ctx workflow.Context, code string, data restapi.Object) (restapi.ProcessItem, error) {
	created, err := l.createTask(ctx, code, nil, data)
	if err != nil {
		return restapi.ProcessItem{}, err
	}
	switch created.TaskState() {
	case restapi.TaskCompleted:
		// An earlier run of this process created it and got the signal.
		l.completed[created.ID] = true
	case restapi.TaskCancelled:
		return restapi.ProcessItem{}, temporal.NewNonRetryableApplicationError(fmt.Sprintf("task %s was cancelled", code), failureCancelled, nil)
	}
	if err := workflow.Await(ctx, func() bool { return l.completed[created.ID] }); err != nil {
		return restapi.ProcessItem{}, err
	}
	var answer processItemResponse
	err = workflow.ExecuteActivity(ctx, activityRetrieveProcessItem, retrieveProcessItemRequest{created.ID}).Get(ctx, &answer)
	return answer.ProcessItem, err
}

// saveApplicantName copies the applicant's name into the process metadata, where lists can be filtered by it.
func (l *loan) saveApplicantName(ctx workflow.Context, data restapi.Object) error {
	var patch []restapi.PatchOperation
	for _, name := range []string{"FIRST_NAME", "LAST_NAME"} {
		if value, ok := data[name]; ok {
			patch = append(patch, restapi.PatchOperation{Op: "add", Path: "/" + name, Value: value})
		}
	}
	if len(patch) == 0 {
		return nil
	}
	return workflow.ExecuteActivity(ctx, activityPatchProcessMetadata, patchProcessMetadataRequest{l.processID, patch}).Get(ctx, nil)
}

// notify creates a task with the outcome for the current initiator of the process, and does not wait for it.
func (l *loan) notify(ctx workflow.Context, code, message string) (WorkflowResponse, error) {
	var answer processResponse
	err := workflow.ExecuteActivity(ctx, activityRetrieveProcess, retrieveProcessRequest{l.processID}).Get(ctx, &answer)
	if err != nil {
		return WorkflowResponse{}, err
	}
	if _, err := l.createTask(ctx, code, answer.Process.InitiatorID, nil); err != nil {
		return WorkflowResponse{}, err
	}
	return WorkflowResponse{Message: message}, nil
}

// createTask creates a task whose id follows from the process and the code: however often the activity or the whole
// workflow is repeated, the process has one task of each code.
func (l *loan) createTask(ctx workflow.Context, code string, owner *uuid.UUID, data restapi.Object) (restapi.ProcessItem, error) {
	params := restapi.ProcessItemCreateParams{
		ID:                        TaskID(l.processID, code),
		Type:                      restapi.ItemTask,
		ProcessID:                 l.processID,
		OwnerID:                   owner,
		ProcessItemDefinitionCode: code,
	}
	if data != nil {
		params.Task = &restapi.TaskCreateParams{Data: &restapi.JSONValue{Value: data}}
	}
	var answer processItemResponse
	err := workflow.ExecuteActivity(ctx, activityCreateProcessItem, params).Get(ctx, &answer)
	return answer.ProcessItem, err
}

// TaskID is the id of the one task of that code in the process: a version 5 UUID.
func TaskID(processID uuid.UUID, code string) uuid.UUID {
	return uuid.NewSHA1(processID, []byte(code))
}

// present copies the named members that data has.
func present(data restapi.Object, names ...string) restapi.Object {
	chosen := restapi.Object{}
	for _, name := range names {
		if value, ok := data[name]; ok {
			chosen[name] = value
		}
	}
	return chosen
}
