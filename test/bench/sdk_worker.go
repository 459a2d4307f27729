package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

const (
	codeSDK     = "BENCH_SDK"
	codePlain   = "BENCH_PLAIN"
	workflowSDK = "BenchWorkWorkflow"
	queueSDK    = "QUEUE_BENCH_SDK"
	queuePlain  = "QUEUE_BENCH_PLAIN"
	// sdkTarget is the share of the rate of the plain worker that one of the SDK is to reach.
	sdkTarget = 0.98
)

// measureWorkers compares a worker of the SDK with a worker of Temporal's SDK and the generated client. The workflow
// of each process creates, claims, fills in, completes and reads a task.
func (b *bench) measureWorkers(ctx context.Context) error {
	stopSDK, err := b.startSDKWorker(ctx)
	if err != nil {
		return err
	}
	defer stopSDK()
	stopPlain, err := b.startPlainWorker(ctx)
	if err != nil {
		return err
	}
	defer stopPlain()
	rates := map[string][]float64{}
	codes := []string{codeSDK, codePlain}
	for round := range b.rounds + 1 {
		n := b.processes
		if round == 0 {
			n = warmUp
		}
		// Who begins changes, so that a drift of the machine favours none.
		for i := range codes {
			code := codes[(i+round)%len(codes)]
			through, err := b.runProcesses(ctx, &watch{}, engineWork{code: code}, n)
			if err != nil {
				return err
			}
			if round > 0 {
				rates[code] = append(rates[code], through)
				fmt.Fprintf(b.progress, "  %s, round %d: %.0f/s\n", code, round, through)
			}
		}
	}
	b.report.add(row{
		measure: "processes of a worker of the SDK", value: formatRate(medianOf(rates[codeSDK])),
		beside: formatRate(medianOf(rates[codePlain])) + " a plain worker",
		ratio:  medianOf(divideRounds(rates[codeSDK], rates[codePlain])), target: sdkTarget,
	})
	return nil
}

type filled struct {
	Amount int `json:"AMOUNT"`
}

// startSDKWorker runs a worker of the SDK until it is stopped.
func (b *bench) startSDKWorker(ctx context.Context) (stop func(), err error) {
	account := demo.LoanWorker()
	ready := make(chan string, 1)
	w, err := procession.NewWorker(procession.Config{
		Client: procession.ClientConfig{
			Endpoint: "http://" + b.address, Credentials: procession.ClientCredentials(account.ID.String(), account.Secret),
		},
		TemporalAddress: b.temporal, TaskQueue: queueSDK, Identity: "sdk", Logger: slog.New(slog.DiscardHandler),
		Ready: func(namespace string) { ready <- namespace },
	})
	if err != nil {
		return nil, err
	}
	procession.RegisterWorkflow(w, workflowSDK, func(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
		created, err := procession.CreateTask(ctx, codeTask)
		if err != nil {
			return procession.WorkflowResponse{}, err
		}
		if _, err := procession.Execute[procession.ItemResponse](ctx, "claimProcessItemTask", procession.ItemRequest{ProcessItemID: created.ID}); err != nil {
			return procession.WorkflowResponse{}, err
		}
		if err := procession.SetTaskData(ctx, created.ID, filled{7}); err != nil {
			return procession.WorkflowResponse{}, err
		}
		if err := procession.CompleteTask(ctx, created.ID); err != nil {
			return procession.WorkflowResponse{}, err
		}
		done, err := procession.AwaitCompletion[filled](ctx, created)
		return procession.WorkflowResponse{Message: fmt.Sprint(done.Data.Amount)}, err
	})
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	select {
	case <-ready:
		return func() { cancel(); <-ended }, nil //nolint:errcheck // its context was cancelled
	case err := <-ended:
		cancel()
		return nil, err
	case <-time.After(startTimeout):
		cancel()
		return nil, fmt.Errorf("the worker does not poll within %s", startTimeout)
	}
}

// startPlainWorker runs the same workflow with Temporal's SDK and the generated client.
func (b *bench) startPlainWorker(ctx context.Context) (stop func(), err error) {
	c, err := b.dialEngine(ctx)
	if err != nil {
		return nil, err
	}
	account := demo.LoanWorker()
	api, err := rest.NewClient("http://"+b.address+"/v2024-06-14",
		rest.WithHTTPClient(&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}),
		rest.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.SetBasicAuth(account.ID.String(), account.Secret)
			return nil
		}))
	if err != nil {
		c.Close()
		return nil, err
	}
	w := worker.New(c, queuePlain, worker.Options{})
	w.RegisterWorkflowWithOptions(plainWorkflow, workflow.RegisterOptions{Name: workflowSDK})
	plain := plainActivities{api}
	for name, f := range map[string]any{
		"create": plain.createTask, "claim": plain.claimTask, "fill": plain.fillTask, "complete": plain.completeTask, "retrieve": plain.retrieveTask,
	} {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	if err := w.Start(); err != nil {
		c.Close()
		return nil, fmt.Errorf("starting the plain worker: %w", err)
	}
	return func() { w.Stop(); c.Close() }, nil
}

func plainWorkflow(ctx workflow.Context, in workflowRequest) (workflowResponse, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	completed := map[string]bool{}
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var signal struct{ ID string }
			workflow.GetSignalChannel(ctx, signalName).Receive(ctx, &signal)
			completed[signal.ID] = true
		}
	})
	var item rest.ProcessItem
	if err := workflow.ExecuteActivity(ctx, "create", in.ProcessID).Get(ctx, &item); err != nil {
		return workflowResponse{}, err
	}
	for _, step := range []string{"claim", "fill", "complete"} {
		var after rest.ProcessItem
		if err := workflow.ExecuteActivity(ctx, step, item.ID).Get(ctx, &after); err != nil {
			return workflowResponse{}, err
		}
	}
	if err := workflow.Await(ctx, func() bool { return completed[item.ID.String()] }); err != nil {
		return workflowResponse{}, err
	}
	if err := workflow.ExecuteActivity(ctx, "retrieve", item.ID).Get(ctx, &item); err != nil {
		return workflowResponse{}, err
	}
	var data filled
	err := json.Unmarshal(item.Task.Data.Value, &data)
	return workflowResponse{Message: fmt.Sprint(data.Amount)}, err
}

// plainActivities call the API as the activities of the SDK do.
type plainActivities struct {
	api *rest.Client
}

func (p plainActivities) createTask(ctx context.Context, process uuid.UUID) (rest.ProcessItem, error) {
	return checkAnswer(p.api.CreateProcessItem(ctx, rest.ProcessItemCreateParams{
		ID: new(uuid.NewSHA1(process, []byte(codeTask))), Type: rest.ProcessItemTypeTASK, ProcessID: process, ProcessItemDefinitionCode: new(codeTask),
	}))
}

func (p plainActivities) claimTask(ctx context.Context, id uuid.UUID) (rest.ProcessItem, error) {
	return checkAnswer(p.api.ClaimProcessItemTask(ctx, id))
}

func (p plainActivities) fillTask(ctx context.Context, id uuid.UUID) (rest.ProcessItem, error) {
	return checkAnswer(p.api.PatchProcessItemTaskDataWithApplicationJSONPatchPlusJSONBody(ctx, id, rest.JSONPatch{{
		Op: rest.JSONPatchOperationOpAdd, Path: "/AMOUNT", Value: json.RawMessage(`7`),
	}}))
}

func (p plainActivities) completeTask(ctx context.Context, id uuid.UUID) (rest.ProcessItem, error) {
	return checkAnswer(p.api.CompleteProcessItemTask(ctx, id))
}

func (p plainActivities) retrieveTask(ctx context.Context, id uuid.UUID) (rest.ProcessItem, error) {
	return checkAnswer(p.api.RetrieveProcessItem(ctx, id))
}

// checkAnswer reads the item that an operation answers.
func checkAnswer(response *http.Response, err error) (rest.ProcessItem, error) {
	var item rest.ProcessItem
	if err != nil {
		return item, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusMultipleChoices {
		return item, fmt.Errorf("the service answers %d", response.StatusCode)
	}
	return item, json.NewDecoder(response.Body).Decode(&item)
}
