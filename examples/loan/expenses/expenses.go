// Package expenses is the process EXPENSES as a workflow that a user action signals while it waits.
package expenses

//go:generate go run ../../../cmd/procession generate go -f ../../demo/expenses.yaml --package expenses --to expenses.gen.go

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

// SignalRemind is the signal that the user action REMIND sends.
const SignalRemind = "Remind"

// Register registers the workflow of expense claims with a worker.
func Register(w *procession.Worker) { procession.RegisterWorkflow(w, WorkflowType, Expenses) }

// Expenses requests the receipts of a trip and a check of them, and reports the paid amount in a message. Until
// the check is done, each reminder becomes a message of the process.
func Expenses(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	claimed, err := procession.AwaitTask[ClaimExpenses](ctx, TaskClaimExpenses)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	total, err := sumReceipts(claimed.Data.Receipts)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	if err := procession.SetMetadata(ctx, Metadata{Total: total}); err != nil {
		return procession.WorkflowResponse{}, err
	}

	workflow.Go(ctx, forwardReminders)
	checked, err := procession.AwaitTask[CheckExpenses](ctx, TaskCheckExpenses, procession.WithContextData(
		CheckExpensesContext{Claimed: total, Receipts: new(int64(len(claimed.Data.Receipts)))}))
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	outcome := "EUR " + checked.Data.Paid.String() + " of " + total.String() + " are paid"
	_, err = procession.SendMessage(ctx, MessageNews, outcome, procession.WithKey("outcome"))
	return procession.WorkflowResponse{Message: outcome}, err
}

// sumReceipts adds up amounts in cents: sums of floats are not exact.
func sumReceipts(receipts []ClaimExpensesReceiptsItem) (json.Number, error) {
	cents := int64(0)
	for _, receipt := range receipts {
		amount, err := receipt.Amount.Float64()
		if err != nil {
			return "", temporal.NewNonRetryableApplicationError("a receipt has no amount", "ExpensesInvalid", err)
		}
		cents += int64(math.Round(amount * 100))
	}
	return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100)), nil
}

// forwardReminders creates a message for each reminder until the workflow ends.
func forwardReminders(ctx workflow.Context) {
	reminders := workflow.GetSignalChannel(ctx, SignalRemind)
	for count := 1; ; count++ {
		var signal procession.ActionSignal
		reminders.Receive(ctx, &signal)
		_, err := procession.SendMessage(ctx, MessageNews, "The claim waits to be checked.", procession.WithKey(strconv.Itoa(count)))
		if err != nil {
			workflow.GetLogger(ctx).Warn("A reminder was not forwarded", "error", err)
		}
	}
}
