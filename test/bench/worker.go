package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	signalName = "KuFlow_Engine_Signal_Process_Item"
	// laterAfter is longer than the time after which the service looks less often
	// for workflows that end.
	laterAfter = 40 * time.Second
)

type workflowRequest struct {
	ProcessID string `json:"processId"`
}

type workflowResponse struct {
	Message string `json:"message"`
}

// returnAtOnce is a workflow that returns at once.
func returnAtOnce(workflow.Context, workflowRequest) (workflowResponse, error) {
	return workflowResponse{Message: "done"}, nil
}

// waitForSignal returns when one task is completed.
func waitForSignal(ctx workflow.Context, _ workflowRequest) (workflowResponse, error) {
	workflow.GetSignalChannel(ctx, signalName).Receive(ctx, nil)
	return workflowResponse{Message: "done"}, nil
}

// returnLater returns when no caller waits for it any more.
func returnLater(ctx workflow.Context, _ workflowRequest) (workflowResponse, error) {
	err := workflow.Sleep(ctx, laterAfter)
	return workflowResponse{Message: "done"}, err
}

// startWorker serves the queue of the bench until it is stopped. It waits until
// the service has made the namespace of the tenant.
func startWorker(ctx context.Context, c client.Client, watch *watch) (w worker.Worker, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err = pollUntil(ctx, time.Second, func(context.Context) (bool, error) {
		w, err = tryWorker(c, watch)
		if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing {
			return false, nil
		}
		return true, err
	})
	return w, err
}

func tryWorker(c client.Client, watch *watch) (worker.Worker, error) {
	w := worker.New(c, taskQueue, worker.Options{
		MaxConcurrentWorkflowTaskPollers: 8,
		Interceptors:                     []interceptor.WorkerInterceptor{watch},
	})
	w.RegisterWorkflowWithOptions(returnAtOnce, workflow.RegisterOptions{Name: workflowReturn})
	w.RegisterWorkflowWithOptions(waitForSignal, workflow.RegisterOptions{Name: workflowWait})
	w.RegisterWorkflowWithOptions(returnLater, workflow.RegisterOptions{Name: workflowLater})
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("starting the worker: %w", err)
	}
	return w, nil
}

// watch records when watched workflows begin, get a signal and return. It
// observes them as an interceptor of the worker.
type watch struct {
	interceptor.WorkerInterceptorBase

	watched sync.Map // workflow id → *life
}

var _ interceptor.WorkerInterceptor = (*watch)(nil)

// life contains the times of one workflow. Each channel gets one time.
type life struct{ began, signalled, returned chan time.Time }

func newLife() *life {
	return &life{began: make(chan time.Time, 1), signalled: make(chan time.Time, 1), returned: make(chan time.Time, 1)}
}

// followWorkflow watches the workflow of a process from before it is created.
func (w *watch) followWorkflow(workflowID string) *life {
	l := newLife()
	w.watched.Store(workflowID, l)
	return l
}

// recordMoment reports a time to the follower of a workflow. A replayed workflow reports
// it again, which is ignored.
func (w *watch) recordMoment(ctx workflow.Context, which func(*life) chan time.Time) {
	if l, ok := w.watched.Load(workflow.GetInfo(ctx).WorkflowExecution.ID); ok {
		if l, ok := l.(*life); ok {
			select {
			case which(l) <- time.Now():
			default:
			}
		}
	}
}

// InterceptWorkflow implements [interceptor.WorkerInterceptor].
func (w *watch) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	i := &watchedWorkflow{watch: w}
	i.Next = next
	return i
}

type watchedWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase

	watch *watch
}

// ExecuteWorkflow implements [interceptor.WorkflowInboundInterceptor].
func (i *watchedWorkflow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	i.watch.recordMoment(ctx, func(l *life) chan time.Time { return l.began })
	result, err := i.Next.ExecuteWorkflow(ctx, in)
	i.watch.recordMoment(ctx, func(l *life) chan time.Time { return l.returned })
	return result, err
}

// HandleSignal implements [interceptor.WorkflowInboundInterceptor].
func (i *watchedWorkflow) HandleSignal(ctx workflow.Context, in *interceptor.HandleSignalInput) error {
	i.watch.recordMoment(ctx, func(l *life) chan time.Time { return l.signalled })
	return i.Next.HandleSignal(ctx, in)
}
