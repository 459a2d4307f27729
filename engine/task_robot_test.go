package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/domain"
)

// newRobot returns the start of the workflow of a robot that assists with a task.
func newRobot(workflowType string) domain.DueCommand {
	c := newCommand(workflowType)
	c.Run = domain.NewTaskRobotRun(
		c.Run.ID,
		&domain.ProcessItem{ID: uuid.New(), TenantID: uuid.New(), ProcessID: uuid.New()},
		domain.AssistingRobot{
			ID: uuid.New(), Operation: "CHECK",
			Worker: domain.RobotWorker{WorkflowType: workflowType, TaskQueue: "robots"},
		}, namespace)
	return c
}

func TestWorkflowsOfRobots(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	received := make(chan string, 1)
	w := worker.New(b.client, "robots", worker.Options{})
	w.RegisterWorkflowWithOptions(func(_ workflow.Context, in json.RawMessage) error {
		received <- string(in)
		return nil
	}, workflow.RegisterOptions{Name: "robot"})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ json.RawMessage) error {
		return workflow.Sleep(ctx, time.Hour)
	}, workflow.RegisterOptions{Name: "waiting"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	c := newRobot("robot")
	run := b.executeCommand(t, c)
	require.Equal(t, "task-robot-"+c.Run.ID.String(), c.Run.WorkflowID)
	require.JSONEq(t, `{"processId":"`+c.Run.Robot.ProcessID.String()+`","processItemId":"`+c.Run.OwnerID.String()+`",`+
		`"robotId":"`+c.Run.Robot.RobotID.String()+`","robotOperation":"CHECK",`+
		`"requestTime":"2026-03-02T10:30:15.123456Z","requestTimeZone":"Europe/Madrid"}`, <-received)
	end := b.awaitOutcome(t, c)
	require.Equal(t, domain.RunCompleted, end.Status)
	require.Equal(t, run, end.RunID)
	require.Equal(t, run, b.executeCommand(t, c), "the same command")

	c = newRobot("waiting")
	run = b.executeCommand(t, c)
	b.executeCommand(t, nextCommand(c, domain.CommandCancel, run))
	require.Equal(t, domain.RunCancelled, b.awaitOutcome(t, c).Status)
}
