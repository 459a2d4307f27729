package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
)

// office is a worker with activities that are completed by their tokens, as in old
// SDKs.
type office struct {
	fixture
	// tokens receives the tokens of started activities, by process.
	tokens map[string]chan []byte
}

const quickly = time.Second

// patient waits an hour for its activity, hasty a second for each attempt.
func patient(ctx workflow.Context, in request) (string, error) { return await(ctx, in, time.Hour) }
func hasty(ctx workflow.Context, in request) (string, error)   { return await(ctx, in, quickly) }

func await(ctx workflow.Context, in request, limit time.Duration) (string, error) {
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: limit,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Millisecond, BackoffCoefficient: 1},
	}), "wait", in.ProcessID).Get(ctx, nil)
	return "went on", err
}

// newOffice serves the processes of the commands, each with one activity.
func newOffice(t *testing.T, commands ...domain.DueCommand) office {
	t.Helper()
	o := office{fixture: setUp(t), tokens: map[string]chan []byte{}}
	for _, c := range commands {
		o.tokens[c.Run.OwnerID.String()] = make(chan []byte, 100)
	}
	w := worker.New(o.client, "office", worker.Options{})
	w.RegisterWorkflowWithOptions(patient, workflow.RegisterOptions{Name: "patient"})
	w.RegisterWorkflowWithOptions(hasty, workflow.RegisterOptions{Name: "hasty"})
	w.RegisterActivityWithOptions(func(ctx context.Context, process string) error {
		o.tokens[process] <- activity.GetInfo(ctx).TaskToken
		return activity.ErrResultPending
	}, activity.RegisterOptions{Name: "wait"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	return o
}

func newOfficeCommand(workflowType string) domain.DueCommand {
	c := newCommand(workflowType)
	c.Run.TaskQueue = "office"
	return c
}

// completeCommand returns the command that completes the activity with the token.
func completeCommand(c domain.DueCommand, token []byte) domain.DueCommand {
	c = nextCommand(c, domain.CommandCompleteActivity, "run")
	c.ActivityToken = token
	return c
}

// token waits for the next activity of the process to begin.
func (o office) token(t *testing.T, c domain.DueCommand) []byte {
	t.Helper()
	select {
	case token := <-o.tokens[c.Run.OwnerID.String()]:
		return token
	case <-time.After(20 * time.Second):
		require.FailNow(t, "no activity begins")
		return nil
	}
}

func (o office) requireOpen(t *testing.T, c domain.DueCommand) {
	t.Helper()
	end, err := o.Outcome(t.Context(), c.Run, time.Now())
	require.NoError(t, err)
	require.Nil(t, end)
}

func (o office) requireWentOn(t *testing.T, c domain.DueCommand) {
	t.Helper()
	var said string
	require.NoError(t, o.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), &said))
	require.Equal(t, "went on", said)
}

func TestActivitiesAreCompletedByToken(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	done, ended, slow, alien, forged := newOfficeCommand("patient"), newOfficeCommand("patient"),
		newOfficeCommand("hasty"), newOfficeCommand("patient"), newOfficeCommand("patient")
	o := newOffice(t, done, ended, slow, alien, forged)

	t.Run("without a result, once", func(t *testing.T) {
		t.Parallel()
		o.executeCommand(t, done)
		c := completeCommand(done, o.token(t, done))
		o.executeCommand(t, c)
		o.requireWentOn(t, done)
		o.executeCommand(t, c)
	})

	t.Run("unless the workflow has ended", func(t *testing.T) {
		t.Parallel()
		o.executeCommand(t, ended)
		token := o.token(t, ended)
		require.NoError(t, o.client.TerminateWorkflow(t.Context(), ended.Run.WorkflowID, "", "enough"))
		o.executeCommand(t, completeCommand(ended, token))
		require.Equal(t, domain.RunCancelled, o.awaitOutcome(t, ended).Status)
	})

	t.Run("the attempt that has timed out stays so", func(t *testing.T) {
		t.Parallel()
		o.executeCommand(t, slow)
		first := o.token(t, slow)
		second := o.token(t, slow)
		require.NotEqual(t, first, second)
		o.executeCommand(t, completeCommand(slow, first))
		o.requireOpen(t, slow)
		// Completing the current attempt ends the workflow.
		ended := make(chan error, 1)
		go func() { ended <- o.client.GetWorkflow(t.Context(), slow.Run.WorkflowID, "").Get(t.Context(), nil) }()
		for token := second; token != nil; {
			o.executeCommand(t, completeCommand(slow, token))
			select {
			case token = <-o.tokens[slow.Run.OwnerID.String()]:
			case err := <-ended:
				require.NoError(t, err)
				token = nil
			}
		}
		o.requireWentOn(t, slow)
	})

	t.Run("not from another namespace", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, o.EnsureNamespace(t.Context(), "other"))
		o.executeCommand(t, alien)
		token := o.token(t, alien)
		c := completeCommand(alien, token)
		c.Run.Namespace = "other"
		o.executeCommand(t, c)
		o.requireOpen(t, alien)
		o.executeCommand(t, completeCommand(alien, token))
		o.requireWentOn(t, alien)
	})

	t.Run("tokens that name nothing are dropped", func(t *testing.T) {
		t.Parallel()
		for _, token := range [][]byte{
			[]byte("no token"),
			{0xff},
			{0},
			append([]byte("\x0a\x24"), uuid.NewString()...), // of a namespace that is not there
		} {
			o.executeCommand(t, completeCommand(newCommand("patient"), token))
		}
	})

	t.Run("a forged token does not make Temporal unavailable", func(t *testing.T) {
		t.Parallel()
		o.executeCommand(t, forged)
		token := o.token(t, forged)
		// The ninth field is the clock of the workflow's shard, for which Temporal waits. Fields that are repeated are merged; this
		// time is far ahead.
		late := append(token, 9<<3|2, 9, 2<<3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
		_, err := o.Execute(t.Context(), completeCommand(forged, late))
		require.Error(t, err)
		require.False(t, engine.Unavailable(err), "%v", err)
		o.requireOpen(t, forged)
	})
}

func TestActivitiesWaitForTemporal(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.stack.Stop()
	_, err := o.Execute(t.Context(), completeCommand(newCommand("patient"), []byte("token")))
	require.True(t, engine.Unavailable(err), "%v", err)
}
