package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// newAction returns the start of an action's workflow.
func newAction(workflowType string) domain.DueCommand {
	c := newCommand(workflowType)
	a := domain.BusinessArtifactAction{
		Action: domain.Action{
			ID: c.Run.OwnerID, Definition: domain.ActionDefinitionRef{ID: uuid.New(), Code: "STATEMENT"},
			Audit: domain.Audit{CreatedBy: uuid.New()},
		},
		ArtifactID: uuid.New(), Type: domain.ArtifactActionDownloadable,
	}
	c.Run = domain.NewArtifactActionRun(c.Run.ID, &a, domain.ActionWorkflow{
		Namespace: namespace, Type: workflowType, TaskQueue: queue,
	})
	return c
}

func TestWorkflowsOfArtifactActions(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()
	b := setUp(t)
	w := worker.New(b.client, "actions", worker.Options{})
	for name, f := range map[string]any{
		"echo":    func(_ workflow.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil },
		"text":    func(workflow.Context, json.RawMessage) (string, error) { return "done", nil },
		"bytes":   func(workflow.Context, json.RawMessage) ([]byte, error) { return []byte(`{"downloadable":{}}`), nil },
		"huge":    func(workflow.Context, json.RawMessage) (string, error) { return strings.Repeat("x", 65<<10), nil },
		"nothing": func(workflow.Context, json.RawMessage) error { return nil },
		"failing": func(workflow.Context, json.RawMessage) error { return errors.New("no paper") },
		"waiting": func(ctx workflow.Context, _ json.RawMessage) error { return workflow.Sleep(ctx, time.Hour) },
		"onward": func(ctx workflow.Context, in json.RawMessage) (string, error) {
			if workflow.GetInfo(ctx).ContinuedExecutionRunID == "" {
				return "", workflow.NewContinueAsNewError(ctx, "onward", in)
			}
			return "in the second run", nil
		},
	} {
		w.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	start := func(t *testing.T, workflowType string) (domain.DueCommand, string) {
		t.Helper()
		c := newAction(workflowType)
		c.Run.TaskQueue = "actions"
		return c, b.executeCommand(t, c)
	}

	t.Run("they get the request of the action", func(t *testing.T) {
		t.Parallel()
		c, run := start(t, "echo")
		require.Equal(t, "business-artifact-action-"+c.Run.OwnerID.String(), c.Run.WorkflowID)
		end := b.awaitOutcome(t, c)
		require.Equal(t, domain.RunCompleted, end.Status)
		require.Equal(t, run, end.RunID)
		require.JSONEq(t, `{"businessArtifactId":"`+c.Run.Action.ArtifactID.String()+`",`+
			`"businessArtifactActionDefinitionType":"DOWNLOADABLE","businessArtifactActionDefinitionCode":"STATEMENT",`+
			`"businessArtifactActionValueId":"`+c.Run.OwnerID.String()+`",`+
			`"requestorPrincipalId":"`+c.Run.Action.RequestorID.String()+`",`+
			`"requestTime":"2026-03-02T10:30:15.123456Z","requestTimeZone":"Europe/Madrid"}`, string(end.Result))
		require.Equal(t, run, b.executeCommand(t, c), "the same command")
	})

	t.Run("what they return is read as far as it can be", func(t *testing.T) {
		t.Parallel()
		for workflowType, want := range map[string]string{
			"text": `"done"`, "onward": `"in the second run"`, "bytes": "", "huge": "", "nothing": "",
		} {
			c, run := start(t, workflowType)
			end := b.awaitOutcome(t, c)
			require.Equal(t, domain.RunCompleted, end.Status, workflowType)
			require.Equal(t, run, end.RunID, workflowType)
			require.Equal(t, want, string(end.Result), workflowType)
		}
	})

	t.Run("they fail", func(t *testing.T) {
		t.Parallel()
		c, _ := start(t, "failing")
		end := b.awaitOutcome(t, c)
		require.Equal(t, domain.RunFailed, end.Status)
		require.Equal(t, "no paper", end.Message)
		require.Nil(t, end.Result)
	})

	t.Run("they are cancelled", func(t *testing.T) {
		t.Parallel()
		c, run := start(t, "waiting")
		b.executeCommand(t, nextCommand(c, domain.CommandCancel, run))
		require.Equal(t, domain.RunCancelled, b.awaitOutcome(t, c).Status)
	})

	t.Run("they are terminated where no worker listens", func(t *testing.T) {
		t.Parallel()
		c := newAction("waiting")
		c.Run.TaskQueue = "unserved"
		run := b.executeCommand(t, c)
		b.executeCommand(t, nextCommand(c, domain.CommandCancel, run))
		open, err := b.Outcome(t.Context(), c.Run, time.Now())
		require.NoError(t, err)
		require.Nil(t, open)
		b.executeCommand(t, nextCommand(c, domain.CommandTerminate, run))
		require.Equal(t, domain.RunCancelled, b.awaitOutcome(t, c).Status)
	})
}
