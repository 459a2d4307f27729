package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const (
	namespace = "tenant"
	queue     = "loans"
)

// request is the argument of a process's workflow as a worker sees it.
type request struct {
	ProcessID       string `json:"processId"`
	RequestTime     string `json:"requestTime"`
	RequestTimeZone string `json:"requestTimeZone"`
}

// itemSignal is the Shape B signal as a worker sees it.
type itemSignal struct {
	ID              string            `json:"id"`
	Type            string            `json:"type"`
	Payload         map[string]string `json:"payload"`
	RequestTime     string            `json:"requestTime"`
	RequestTimeZone string            `json:"requestTimeZone"`
}

type seen struct {
	Request request
	B       []itemSignal
	A       []string
}

// listener waits for two signals of shape B and one of shape A.
func listener(ctx workflow.Context, in request) (seen, error) {
	t := seen{Request: in}
	for range 2 {
		var s itemSignal
		workflow.GetSignalChannel(ctx, "KuFlow_Engine_Signal_Process_Item").Receive(ctx, &s)
		t.B = append(t.B, s)
	}
	var id string
	workflow.GetSignalChannel(ctx, "KuFlow_Engine_Signal_Completed_Task").Receive(ctx, &id)
	t.A = append(t.A, id)
	return t, nil
}

func returner(workflow.Context, request) error { return nil }

func failer(workflow.Context, request) error {
	return temporal.NewApplicationErrorWithCause("no funds\x00", "FundsError", errors.New("the bank said no"))
}

func sleeper(ctx workflow.Context, _ request) error { return workflow.Sleep(ctx, time.Hour) }

// stubborn ignores its cancellation.
func stubborn(ctx workflow.Context, _ request) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return workflow.Sleep(ctx, time.Hour)
}

// continuer continues as new and fails in the second run.
func continuer(ctx workflow.Context, in request) error {
	if workflow.GetInfo(ctx).ContinuedExecutionRunID == "" {
		return workflow.NewContinueAsNewError(ctx, "continuer", in)
	}
	return errors.New("in the second run")
}

type fixture struct {
	*engine.Engine
	client client.Client
	stack  *enginetest.Stack
}

// setUp starts Temporal with one tenant's namespace and a worker in it.
func setUp(t *testing.T) fixture {
	t.Helper()
	stack := enginetest.New(t, pgtest.New(t))
	stack.Start()
	e := stack.Engine()
	require.NoError(t, e.EnsureNamespace(t.Context(), namespace))
	c := stack.Client(namespace)
	w := worker.New(c, queue, worker.Options{})
	for name, f := range map[string]any{
		"listener": listener, "returner": returner, "failer": failer, "sleeper": sleeper,
		"stubborn": stubborn, "continuer": continuer, "busy": busy,
		"renewer": renewer, "thief": thief,
	} {
		w.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	w.RegisterActivityWithOptions(refuse, activity.RegisterOptions{Name: "refuse"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	return fixture{Engine: e, client: c, stack: stack}
}

func newCommand(workflowType string) domain.DueCommand {
	process := uuid.Must(uuid.NewV7())
	run := domain.EngineRun{
		ID: uuid.New(), Kind: domain.RunKindProcess, OwnerID: process, Namespace: namespace,
		WorkflowID: "process-" + process.String(), WorkflowType: workflowType, TaskQueue: queue,
		State: domain.RunPending,
	}
	return domain.DueCommand{
		EngineCommand: domain.EngineCommand{
			ID: uuid.New(), RunID: run.ID, Kind: domain.CommandStart,
			CreatedAt: time.Date(2026, 3, 2, 10, 30, 15, 123456000, time.UTC),
		},
		Run: run, TimeZone: "Europe/Madrid",
	}
}

// nextCommand returns the next command of a workflow that has been started.
func nextCommand(c domain.DueCommand, kind domain.CommandKind, engineRun string) domain.DueCommand {
	c.ID, c.Kind = uuid.New(), kind
	c.Run.State, c.Run.RunID = domain.RunRunning, engineRun
	return c
}

// executeCommand executes a command. Like the relay, it retries a failed one: Temporal
// sometimes aborts calls on a busy machine.
func (b fixture) executeCommand(t *testing.T, c domain.DueCommand) string {
	t.Helper()
	run, err := b.Execute(t.Context(), c)
	for range 2 {
		if err == nil {
			break
		}
		t.Log(err)
		run, err = b.Execute(t.Context(), c)
	}
	require.NoError(t, err)
	return run
}

// awaitOutcome waits until the workflow has ended and returns how.
func (b fixture) awaitOutcome(t *testing.T, c domain.DueCommand) *domain.RunEnd {
	t.Helper()
	// The error is the workflow's own; Outcome returns it.
	_ = b.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), nil)
	end, err := b.Outcome(t.Context(), c.Run, time.Now())
	require.NoError(t, err)
	require.NotNil(t, end)
	return end
}

func TestEngine(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	b := setUp(t)

	t.Run("a start that is repeated starts once", func(t *testing.T) {
		t.Parallel()
		c := newCommand("returner")
		first := b.executeCommand(t, c)
		require.Equal(t, domain.RunCompleted, b.awaitOutcome(t, c).Status)
		require.Equal(t, first, b.executeCommand(t, c), "the same command")
		c.ID = uuid.New()
		require.Equal(t, first, b.executeCommand(t, c), "another command for the same process")
	})

	t.Run("a look says what a workflow waits for and what happened", func(t *testing.T) {
		t.Parallel()
		requireViews(t, b)
	})

	t.Run("a reset that is repeated resets once", func(t *testing.T) {
		t.Parallel()
		requireResets(t, b)
	})

	t.Run("workflows are signalled about items in both shapes, once", func(t *testing.T) {
		t.Parallel()
		c := newCommand("listener")
		run := b.executeCommand(t, c)
		task, note := uuid.New(), uuid.New()
		s := nextCommand(c, domain.CommandSignal, run)
		s.ItemID, s.ItemType, s.ItemCode, s.Shape = &task, domain.ItemTask, "APPROVE", domain.SignalShapeB
		b.executeCommand(t, s)
		b.executeCommand(t, s)
		m := nextCommand(s, domain.CommandSignal, run)
		m.ItemID, m.ItemType, m.ItemCode, m.DataCode = &note, domain.ItemMessage, "", "NOTE_DATA"
		b.executeCommand(t, m)
		a := nextCommand(s, domain.CommandSignal, run)
		a.Shape = domain.SignalShapeA
		b.executeCommand(t, a)

		var got seen
		require.NoError(t, b.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), &got))
		const at, zone = "2026-03-02T10:30:15.123456Z", "Europe/Madrid"
		require.Equal(t, seen{
			Request: request{ProcessID: c.Run.OwnerID.String(), RequestTime: at, RequestTimeZone: zone},
			B: []itemSignal{
				{
					ID: task.String(), Type: "TASK", Payload: map[string]string{"processItemDefinitionCode": "APPROVE"},
					RequestTime: at, RequestTimeZone: zone,
				},
				{
					ID: note.String(), Type: "MESSAGE",
					Payload:     map[string]string{"dataStructureDataDefinitionCode": "NOTE_DATA"},
					RequestTime: at, RequestTimeZone: zone,
				},
			},
			A: []string{task.String()},
		}, got)
	})

	t.Run("a workflow that has ended needs nothing more", func(t *testing.T) {
		t.Parallel()
		c := newCommand("returner")
		run := b.executeCommand(t, c)
		b.awaitOutcome(t, c)
		for _, kind := range []domain.CommandKind{
			domain.CommandSignal, domain.CommandCancel, domain.CommandTerminate,
		} {
			next := nextCommand(c, kind, run)
			next.ItemID, next.ItemType, next.Shape = &c.ID, domain.ItemTask, domain.SignalShapeB
			b.executeCommand(t, next)
			next.Run.WorkflowID = "process-" + uuid.NewString()
			b.executeCommand(t, next)
		}
	})

	t.Run("a workflow is cancelled", func(t *testing.T) {
		t.Parallel()
		c := newCommand("sleeper")
		run := b.executeCommand(t, c)
		open, err := b.Outcome(t.Context(), c.Run, time.Now())
		require.NoError(t, err)
		require.Nil(t, open)
		b.executeCommand(t, nextCommand(c, domain.CommandCancel, run))
		require.Equal(t, domain.RunCancelled, b.awaitOutcome(t, c).Status)
	})

	t.Run("a stubborn workflow is terminated, once it was started", func(t *testing.T) {
		t.Parallel()
		c := newCommand("stubborn")
		early := nextCommand(c, domain.CommandTerminate, "")
		early.Run.State = domain.RunPending
		_, err := b.Execute(t.Context(), early)
		require.Error(t, err)
		run := b.executeCommand(t, c)
		b.executeCommand(t, nextCommand(c, domain.CommandCancel, run))
		b.executeCommand(t, nextCommand(c, domain.CommandTerminate, run))
		require.Equal(t, domain.RunCancelled, b.awaitOutcome(t, c).Status)
	})

	t.Run("a failed workflow has a reason and starts again", func(t *testing.T) {
		t.Parallel()
		c := newCommand("failer")
		first := b.executeCommand(t, c)
		end := b.awaitOutcome(t, c)
		require.Equal(t, domain.RunFailed, end.Status)
		require.Equal(t, first, end.RunID)
		require.Equal(t, "no funds\uFFFD: the bank said no", end.Message)
		require.Contains(t, end.Failure, "FundsError: no funds\uFFFD\ncaused by: the bank said no")
		require.WithinDuration(t, time.Now(), end.ClosedAt, time.Minute)

		again := nextCommand(c, domain.CommandRestart, first)
		second := b.executeCommand(t, again)
		require.NotEqual(t, first, second)
		require.Equal(t, second, b.awaitOutcome(t, c).RunID)
		require.Equal(t, second, b.executeCommand(t, again), "the same command")
	})

	t.Run("a workflow that continued as new is one run", func(t *testing.T) {
		t.Parallel()
		c := newCommand("continuer")
		first := b.executeCommand(t, c)
		end := b.awaitOutcome(t, c)
		require.Equal(t, domain.RunFailed, end.Status)
		require.Equal(t, first, end.RunID)
		c.ID = uuid.New()
		require.Equal(t, first, b.executeCommand(t, c))
	})

	t.Run("a workflow that Temporal does not know has failed", func(t *testing.T) {
		t.Parallel()
		c := nextCommand(newCommand("returner"), domain.CommandSignal, "run")
		end, err := b.Outcome(t.Context(), c.Run, time.Now())
		require.NoError(t, err)
		require.Equal(t, domain.RunFailed, end.Status)
		require.Equal(t, "run", end.RunID)
	})

	t.Run("closed workflows are listed", func(t *testing.T) {
		t.Parallel()
		c := newCommand("returner")
		run := b.executeCommand(t, c)
		ended := b.awaitOutcome(t, c)
		want := engine.Closed{
			WorkflowID: c.Run.WorkflowID, RunID: run, Completed: true,
			ClosedAt: ended.ClosedAt.Truncate(time.Microsecond),
		}
		list := func(kind engine.EndKind) []engine.Closed {
			runs, _, err := b.ListClosed(t.Context(), namespace, kind, nil)
			require.NoError(t, err)
			require.True(t, slices.IsSortedFunc(runs, func(a, b engine.Closed) int { return b.ClosedAt.Compare(a.ClosedAt) }))
			return runs
		}
		require.Eventually(t, func() bool { return slices.Contains(list(engine.EndCompleted), want) },
			10*time.Second, 250*time.Millisecond)
		for _, kind := range engine.OtherEnds() {
			require.NotContains(t, list(kind), want)
		}
	})

	t.Run("running workflows are listed", func(t *testing.T) {
		t.Parallel()
		c, done := newCommand("sleeper"), newCommand("returner")
		b.executeCommand(t, c)
		b.executeCommand(t, done)
		b.awaitOutcome(t, done)
		require.Eventually(t, func() bool {
			running, err := b.ListRunning(t.Context(), namespace, []string{c.Run.WorkflowID, done.Run.WorkflowID, "none"})
			require.NoError(t, err)
			return len(running) == 1 && running[c.Run.WorkflowID]
		}, 10*time.Second, 250*time.Millisecond)
	})

	t.Run("a namespace is made once, with its search attribute", func(t *testing.T) {
		t.Parallel()
		_, err := b.Execute(t.Context(), func() domain.DueCommand {
			c := newCommand("returner")
			c.Run.Namespace = "unknown"
			return c
		}())
		require.True(t, engine.NamespaceMissing(err), "%v", err)
		require.False(t, engine.Unavailable(err))
		require.NoError(t, b.EnsureNamespace(t.Context(), namespace))
		attributes, err := b.client.OperatorService().ListSearchAttributes(t.Context(),
			&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		require.NoError(t, err)
		require.Equal(t, enumspb.INDEXED_VALUE_TYPE_INT, attributes.GetCustomAttributes()["KuFlowWorkflowVersion"])
	})
}

func TestWithoutTemporalCallsFailAsUnavailable(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t, pgtest.New(t)).Engine()
	_, err := e.Execute(t.Context(), newCommand("returner"))
	require.True(t, engine.Unavailable(err), "%v", err)
	require.Error(t, e.Ping(t.Context()))
	require.True(t, engine.Unavailable(e.EnsureNamespace(t.Context(), namespace)))
}
