package access_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"

	"github.com/procession-dev/procession/temporal-server/access"
)

// pollSticky polls a sticky queue as SDKs before mid-2023 do: without the name of the normal one.
func pollSticky(t *testing.T, g *access.Guard, token, name string) error {
	t.Helper()
	return pollQueue(t, g, token, &taskqueue.TaskQueue{Name: name, Kind: enums.TASK_QUEUE_KIND_STICKY})
}

func pollQueue(t *testing.T, g *access.Guard, token string, queue *taskqueue.TaskQueue) error {
	t.Helper()
	_, err := call(t, g, token, workflowservice.WorkflowService_PollWorkflowTaskQueue_FullMethodName,
		&workflowservice.PollWorkflowTaskQueueRequest{Namespace: "alpha", TaskQueue: queue}, &workflowservice.PollWorkflowTaskQueueResponse{})
	return err
}

const (
	notYours  = "the task queue belongs to another subject"
	noSticky  = "is not a sticky queue's name"
	completed = workflowservice.WorkflowService_RespondWorkflowTaskCompleted_FullMethodName
)

func TestAStickyQueueBelongsToItsFirstSubject(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	g, again := newGuard(t, o), newGuard(t, o)
	mine, theirs := p.signToken(t, nil), p.signToken(t, map[string]any{"sub": "robot-2"})
	sticky := "host:" + uuid.NewString()
	require.NoError(t, pollSticky(t, g, mine, sticky))
	require.NoError(t, pollSticky(t, g, mine, sticky))
	require.NoError(t, pollSticky(t, again, mine, sticky))
	require.ErrorContains(t, pollSticky(t, g, theirs, sticky), notYours)
	require.ErrorContains(t, pollSticky(t, newGuard(t, o), theirs, sticky), notYours, "another frontend, or after a restart")
	require.NoError(t, pollSticky(t, g, theirs, "host:"+uuid.NewString()))

	answer := func(token, sticky string) error {
		_, err := call(t, g, token, completed, &workflowservice.RespondWorkflowTaskCompletedRequest{
			Namespace: "alpha", TaskToken: workflowTask(t, g, token),
			StickyAttributes: &taskqueue.StickyExecutionAttributes{WorkerTaskQueue: &taskqueue.TaskQueue{Name: sticky, Kind: enums.TASK_QUEUE_KIND_STICKY}},
		}, &workflowservice.RespondWorkflowTaskCompletedResponse{})
		return err
	}
	named := "host:" + uuid.NewString()
	require.NoError(t, answer(mine, named), "it may be named before it is polled")
	require.ErrorContains(t, answer(theirs, named), notYours)
	require.ErrorContains(t, pollSticky(t, g, theirs, named), notYours)

	shutdown := func(token, sticky string) error {
		_, err := call(t, g, token, workflowservice.WorkflowService_ShutdownWorker_FullMethodName,
			&workflowservice.ShutdownWorkerRequest{Namespace: "alpha", StickyTaskQueue: sticky}, &workflowservice.ShutdownWorkerResponse{})
		return err
	}
	unknown := "host:" + uuid.NewString()
	require.ErrorContains(t, shutdown(theirs, sticky), notYours)
	require.NoError(t, shutdown(mine, sticky))
	require.NoError(t, shutdown(theirs, unknown))
	require.NoError(t, pollSticky(t, g, mine, unknown), "a shutdown claims nothing")
}

func TestAStickyQueueIsNotANormalOne(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g := newGuard(t, p.options())
	normal := "orders-" + uuid.NewString()
	serving := p.signToken(t, map[string]any{"task_queues": []string{normal}})
	foreign := p.signToken(t, map[string]any{"sub": "robot-2"})
	tenant := p.signToken(t, map[string]any{"sub": "robot-2", "tenant_task_queues": []string{normal}})
	require.ErrorContains(t, pollSticky(t, g, foreign, "q2"), noSticky)
	require.ErrorContains(t, pollSticky(t, g, tenant, normal), noSticky, "the token says that it is a normal one")

	require.NoError(t, pollSticky(t, g, foreign, normal), "its name is like any sticky queue's")
	require.NoError(t, pollQueue(t, g, serving, &taskqueue.TaskQueue{Name: normal}), "a token goes before a claim")
	require.ErrorContains(t, pollSticky(t, g, foreign, normal), "a normal task queue has the name of the sticky one")
	require.NoError(t, pollQueue(t, g, serving, &taskqueue.TaskQueue{Name: normal}))

	for api, request := range map[string]proto.Message{
		workflowservice.WorkflowService_PollActivityTaskQueue_FullMethodName: &workflowservice.PollActivityTaskQueueRequest{
			Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: uuid.NewString(), Kind: enums.TASK_QUEUE_KIND_STICKY},
		},
		workflowservice.WorkflowService_PollNexusTaskQueue_FullMethodName: &workflowservice.PollNexusTaskQueueRequest{
			Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: uuid.NewString(), Kind: enums.TASK_QUEUE_KIND_STICKY},
		},
	} {
		require.Contains(t, decide(t, g, foreign, 1, api, request).Reason, "sticky task queues hold workflow tasks only")
	}
	idle := p.signToken(t, map[string]any{"task_queues": []string{}, "tenant_task_queues": []string{}})
	require.ErrorContains(t, pollSticky(t, g, idle, "host:"+uuid.NewString()), "the token covers no task queue")
}

func TestAControlQueueBelongsToItsFirstSubject(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	g := newGuard(t, p.options())
	control := "temporal-sys/worker-commands/alpha/" + uuid.NewString()
	poll := func(token string) error {
		_, err := call(t, g, token, workflowservice.WorkflowService_PollNexusTaskQueue_FullMethodName, &workflowservice.PollNexusTaskQueueRequest{
			Namespace: "alpha", TaskQueue: &taskqueue.TaskQueue{Name: control, Kind: enums.TASK_QUEUE_KIND_WORKER_COMMANDS},
		}, &workflowservice.PollNexusTaskQueueResponse{})
		return err
	}
	require.NoError(t, poll(p.signToken(t, nil)))
	require.ErrorContains(t, poll(p.signToken(t, map[string]any{"sub": "robot-2"})), notYours)
}

// failingStore is a store with an error for every queue.
type failingStore struct {
	access.Store

	err error
}

func (f failingStore) Claim(context.Context, access.Claim, int) (string, error) { return "", f.err }

func TestWithoutTheStoreNoStickyQueueIsServed(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	for _, c := range []struct {
		err  error
		want any
	}{{errors.New("connection refused"), new(*serviceerror.Unavailable)}, {access.ErrTooManyQueues, new(*serviceerror.ResourceExhausted)}} {
		o := p.options()
		o.Store = failingStore{o.Store, c.err}
		g, token := newGuard(t, o), p.signToken(t, nil)
		err := pollSticky(t, g, token, "host:"+uuid.NewString())
		require.ErrorAs(t, err, c.want)
		require.NotContains(t, err.Error(), "connection")
		require.NoError(t, pollQueue(t, g, token, &taskqueue.TaskQueue{Name: "q1"}))
	}
	broken := p.options()
	broken.Store = nil
	_, err := access.New(t.Context(), broken)
	require.ErrorContains(t, err, "no store is given")
}

// countingStore counts the claims that reach a store.
type countingStore struct {
	access.Store

	claims int
}

func (c *countingStore) Claim(ctx context.Context, claim access.Claim, most int) (string, error) {
	c.claims++
	return c.Store.Claim(ctx, claim, most)
}

func TestPollsOfAKnownQueueDoNotReachTheStore(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	store := &countingStore{Store: o.Store}
	o.Store = store
	g, mine, theirs := newGuard(t, o), p.signToken(t, nil), p.signToken(t, map[string]any{"sub": "robot-2"})
	sticky := "host:" + uuid.NewString()
	for range 10 {
		require.NoError(t, pollSticky(t, g, mine, sticky))
		require.Error(t, pollSticky(t, g, theirs, sticky))
	}
	require.Equal(t, 1, store.claims)
}

func TestDocumentsAreNotTrustedForEver(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	o := p.options()
	o.MaxAge = 300 * time.Millisecond
	p.revocation.Store("")
	g, token := newGuard(t, o), p.signToken(t, nil)
	unavailable := func() bool {
		var err *serviceerror.Unavailable
		return errors.As(pollQueue(t, g, token, &taskqueue.TaskQueue{Name: "q1"}), &err)
	}
	require.True(t, unavailable(), "the revocations were never read")
	p.revocation.Store(revocationJSON("", ""))
	o.KeySetRefresh = 10 * time.Millisecond
	g = newGuard(t, o)
	require.NoError(t, pollQueue(t, g, token, &taskqueue.TaskQueue{Name: "q1"}))
	p.revocation.Store("")
	require.Eventually(t, unavailable, timeout, time.Millisecond, "they were last read too long ago")
	p.revocation.Store(revocationJSON("", ""))
	require.Eventually(t, func() bool { return !unavailable() }, timeout, time.Millisecond)
}
