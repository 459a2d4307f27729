package conformance

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// TaskQueue is the queue of the definitions.
const TaskQueue = "QUEUE_CONFORMANCE"

type object = map[string]any

// Register registers the workflows of the scripts in the folder "workflows" with a worker.
func Register(w *procession.Worker) error {
	procession.RegisterWorkflow(w, "ConformanceWorkflow", runSteps)
	procession.RegisterWorkflow(w, "FillWorkflow", fillTask)
	procession.RegisterWorkflow(w, "PrintWorkflow", func(ctx workflow.Context, r procession.UserActionRequest) (procession.WorkflowResponse, error) {
		awaited, err := procession.Call[bool](ctx, "Print", r)
		return procession.WorkflowResponse{Message: fmt.Sprint("awaited: ", awaited)}, err
	})
	procession.RegisterActivity(w, "Print", func(ctx context.Context, r procession.UserActionRequest) (bool, error) {
		return w.Client().UploadActionDocument(ctx, r.ProcessID, r.UserActionID, procession.Document{
			Name: "print.txt", ContentType: "text/plain", Content: []byte(r.UserActionDefinitionCode),
		})
	})
	procession.RegisterDataSource(w, "CONFORMANCE_GOODS", procession.DataSource[object]{
		Query: func(_ context.Context, q procession.DataSourceQuery) (procession.DataSourcePage[object], error) {
			if q.Filter != "" {
				return procession.DataSourcePage[object]{Error: "goods cannot be filtered"}, nil
			}
			return procession.DataSourcePage[object]{
				TotalElements: 5, Items: []object{{"id": "01970000-0000-7000-8000-0000000cf0d1", "label": q.Query, "page": q.PageNumber}},
			}, nil
		},
	})
	return nil
}

// runSteps is the workflow of the processes. The metadata of the process select its steps.
func runSteps(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	metadata, err := procession.Metadata[struct{ SCENARIO string }](ctx)
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	scenario, found := map[string]func(workflow.Context) (any, error){
		"TASKS": awaitTasks, "MESSAGES": sendMessages, "RELATED": startRelated, "OWN": changeProcess,
	}[metadata.SCENARIO]
	if !found {
		return procession.WorkflowResponse{Message: "nothing to do"}, nil
	}
	result, err := scenario(ctx)
	if err == nil {
		err = procession.SetMetadata(ctx, object{"RESULT": result})
	}
	return procession.WorkflowResponse{Message: "played"}, err
}

// awaitTasks awaits one task after another.
func awaitTasks(ctx workflow.Context) (any, error) {
	report, err := procession.AwaitTask[object](ctx, "REPORT")
	if err != nil {
		return nil, err
	}
	decided, err := procession.AwaitTask[object](ctx, "DECIDE", procession.WithData(report.Data), procession.WithContextData(object{"OF": "REPORT"}))
	return decided.Data, err
}

// sendMessages answers a message of a user.
func sendMessages(ctx workflow.Context) (any, error) {
	received, err := procession.AwaitMessage(ctx)
	if err != nil {
		return nil, err
	}
	_, err = procession.SendMessage(ctx, "NOTE", "You said: "+*received.Message.Text)
	return *received.Message.Text, err
}

// startRelated starts two processes, one of them twice.
func startRelated(ctx workflow.Context) (any, error) {
	started := object{}
	for _, key := range []string{"first", "second", "first"} {
		other, err := procession.StartRelatedProcess(ctx, "CONFORMANCE", key, object{"SCENARIO": "NONE", "KEY": key})
		if err != nil {
			return nil, err
		}
		started[other.ID.String()] = true
	}
	return len(started), nil
}

// changeProcess returns a task that the worker itself works on.
func changeProcess(ctx workflow.Context) (any, error) {
	created, err := procession.CreateTask(ctx, "REPORT")
	if err != nil {
		return nil, err
	}
	if _, err := procession.Execute[procession.ItemResponse](ctx, "claimProcessItemTask", procession.ItemRequest{ProcessItemID: created.ID}); err != nil {
		return nil, err
	}
	if err := procession.SetTaskData(ctx, created.ID, object{"A": 1}); err != nil {
		return nil, err
	}
	if err := procession.LogTask(ctx, created.ID, rest.ProcessItemTaskLogLevelINFO, "looked up"); err != nil {
		return nil, err
	}
	if err := procession.CompleteTask(ctx, created.ID); err != nil {
		return nil, err
	}
	done, err := procession.AwaitCompletion[object](ctx, created)
	return done.Data, err
}

// fillTask is the workflow of the robot: it fills in its task.
func fillTask(ctx workflow.Context, r procession.RobotRequest) (procession.WorkflowResponse, error) {
	return procession.WorkflowResponse{Message: "filled in"}, procession.SetTaskData(ctx, r.ProcessItemID, object{r.RobotOperation: 3})
}
