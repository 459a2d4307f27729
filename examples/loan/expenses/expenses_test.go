package expenses_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/loan/expenses"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

func TestExpensesArePaidAfterReminders(t *testing.T) {
	t.Parallel()
	s := processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { expenses.Register(w); return nil }, Workflow: expenses.WorkflowType,
	})
	s.When(expenses.TaskClaimExpenses, func(task *processiontest.Task) {
		task.Complete(expenses.ClaimExpenses{
			From: "2026-11-02", To: "2026-11-04", Means: expenses.ClaimExpensesMeansTrain,
			Receipts: []expenses.ClaimExpensesReceiptsItem{{What: "Train", Amount: "119.80"}, {What: "Hotel", Amount: "180.1"}},
		})
	})
	s.When(expenses.TaskCheckExpenses, func(task *processiontest.Task) {
		require.JSONEq(t, `{"CLAIMED":299.90,"RECEIPTS":2}`, string(task.Item.Task.ContextData.Value))
		for day := range 2 {
			task.After(time.Duration(day+1)*24*time.Hour, func() {
				task.InvokeAction(expenses.ActionRemind, expenses.SignalRemind, nil)
			})
		}
		task.After(72*time.Hour, func() { task.Complete(expenses.CheckExpenses{Paid: "250"}) })
	})

	response, err := s.Run()
	require.NoError(t, err)
	require.Equal(t, "EUR 250 of 299.90 are paid", response.Message)
	require.JSONEq(t, `{"TOTAL":299.90}`, string(s.Processes()[0].Metadata.Value))
	var messages []string
	for _, item := range s.Items() {
		if item.Type == rest.ProcessItemTypeMESSAGE {
			messages = append(messages, *item.Message.Text)
		}
	}
	const reminder = "The claim waits to be checked."
	require.Equal(t, []string{reminder, reminder, response.Message}, messages)
}

func TestReceiptWithoutAmountFails(t *testing.T) {
	t.Parallel()
	s := processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { expenses.Register(w); return nil }, Workflow: expenses.WorkflowType,
	})
	s.When(expenses.TaskClaimExpenses, func(task *processiontest.Task) {
		task.Complete(expenses.ClaimExpenses{Receipts: []expenses.ClaimExpensesReceiptsItem{{What: "Train"}}})
	})
	_, err := s.Run()
	require.ErrorContains(t, err, "a receipt has no amount")
}
