// Package lending is the process LOAN as a workflow.
package lending

import (
	"encoding/json"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

// Names that the process definition LOAN fixes.
const (
	WorkflowType = "SampleEngineWorkerLoanWorkflow"
	TaskQueue    = "QUEUE_SAMPLE_LOAN"
)

// failureApplication is the failure type of an application that the workflow can do nothing with. The service turns
// such a failure into an incident of the process.
const failureApplication = "LoanApplicationInvalid"

// Register has a worker run loans.
func Register(w *procession.Worker) { procession.RegisterWorkflow(w, WorkflowType, Loan) }

// applicant is who asks for a loan. Names that are not given stay out of tasks and metadata.
type applicant struct {
	FirstName json.RawMessage `json:"FIRST_NAME,omitempty"`
	LastName  json.RawMessage `json:"LAST_NAME,omitempty"`
}

// application is the data of LOAN_APPLICATION. The amount is a JSON string or number and keeps its digits.
type application struct {
	applicant
	Amount   json.RawMessage `json:"AMOUNT"`
	Currency json.RawMessage `json:"CURRENCY,omitempty"`
}

// approval is the data of APPROVE_LOAN that is for the workflow.
type approval struct {
	Approval json.RawMessage `json:"APPROVAL"`
}

// Loan asks for a loan application, has amounts above the limit approved, and notifies the process's initiator of the
// outcome. The service completes the process when it returns.
func Loan(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	asked, err := procession.AwaitTask[application](ctx, "LOAN_APPLICATION")
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	// In the metadata, lists can be filtered by the name.
	if err := procession.SetMetadata(ctx, asked.Data.applicant); err != nil {
		return procession.WorkflowResponse{}, err
	}
	amount, err := amountInEUR(asked.Data.Amount, asked.Data.Currency)
	if err != nil {
		return procession.WorkflowResponse{}, temporal.NewNonRetryableApplicationError(err.Error(), failureApplication, nil)
	}
	granted := true
	if needsApproval(amount) {
		decided, err := procession.AwaitTask[approval](ctx, "APPROVE_LOAN", procession.WithData(application{
			applicant: asked.Data.applicant, Amount: json.RawMessage(amount.FloatString(2)),
		}))
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		// A missing approval is a rejection: data that violates the schema can be completed too.
		granted = textOf(decided.Data.Approval) == "YES"
	}
	if granted {
		return notify(ctx, "NOTIFICATION_GRANTED", "The loan is granted")
	}
	return notify(ctx, "NOTIFICATION_REJECTION", "The loan is rejected")
}

// notify creates a task with the outcome for the current initiator of the process, and does not wait for it.
func notify(ctx workflow.Context, code, message string) (procession.WorkflowResponse, error) {
	initiator, err := procession.Initiator(ctx)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	_, err = procession.CreateTask(ctx, code, procession.WithOwner(initiator))
	return procession.WorkflowResponse{Message: message}, err
}
