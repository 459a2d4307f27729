package lending_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

// applyingFor returns a service in which Carol applies for a loan.
func applyingFor(t *testing.T, amount, currency string) *processiontest.Service {
	t.Helper()
	s := processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { lending.Register(w); return nil }, Workflow: lending.WorkflowType,
	})
	s.When("LOAN_APPLICATION", func(task *processiontest.Task) {
		task.Complete(json.RawMessage(`{"FIRST_NAME":"Carol","LAST_NAME":"Demo","AMOUNT":` + amount + `,"CURRENCY":"` + currency + `"}`))
	})
	return s
}

func TestSmallLoanIsGrantedWithoutApproval(t *testing.T) {
	t.Parallel()
	for name, amount := range map[string]string{"amount as string": `"5000"`, "amount as number": `5000`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := applyingFor(t, amount, "EUR")
			response, err := s.Run()
			require.NoError(t, err)
			require.Equal(t, "The loan is granted", response.Message)
			process := s.Processes()[0]
			require.JSONEq(t, `{"FIRST_NAME":"Carol","LAST_NAME":"Demo"}`, string(process.Metadata.Value))
			items := s.Items()
			require.Equal(t, []string{"LOAN_APPLICATION", "NOTIFICATION_GRANTED"}, s.Codes())
			require.Nil(t, items[0].OwnerID)
			require.Equal(t, &s.Initiator, items[1].OwnerID)
			// Another run of the process, and workers in other languages, find the same tasks.
			require.Equal(t, uuid.NewSHA1(process.ID, []byte("LOAN_APPLICATION")), items[0].ID)
		})
	}
}

func TestLargeLoanFollowsTheApproval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, currency, approval, prefilled, notification, message string }{
		"approved, euros as string":   {`"5000.01"`, "EUR", `"YES"`, `5000.01`, "NOTIFICATION_GRANTED", "The loan is granted"},
		"approved, dollars as number": {`20000`, "USD", `"YES"`, `18400.00`, "NOTIFICATION_GRANTED", "The loan is granted"},
		"rejected, pounds as string":  {`"15000"`, "GBP", `"NO"`, `17550.00`, "NOTIFICATION_REJECTION", "The loan is rejected"},
		"nothing said":                {`9000`, "EUR", `null`, `9000.00`, "NOTIFICATION_REJECTION", "The loan is rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := applyingFor(t, test.amount, test.currency)
			s.When("APPROVE_LOAN", func(task *processiontest.Task) {
				data := `{"FIRST_NAME":"Carol","LAST_NAME":"Demo","AMOUNT":` + test.prefilled + `}`
				require.Equal(t, data, string(task.Item.Task.Data.Value))
				task.Complete(json.RawMessage(`{"APPROVAL":` + test.approval + `}`))
			})
			response, err := s.Run()
			require.NoError(t, err)
			require.Equal(t, test.message, response.Message)
			require.Equal(t, []string{"LOAN_APPLICATION", "APPROVE_LOAN", test.notification}, s.Codes())
			require.Nil(t, s.Items()[1].OwnerID, "the approval waits for a candidate")
		})
	}
}

func TestWorkflowFailsForGood(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, currency string }{
		"amount is no number":   {`"much"`, "EUR"},
		"currency without rate": {`1`, "XTS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := applyingFor(t, test.amount, test.currency)
			_, err := s.Run()
			var failed *temporal.ApplicationError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, "LoanApplicationInvalid", failed.Type())
			require.True(t, failed.NonRetryable())
			require.Equal(t, []string{"LOAN_APPLICATION"}, s.Codes())
			require.Equal(t, rest.ProcessItemTaskStateCOMPLETED, s.Items()[0].Task.State)
		})
	}
}

// Loans that run go on after a change: the history is of one that was refused.
func TestLoansThatRunGoOn(t *testing.T) {
	t.Parallel()
	processiontest.Replay(t, func(w *procession.Worker) error { lending.Register(w); return nil }, "testdata/refused.json")
}
