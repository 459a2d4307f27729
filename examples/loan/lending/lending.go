// Package lending implements the workflow of the process LOAN. Types and codes equal the names in the
// definition.
package lending

//go:generate go run ../../../cmd/procession generate go -f ../../demo/loan.yaml --package lending --to loan.gen.go

import (
	"encoding/json"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

// failureApplication is the failure type of an invalid application. The service turns such a failure into an
// incident of the process.
const failureApplication = "LoanApplicationInvalid"

// Register registers the workflow of loans with a worker.
func Register(w *procession.Worker) { procession.RegisterWorkflow(w, WorkflowType, Loan) }

// Loan asks for a loan application, has amounts above the limit approved, and notifies the process's initiator of the
// outcome. The service completes the process when it returns.
func Loan(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	application, err := procession.AwaitTask[LoanApplication](ctx, TaskLoanApplication)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	// In the metadata, lists can be filtered by the name.
	if err := procession.SetMetadata(ctx, Metadata{FirstName: application.Data.FirstName, LastName: application.Data.LastName}); err != nil {
		return procession.WorkflowResponse{}, err
	}
	amount, err := amountInEUR(application.Data.Amount, application.Data.Currency)
	if err != nil {
		return procession.WorkflowResponse{}, temporal.NewNonRetryableApplicationError(err.Error(), failureApplication, nil)
	}
	granted := true
	if needsApproval(amount) {
		decided, err := procession.AwaitTask[ApproveLoan](ctx, TaskApproveLoan, procession.WithData(ApproveLoan{
			FirstName: application.Data.FirstName, LastName: application.Data.LastName, Amount: json.RawMessage(amount.FloatString(2)),
		}))
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		// A missing approval is a rejection: data that violates the schema can be completed too.
		granted = decided.Data.Approval == ApproveLoanApprovalYes
	}
	if granted {
		return notifyOwner(ctx, TaskNotificationGranted, "The loan is granted")
	}
	return notifyOwner(ctx, TaskNotificationRejection, "The loan is rejected")
}

// notifyOwner creates a task with the outcome for the current initiator of the process, and does not wait for it.
func notifyOwner(ctx workflow.Context, code, message string) (procession.WorkflowResponse, error) {
	initiator, err := procession.Initiator(ctx)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	_, err = procession.CreateTask(ctx, code, procession.WithOwner(initiator))
	return procession.WorkflowResponse{Message: message}, err
}
