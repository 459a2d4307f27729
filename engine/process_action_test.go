package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// awaitSignal returns a workflow that returns the argument of the first signal with a name.
func awaitSignal(name string) any {
	return func(ctx workflow.Context, _ json.RawMessage) (signal json.RawMessage, err error) {
		workflow.GetSignalChannel(ctx, name).Receive(ctx, &signal)
		return signal, nil
	}
}

// SDKs read the request of a user action as one of three types. All find their fields.
func TestWorkflowsOfUserActions(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	w := worker.New(b.client, "user-actions", worker.Options{})
	w.RegisterWorkflowWithOptions(func(_ workflow.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil },
		workflow.RegisterOptions{Name: "echo"})
	w.RegisterWorkflowWithOptions(awaitSignal("Hurry up"), workflow.RegisterOptions{Name: "signalled"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	result := func(t *testing.T, c domain.DueCommand) string {
		t.Helper()
		var got json.RawMessage
		require.NoError(t, b.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), &got))
		return string(got)
	}

	t.Run("they get the request of the action", func(t *testing.T) {
		t.Parallel()
		c := newCommand("echo")
		a := domain.ProcessAction{
			Action: domain.Action{
				ID: c.Run.OwnerID, Definition: domain.ActionDefinitionRef{ID: uuid.New(), Code: "REPORT"},
				Audit: domain.Audit{CreatedBy: uuid.New()},
			},
			ProcessID: uuid.New(), Type: domain.ProcessActionDownloadable,
		}
		c.Run = domain.NewProcessActionRun(c.Run.ID, &a, domain.ActionWorkflow{
			Namespace: namespace, Type: "echo", TaskQueue: "user-actions",
		})
		require.Equal(t, "process-action-"+a.ID.String(), c.Run.WorkflowID)
		run := b.executeCommand(t, c)
		require.JSONEq(t, `{"processId":"`+a.ProcessID.String()+`","userActionDefinitionType":"DOWNLOADABLE",`+
			`"userActionDefinitionCode":"REPORT","userActionId":"`+a.ID.String()+`",`+
			`"requestorPrincipalId":"`+a.CreatedBy.String()+`",`+
			`"requestTime":"2026-03-02T10:30:15.123456Z","requestTimeZone":"Europe/Madrid"}`, result(t, c))
		require.Equal(t, run, b.executeCommand(t, c), "the same command")
		require.Nil(t, b.awaitOutcome(t, c).Result, "what it returns does not matter")
	})

	t.Run("the workflow of a process is signalled about one, once", func(t *testing.T) {
		t.Parallel()
		c := newCommand("signalled")
		c.Run.TaskQueue = "user-actions"
		run := b.executeCommand(t, c)
		s := nextCommand(c, domain.CommandSignalAction, run)
		s.SignalName, s.ActionCode = "Hurry up", "HURRY"
		b.executeCommand(t, s)
		require.JSONEq(t, `{"userActionDefinitionCode":"HURRY","requestTime":"2026-03-02T10:30:15.123456Z",`+
			`"requestInstant":"2026-03-02T10:30:15.123456Z","requestTimeZone":"Europe/Madrid"}`, result(t, c))
		b.executeCommand(t, s)
	})
}
