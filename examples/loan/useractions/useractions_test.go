package useractions_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/examples/loan/useractions"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

// stage is a service with one loan that has an open task, and the action that is invoked on it.
type stage struct {
	*processiontest.Service

	process *rest.Process
	action  procession.UserActionRequest
}

func newStage(t *testing.T, refuse func(*http.Request) (int, string)) stage {
	t.Helper()
	s := processiontest.New(t, processiontest.Options{
		Register: func(w *procession.Worker) error { useractions.Register(w); return nil }, Refuse: refuse,
	})
	process := s.NewProcess()
	process.Metadata = &rest.JSONValue{Value: json.RawMessage(`{"LAST_NAME":"=Demo"}`)}
	s.NewItem(rest.ProcessItem{
		ID: uuid.New(), Type: rest.ProcessItemTypeTASK, ProcessID: process.ID,
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: "LOAN_APPLICATION"},
		Task: &rest.ProcessItemTask{State: rest.ProcessItemTaskStateREADY, Data: &rest.JSONValue{
			Value: json.RawMessage(`{"AMOUNT":1E22,"FIRST_NAME":"A, B","OPEN":{"a":1}}`),
		}},
	})
	return stage{s, process, procession.UserActionRequest{ProcessID: process.ID, UserActionID: s.NewUserAction(process.ID)}}
}

func (s stage) run(workflowType string) (string, error) {
	var response procession.WorkflowResponse
	err := s.Execute(workflowType, s.action, &response)
	return response.Message, err
}

// refusing answers uploads with a status.
func refusing(status int) func(*http.Request) (int, string) {
	return func(r *http.Request) (int, string) {
		if r.Method == http.MethodPost {
			return status, ""
		}
		return 0, ""
	}
}

func TestReportHoldsWhatTheLoanHolds(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	message, err := s.run(useractions.ReportWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The report is ready", message)
	require.Equal(t, []processiontest.Document{{
		Query: map[string]string{
			"fileContentType": "text/csv", "fileName": "loan.csv", "userActionValueId": s.action.UserActionID.String(),
		},
		Content: "item,state,name,value\nLOAN,RUNNING,id," + s.process.ID.String() + "\nLOAN,RUNNING,LAST_NAME,'=Demo\n" +
			"LOAN_APPLICATION,READY,AMOUNT,1E22\nLOAN_APPLICATION,READY,FIRST_NAME,\"A, B\"\n" +
			"LOAN_APPLICATION,READY,OPEN,\"{\"\"a\"\":1}\"\n",
	}}, s.Documents())
}

func TestReportThatIsNotAwaited(t *testing.T) {
	t.Parallel()
	message, err := newStage(t, refusing(http.StatusNotModified)).run(useractions.ReportWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The report is not waited for any longer", message)
}

func TestReportOfALoanThatThereIsNot(t *testing.T) {
	t.Parallel()
	_, err := newStage(t, refusing(http.StatusForbidden)).run(useractions.ReportWorkflow)
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.True(t, failed.NonRetryable())
}

func TestNudgeNamesTheOpenTasksOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for range 2 {
		message, err := s.run(useractions.NudgeWorkflow)
		require.NoError(t, err)
		require.Equal(t, "Waiting for LOAN_APPLICATION", message)
	}
	require.Equal(t, []string{"LOAN_APPLICATION", "NOTE"}, s.Codes())
	require.Equal(t, "Waiting for LOAN_APPLICATION", *s.Items()[1].Message.Text)
}

func TestNudgeOfAFinishedLoan(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.process.State = rest.ProcessStateCOMPLETED
	message, err := s.run(useractions.NudgeWorkflow)
	require.NoError(t, err)
	require.Equal(t, "The loan is decided", message)
	require.Len(t, s.Items(), 1)
}
