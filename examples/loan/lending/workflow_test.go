package lending

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/examples/loan/refusal"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

// stage is a test environment whose activities work on items in memory. Completing a task means to send its signal.
type stage struct {
	env       *testsuite.TestWorkflowEnvironment
	processID uuid.UUID
	initiator uuid.UUID
	// answers is the data each task has once it is completed, by code.
	answers map[string]restapi.Object
	// signalling sends the signals of a task just created.
	signalling func(item restapi.ProcessItem)
	// existing is the state in which a task is found to exist already, by code.
	existing map[string]string

	created []restapi.ProcessItemCreateParams
	patches []patchProcessMetadataRequest
}

func newStage(t *testing.T) *stage {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	s := &stage{
		env:       suite.NewTestWorkflowEnvironment(),
		processID: uuid.MustParse("01970000-0000-7000-8000-000000000001"),
		initiator: uuid.MustParse("01970000-0000-7000-8000-00000000c003"),
		answers:   map[string]restapi.Object{},
		existing:  map[string]string{},
	}
	s.signalling = func(item restapi.ProcessItem) { s.signal(item.ID, restapi.ItemTask) }
	(&Activities{}).Register(s.env)
	s.env.OnActivity(activityCreateProcessItem, mock.Anything, mock.Anything).Return(s.create)
	s.env.OnActivity(activityRetrieveProcessItem, mock.Anything, mock.Anything).Return(s.retrieve)
	s.env.OnActivity(activityPatchProcessMetadata, mock.Anything, mock.Anything).Return(
		func(_ context.Context, request patchProcessMetadataRequest) (processResponse, error) {
			s.patches = append(s.patches, request)
			return processResponse{}, nil
		})
	s.env.OnActivity(activityRetrieveProcess, mock.Anything, mock.Anything).Return(
		func(_ context.Context, request retrieveProcessRequest) (processResponse, error) {
			return processResponse{restapi.Process{ID: request.ProcessID, InitiatorID: &s.initiator}}, nil
		})
	return s
}

func (s *stage) create(_ context.Context, params restapi.ProcessItemCreateParams) (processItemResponse, error) {
	s.created = append(s.created, params)
	item := restapi.ProcessItem{ID: params.ID, Type: params.Type, ProcessID: params.ProcessID, Task: &restapi.Task{State: restapi.TaskReady}}
	if state, ok := s.existing[params.ProcessItemDefinitionCode]; ok {
		item.Task.State = state
		return processItemResponse{item}, nil
	}
	s.signalling(item)
	return processItemResponse{item}, nil
}

func (s *stage) retrieve(_ context.Context, request retrieveProcessItemRequest) (processItemResponse, error) {
	for code, data := range s.answers {
		if TaskID(s.processID, code) == request.ProcessItemID {
			return processItemResponse{restapi.ProcessItem{
				ID: request.ProcessItemID, Task: &restapi.Task{State: restapi.TaskCompleted, Data: &restapi.JSONValue{Value: data}},
			}}, nil
		}
	}
	return processItemResponse{}, temporal.NewNonRetryableApplicationError("no such item", refusal.Type, nil)
}

func (s *stage) signal(id uuid.UUID, kind string) {
	s.env.SignalWorkflow(SignalProcessItem, map[string]any{
		"id": id, "type": kind, "payload": map[string]string{"processItemDefinitionCode": "ANY"},
		"requestTime": "2026-01-02T03:04:05Z", "requestTimeZone": "Europe/Madrid",
	})
}

func (s *stage) applicationOf(amount, currency string) {
	s.answers[loanApplication] = restapi.Object{
		"FIRST_NAME": json.RawMessage(`"Carol"`), "LAST_NAME": json.RawMessage(`"Demo"`),
		"AMOUNT": json.RawMessage(amount), "CURRENCY": json.RawMessage(`"` + currency + `"`),
	}
}

func (s *stage) run() (WorkflowResponse, error) {
	s.env.ExecuteWorkflow(WorkflowType, map[string]any{
		"processId": s.processID, "requestTime": "2026-01-02T03:04:05Z", "requestTimeZone": "Europe/Madrid", "extras": nil,
	})
	var response WorkflowResponse
	if err := s.env.GetWorkflowError(); err != nil {
		return response, err
	}
	err := s.env.GetWorkflowResult(&response)
	return response, err
}

// codes lists the created tasks in order.
func (s *stage) codes() []string {
	var codes []string
	for _, params := range s.created {
		codes = append(codes, params.ProcessItemDefinitionCode)
	}
	return codes
}

func TestSmallLoanIsGrantedWithoutApproval(t *testing.T) {
	t.Parallel()
	for name, amount := range map[string]string{"amount as string": `"5000"`, "amount as number": `5000`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.applicationOf(amount, "EUR")
			response, err := s.run()
			require.NoError(t, err)
			require.Equal(t, WorkflowResponse{Message: "The loan is granted"}, response)
			require.Equal(t, []restapi.ProcessItemCreateParams{
				{ID: TaskID(s.processID, loanApplication), Type: "TASK", ProcessID: s.processID, ProcessItemDefinitionCode: loanApplication},
				{
					ID: TaskID(s.processID, notificationGranted), Type: "TASK", ProcessID: s.processID,
					OwnerID: &s.initiator, ProcessItemDefinitionCode: notificationGranted,
				},
			}, s.created)
			require.Equal(t, []patchProcessMetadataRequest{{s.processID, []restapi.PatchOperation{
				{Op: "add", Path: "/FIRST_NAME", Value: json.RawMessage(`"Carol"`)},
				{Op: "add", Path: "/LAST_NAME", Value: json.RawMessage(`"Demo"`)},
			}}}, s.patches)
		})
	}
}

func TestLargeLoanFollowsTheApproval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ amount, currency, approval, prefilled, notification, message string }{
		"approved, euros as string":   {`"5000.01"`, "EUR", `"YES"`, `5000.01`, notificationGranted, "The loan is granted"},
		"approved, dollars as number": {`20000`, "USD", `"YES"`, `18400.00`, notificationGranted, "The loan is granted"},
		"rejected, pounds as string":  {`"15000"`, "GBP", `"NO"`, `17550.00`, notificationRejection, "The loan is rejected"},
		"nothing said":                {`9000`, "EUR", `null`, `9000.00`, notificationRejection, "The loan is rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.applicationOf(test.amount, test.currency)
			s.answers[approveLoan] = restapi.Object{"APPROVAL": json.RawMessage(test.approval)}
			response, err := s.run()
			require.NoError(t, err)
			require.Equal(t, test.message, response.Message)
			require.Equal(t, []string{loanApplication, approveLoan, test.notification}, s.codes())
			require.Equal(t, restapi.Object{
				"FIRST_NAME": json.RawMessage(`"Carol"`), "LAST_NAME": json.RawMessage(`"Demo"`), "AMOUNT": json.RawMessage(test.prefilled),
			}, s.created[1].Task.Data.Value)
			require.Nil(t, s.created[1].OwnerID, "the approval waits for a candidate")
			require.Equal(t, &s.initiator, s.created[2].OwnerID)
		})
	}
}

func TestWorkflowWaitsForTheSignalOfItsTask(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.applicationOf(`1`, "EUR")
	begun := s.env.Now()
	s.signalling = func(item restapi.ProcessItem) {
		s.signal(item.ID, "MESSAGE")
		s.signal(uuid.MustParse("01970000-0000-7000-8000-0000000000ff"), restapi.ItemTask)
		s.env.RegisterDelayedCallback(func() {
			s.signal(item.ID, restapi.ItemTask)
			s.signal(item.ID, restapi.ItemTask)
		}, 72*time.Hour)
	}
	_, err := s.run()
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.env.Now().Sub(begun), 72*time.Hour, "other signals do not complete the task")
	require.Equal(t, []string{loanApplication, notificationGranted}, s.codes())
}

func TestSecondRunTakesUpWhatTheFirstLeft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.applicationOf(`9000`, "EUR")
	s.answers[approveLoan] = restapi.Object{"APPROVAL": json.RawMessage(`"YES"`)}
	s.existing = map[string]string{loanApplication: restapi.TaskCompleted, approveLoan: restapi.TaskCompleted}
	response, err := s.run()
	require.NoError(t, err)
	require.Equal(t, "The loan is granted", response.Message)
}

func TestWorkflowFailsForGood(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(*stage)
		want    string
	}{
		"amount is no number":       {func(s *stage) { s.applicationOf(`"much"`, "EUR") }, failureApplication},
		"currency without rate":     {func(s *stage) { s.applicationOf(`1`, "XTS") }, failureApplication},
		"application was cancelled": {func(s *stage) { s.existing[loanApplication] = restapi.TaskCancelled }, failureCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			test.prepare(s)
			_, err := s.run()
			var failed *temporal.ApplicationError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, test.want, failed.Type())
			require.True(t, failed.NonRetryable())
			require.Equal(t, []string{loanApplication}, s.codes())
		})
	}
}

func TestRequestWithoutProcessIDFails(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.env.ExecuteWorkflow(WorkflowType, WorkflowRequest{ProcessID: "x"})
	var failed *temporal.ApplicationError
	require.ErrorAs(t, s.env.GetWorkflowError(), &failed)
	require.Equal(t, failureRequest, failed.Type())
}

func TestCancelledProcessEndsTheWait(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.signalling = func(restapi.ProcessItem) { s.env.RegisterDelayedCallback(s.env.CancelWorkflow, time.Hour) }
	_, err := s.run()
	var cancelled *temporal.CanceledError
	require.ErrorAs(t, err, &cancelled)
}
