package procession_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest"
	"github.com/procession-dev/procession/sdk/rest"
)

type report struct {
	Amount json.Number `json:"AMOUNT"`
}

// running returns a service that runs one workflow, which is about a process.
func running(
	t *testing.T, options processiontest.Options, f func(workflow.Context, procession.WorkflowRequest) (procession.WorkflowResponse, error),
) *processiontest.Service {
	t.Helper()
	options.Workflow = "ClaimWorkflow"
	options.Register = func(w *procession.Worker) error {
		procession.RegisterWorkflow(w, "ClaimWorkflow", f)
		return nil
	}
	return processiontest.New(t, options)
}

// claim awaits one task and returns its amount.
func claim(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	task, err := procession.AwaitTask[report](ctx, "REPORT")
	return procession.WorkflowResponse{Message: task.Data.Amount.String()}, err
}

func TestTaskIsAwaited(t *testing.T) {
	t.Parallel()
	s := running(t, processiontest.Options{}, claim)
	s.When("REPORT", func(task *processiontest.Task) {
		// Other signals do not complete the task, nor do its own while it is open, and they may come twice.
		task.Signal(task.Item.ID, rest.ProcessItemTypeMESSAGE)
		task.Signal(uuid.New(), rest.ProcessItemTypeTASK)
		task.Signal(task.Item.ID, rest.ProcessItemTypeTASK)
		task.After(time.Hour, func() { task.Signal(task.Item.ID, rest.ProcessItemTypeTASK) })
		task.After(72*time.Hour, func() {
			task.Complete(json.RawMessage(`{"AMOUNT":1234567890.12345678901234567890,"MORE":true}`))
			task.Signal(task.Item.ID, rest.ProcessItemTypeTASK)
		})
	})
	response, err := s.Run()
	require.NoError(t, err)
	require.Equal(t, "1234567890.12345678901234567890", response.Message)
	require.Equal(t, []string{"REPORT"}, s.Codes())
}

func TestSecondRunFindsResourcesOfTheFirst(t *testing.T) {
	t.Parallel()
	s := running(t, processiontest.Options{}, claim)
	process := s.NewProcess()
	s.NewItem(rest.ProcessItem{
		ID: procession.ItemID(process.ID, "REPORT"), Type: rest.ProcessItemTypeTASK, ProcessID: process.ID,
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: "REPORT"},
		Task:                     &rest.ProcessItemTask{State: rest.ProcessItemTaskStateCOMPLETED, Data: &rest.JSONValue{Value: json.RawMessage(`{"AMOUNT":7}`)}},
	})
	var response procession.WorkflowResponse
	require.NoError(t, s.Execute("ClaimWorkflow", procession.WorkflowRequest{ProcessID: process.ID}, &response))
	require.Equal(t, "7", response.Message)
	require.Len(t, s.Items(), 1)
}

func TestTasksThatDoNotEndWell(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil  func(string, *rest.ProcessItem)
		data   string
		refuse string
		want   string
	}{
		"cancelled":             {spoil: func(_ string, item *rest.ProcessItem) { item.Task.State = rest.ProcessItemTaskStateCANCELLED }, want: procession.TaskCancelled},
		"data of another form":  {data: `{"AMOUNT":{}}`, want: procession.TaskDataInvalid},
		"refused by the server": {refuse: `{"status":403,"message":"no","errors":[{"code":"PROCESS_FINISHED","message":"no"}]}`, want: procession.RestFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := processiontest.Options{Spoil: test.spoil}
			if test.refuse != "" {
				options.Refuse = func(*http.Request) (int, string) { return http.StatusForbidden, test.refuse }
			}
			s := running(t, options, claim)
			s.When("REPORT", func(task *processiontest.Task) { task.Complete(json.RawMessage(test.data)) })
			if test.data == "" {
				s.When("REPORT", func(*processiontest.Task) {})
			}
			_, err := s.Run()
			var failed *temporal.ApplicationError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, test.want, failed.Type())
			require.True(t, failed.NonRetryable())
			var body rest.DefaultError
			if test.refuse != "" {
				require.NoError(t, failed.Details(&body))
				require.Equal(t, rest.ErrorCodePROCESSFINISHED, body.Errors[0].Code)
			}
		})
	}
}

func TestOutageOfTheServiceIsWaitedFor(t *testing.T) {
	t.Parallel()
	calls := 0
	s := running(t, processiontest.Options{Refuse: func(*http.Request) (int, string) {
		if calls++; calls < 9 {
			return http.StatusServiceUnavailable, ""
		}
		return 0, ""
	}}, claim)
	s.When("REPORT", func(task *processiontest.Task) { task.Complete(nil) })
	_, err := s.Run()
	require.NoError(t, err)
	require.Greater(t, calls, 9)
}

func TestCancelledProcessEndsTheWait(t *testing.T) {
	t.Parallel()
	s := running(t, processiontest.Options{}, claim)
	s.When("REPORT", func(task *processiontest.Task) { task.After(time.Hour, task.CancelProcess) })
	_, err := s.Run()
	var cancelled *temporal.CanceledError
	require.ErrorAs(t, err, &cancelled)
}

// A reminder after a day, and another task in place of the one that takes too long.
func TestTimersWithTasks(t *testing.T) {
	t.Parallel()
	s := running(t, processiontest.Options{}, func(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
		created, err := procession.CreateTask(ctx, "REPORT", procession.WithKey("first"))
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		done, err := workflow.AwaitWithTimeout(ctx, 24*time.Hour, func() bool { return procession.Completed(ctx, created) })
		if err != nil || done {
			return procession.WorkflowResponse{Message: "in time"}, err
		}
		if _, err := procession.SendMessage(ctx, "REMINDER", "Please report"); err != nil {
			return procession.WorkflowResponse{}, err
		}
		second, err := procession.AwaitTask[report](ctx, "REPORT", procession.WithKey("second"), procession.WithData(report{Amount: "1"}))
		return procession.WorkflowResponse{Message: second.Data.Amount.String()}, err
	})
	s.When("REPORT", func(task *processiontest.Task) {
		if string(task.Item.Task.Data.Value) != "{}" {
			task.Complete(nil)
		}
	})
	response, err := s.Run()
	require.NoError(t, err)
	require.Equal(t, "1", response.Message)
	require.Equal(t, []string{"REPORT", "REMINDER", "REPORT"}, s.Codes())
	require.Equal(t, "Please report", *s.Items()[1].Message.Text)
}

func TestMetadataAndRelatedProcesses(t *testing.T) {
	t.Parallel()
	s := running(t, processiontest.Options{}, func(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
		if err := procession.SetMetadata(ctx, struct{}{}); err != nil {
			return procession.WorkflowResponse{}, err
		}
		if err := procession.SetMetadata(ctx, map[string]any{"a/b": 1, "c~d": "x"}); err != nil {
			return procession.WorkflowResponse{}, err
		}
		if _, err := procession.StartRelatedProcess(ctx, "OTHER", "", report{Amount: "5"}); err != nil {
			return procession.WorkflowResponse{}, err
		}
		read, err := procession.Metadata[map[string]json.RawMessage](ctx)
		return procession.WorkflowResponse{Message: string(read["c~d"])}, err
	})
	process := s.NewProcess()
	var response procession.WorkflowResponse
	require.NoError(t, s.Execute("ClaimWorkflow", procession.WorkflowRequest{ProcessID: process.ID}, &response))
	require.Equal(t, `"x"`, response.Message)
	require.JSONEq(t, `{"a/b":1,"c~d":"x"}`, string(process.Metadata.Value))
	require.Len(t, s.Processes(), 2)
}

func TestMessagesOfUsersAreReceivedOnce(t *testing.T) {
	t.Parallel()
	message := uuid.New()
	s := running(t, processiontest.Options{}, func(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
		if _, err := procession.AwaitTask[report](ctx, "REPORT"); err != nil {
			return procession.WorkflowResponse{}, err
		}
		received, err := procession.AwaitMessage(ctx)
		return procession.WorkflowResponse{Message: *received.Message.Text}, err
	})
	text := "Hello"
	s.NewItem(rest.ProcessItem{
		ID: message, Type: rest.ProcessItemTypeMESSAGE, Message: &rest.ProcessItemMessage{Text: &text},
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: "NOTE"},
	})
	s.When("REPORT", func(task *processiontest.Task) {
		task.Signal(message, rest.ProcessItemTypeMESSAGE)
		task.Signal(message, rest.ProcessItemTypeMESSAGE)
		task.Complete(nil)
	})
	response, err := s.Run()
	require.NoError(t, err)
	require.Equal(t, "Hello", response.Message)
}

// Only the workflow of the process gets signals, so the others must not wait for them.
func TestOthersCannotAwaitTasks(t *testing.T) {
	t.Parallel()
	s := processiontest.New(t, processiontest.Options{Register: func(w *procession.Worker) error {
		procession.RegisterWorkflow(w, "ActionWorkflow", func(ctx workflow.Context, _ procession.UserActionRequest) (procession.WorkflowResponse, error) {
			_, err := procession.AwaitTask[report](ctx, "REPORT")
			return procession.WorkflowResponse{}, err
		})
		procession.RegisterWorkflow(w, "OtherWorkflow", func(ctx workflow.Context, _ string) (string, error) {
			_, err := procession.RetrieveProcess(ctx)
			return "", err
		})
		return nil
	}})
	err := s.Execute("ActionWorkflow", procession.UserActionRequest{ProcessID: s.NewProcess().ID}, nil)
	require.ErrorContains(t, err, "only the workflow of the process")
	require.ErrorContains(t, s.Execute("OtherWorkflow", "", nil), "not about a process")
}

func TestRobotFillsInItsTask(t *testing.T) {
	t.Parallel()
	s := processiontest.New(t, processiontest.Options{Register: func(w *procession.Worker) error {
		procession.RegisterWorkflow(w, "RobotWorkflow", func(ctx workflow.Context, r procession.RobotRequest) (procession.WorkflowResponse, error) {
			return procession.WorkflowResponse{}, procession.SetTaskData(ctx, r.ProcessItemID, report{Amount: "3"})
		})
		return nil
	}})
	process := s.NewProcess()
	id := uuid.New()
	s.NewItem(rest.ProcessItem{
		ID: id, Type: rest.ProcessItemTypeTASK, ProcessID: process.ID, OwnerID: new(uuid.UUID),
		ProcessItemDefinitionRef: &rest.ProcessItemDefinitionRef{Code: "REPORT"}, Task: &rest.ProcessItemTask{},
	})
	require.NoError(t, s.Execute("RobotWorkflow", procession.RobotRequest{ProcessID: process.ID, ProcessItemID: id}, nil))
	require.JSONEq(t, `{"AMOUNT":3}`, string(s.Items()[0].Task.Data.Value))
}

func TestDataSources(t *testing.T) {
	t.Parallel()
	type item struct {
		ID string `json:"id"`
	}
	s := processiontest.New(t, processiontest.Options{Register: func(w *procession.Worker) error {
		procession.RegisterDataSource(w, "GOODS", procession.DataSource[item]{
			Query: func(context.Context, procession.DataSourceQuery) (procession.DataSourcePage[item], error) {
				return procession.DataSourcePage[item]{TotalElements: 3}, nil
			},
		})
		// The service asks from workflows of its own.
		procession.RegisterWorkflow(w, "Query", func(ctx workflow.Context, q procession.DataSourceQuery) (map[string]any, error) {
			return procession.Call[map[string]any](ctx, "KuFlow_DataSource_RunQuery", q)
		})
		procession.RegisterWorkflow(w, "Validate", func(ctx workflow.Context, c procession.DataSourceCheck) (procession.DataSourceVerdicts, error) {
			return procession.Call[procession.DataSourceVerdicts](ctx, "KuFlow_DataSource_ValidateValue", c)
		})
		return nil
	}})
	var page map[string]any
	require.NoError(t, s.Execute("Query", procession.DataSourceQuery{Code: "GOODS", PageNumber: 1, PageSize: 2}, &page))
	require.Equal(t, map[string]any{"pageNumber": 1.0, "pageSize": 2.0, "totalElements": 3.0, "totalPages": 2.0, "items": []any{}}, page)
	require.ErrorContains(t, s.Execute("Query", procession.DataSourceQuery{Code: "GOODS"}, &page), "a page is required")
	require.ErrorContains(t, s.Execute("Query", procession.DataSourceQuery{Code: "OTHERS", PageSize: 2}, &page), `no data source "OTHERS" here`)
	var verdicts procession.DataSourceVerdicts
	require.NoError(t, s.Execute("Validate", procession.DataSourceCheck{Code: "GOODS", Values: []string{"a"}}, &verdicts))
	require.Equal(t, []procession.DataSourceVerdict{{Valid: true}}, verdicts.Validations)
}
