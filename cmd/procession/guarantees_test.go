package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/devstack/demo"
)

// guarantees are the rows of the table in docs/temporal.md: the calls of a worker that a cluster denies.
type guarantees struct {
	// namespace is true if a worker of another tenant cannot list workflows.
	namespace bool
	// queue is true if another application of the tenant cannot poll the queue of the loan worker.
	queue bool
	// targets is true if that application cannot signal the workflows of the loan worker.
	targets bool
	// forgery is true if an altered token is refused.
	forgery bool
}

// requireGuarantees makes each of the calls.
func (s *testStack) requireGuarantees(want guarantees) {
	s.t.Helper()
	runner := s.applySurvey()
	own, other := s.clientOf(runner).WorkflowService(), s.clientOf(demo.OtherWorker()).WorkflowService()
	forged := s.clientOf(runner, func(o *client.Options) {
		o.Credentials = client.NewAPIKeyStaticCredentials(alterSignature(s.engineToken(runner)))
		o.ConnectionOptions.TLSDisabled = !s.config.TemporalTLS
	}).WorkflowService()
	list := func(service workflowservice.WorkflowServiceClient) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := service.ListWorkflowExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: "demo"})
			return err
		}
	}
	poll := func(ctx context.Context) error {
		_, err := own.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
			Namespace: "demo", Identity: "test", TaskQueue: &taskqueue.TaskQueue{Name: "QUEUE_SAMPLE_LOAN", Kind: enums.TASK_QUEUE_KIND_NORMAL},
		})
		return err
	}
	signal := func(ctx context.Context) error {
		_, err := own.SignalWorkflowExecution(ctx, &workflowservice.SignalWorkflowExecutionRequest{
			Namespace: "demo", WorkflowExecution: &common.WorkflowExecution{WorkflowId: "process-of-the-loan-worker"}, SignalName: "test",
		})
		return err
	}
	require.Equal(s.t, want, guarantees{
		namespace: s.denies(list(other)), queue: s.denies(poll), targets: s.denies(signal), forgery: s.denies(list(forged)),
	})
}

// denies reports whether Temporal denies a call. Of polls that it permits it demands a longer timeout.
func (s *testStack) denies(call func(context.Context) error) bool {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
	defer cancel()
	err := call(ctx)
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](err); ok {
		return true
	}
	_, missing := errors.AsType[*serviceerror.NotFound](err)
	_, short := errors.AsType[*serviceerror.FailedPrecondition](err)
	require.True(s.t, err == nil || missing || short, "%v", err)
	return false
}

// alterSignature changes a character in the signature of a token.
func alterSignature(token string) string {
	at := strings.LastIndex(token, ".") + 10
	changed := "A"
	if token[at:at+1] == changed {
		changed = "B"
	}
	return token[:at] + changed + token[at+1:]
}

func TestGuaranteesOfTheOwnTemporal(t *testing.T) {
	t.Parallel()
	newStack(t, false).requireGuarantees(guarantees{namespace: true, queue: true, targets: true, forgery: true})
}
