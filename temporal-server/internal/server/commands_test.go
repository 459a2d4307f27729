package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// errand runs an activity on another task queue.
func errand(ctx workflow.Context, queue string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: queue, StartToCloseTimeout: 10 * time.Second})
	var result string
	err := workflow.ExecuteActivity(ctx, "step", "a").Get(ctx, &result)
	return result, err
}

func TestWorkflowsUseTheTenantsQueuesOnly(t *testing.T) {
	t.Parallel()
	metrics := freeAddress(t)
	w := startTestServer(t, func(o *options.Options) { o.MetricsListen = metrics })
	w.addNamespace(t, "alpha")
	cert := w.ca.client(t, "alpha")
	deciding := worker.New(w.sdk(t, "alpha", cert, withClaim(claims("alpha", "q1"), "tenant_task_queues", []string{"q1", "q2"})), "q1", worker.Options{})
	deciding.RegisterWorkflowWithOptions(errand, workflow.RegisterOptions{Name: "errand"})
	require.NoError(t, deciding.Start())
	defer deciding.Stop()
	acting := worker.New(w.sdk(t, "alpha", cert, claims("alpha", "q2")), "q2", worker.Options{})
	acting.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: "step"})
	require.NoError(t, acting.Start())
	defer acting.Stop()

	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1"}, "errand", "q2")
	require.NoError(t, err)
	require.NoError(t, run.Get(ctx, nil), "the tenant knows the other queue")
	require.Empty(t, w.log.lines("call refused"))

	_, err = service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1"}, "errand", "q3")
	require.NoError(t, err)
	reason := `"class":"command","reason":"command ScheduleActivityTask names task queue \"q3\", which the tenant does not know"`
	require.Eventually(t, func() bool { return len(w.log.lines(reason)) > 0 }, 10*time.Second, 10*time.Millisecond)
	for _, part := range []string{
		`procession_calls_refused{method="RespondWorkflowTaskCompleted",reason="command"`,
		`procession_document_age_seconds{document="token_keys"`,
		`procession_document_age_seconds{document="revocations"`,
		`service_requests{`,
	} {
		require.Eventually(t, func() bool { return strings.Contains(scrape(t, metrics), part) }, 10*time.Second, 50*time.Millisecond, part)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

func scrape(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/metrics", address), nil)
	require.NoError(t, err)
	res, err := (&http.Client{}).Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(body)
}

// family starts a child on another queue, signals it before and after the child has started, waits for the child's signal, continues as new,
// and cancels the child.
func family(ctx workflow.Context, child string) (string, error) {
	if child != "" {
		return "done", workflow.RequestCancelExternalWorkflow(ctx, child, "").Get(ctx, nil)
	}
	child = workflow.GetInfo(ctx).WorkflowExecution.ID + "-child"
	started := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: child, TaskQueue: "q2", ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
	}), "child", workflow.GetInfo(ctx).WorkflowExecution.ID)
	if err := started.SignalChildWorkflow(ctx, "go", nil).Get(ctx, nil); err != nil {
		return "", err
	}
	if err := workflow.SignalExternalWorkflow(ctx, child, "", "go", nil).Get(ctx, nil); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, "ready").Receive(ctx, nil)
	return "", workflow.NewContinueAsNewError(ctx, "family", child)
}

// child signals its parent when it was signalled twice, and waits for its cancellation.
func child(ctx workflow.Context, parent string) error {
	for range 2 {
		workflow.GetSignalChannel(ctx, "go").Receive(ctx, nil)
	}
	if err := workflow.SignalExternalWorkflow(ctx, parent, "", "ready", nil).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.Sleep(ctx, time.Hour)
}

func TestWorkflowsOfOneCallerReachEachOther(t *testing.T) {
	t.Parallel()
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	engine := w.sdk(t, "alpha", w.ca.client(t, "alpha"), claims("alpha", "q1", "q2"))
	for _, queue := range []string{"q1", "q2"} {
		serving := worker.New(engine, queue, worker.Options{})
		serving.RegisterWorkflowWithOptions(family, workflow.RegisterOptions{Name: "family"})
		serving.RegisterWorkflowWithOptions(child, workflow.RegisterOptions{Name: "child"})
		require.NoError(t, serving.Start())
		defer serving.Stop()
	}
	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "order-1", TaskQueue: "q1"}, "family", "")
	require.NoError(t, err)
	require.NoError(t, run.Get(ctx, nil))
	var canceled *temporal.CanceledError
	require.ErrorAs(t, service.GetWorkflow(ctx, "order-1-child", "").Get(ctx, nil), &canceled)
	require.Empty(t, w.log.lines("call refused"))
}
