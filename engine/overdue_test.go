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

func TestWorkflowIsSignalledAboutAnOverdueTaskOnce(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	w := worker.New(b.client, "overdue", worker.Options{})
	w.RegisterWorkflowWithOptions(awaitSignal("Procession_Signal_Task_Overdue"), workflow.RegisterOptions{Name: "overdue"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	c := newCommand("overdue")
	c.Run.TaskQueue = "overdue"
	run := b.executeCommand(t, c)
	s := nextCommand(c, domain.CommandSignalOverdue, run)
	task, due := uuid.New(), time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	s.ItemID, s.ItemType, s.ItemCode = &task, domain.ItemTask, "DECIDE"
	s.Parameters = &domain.CommandParameters{DueAt: &due, Step: 2}
	b.executeCommand(t, s)
	b.executeCommand(t, s)
	var received json.RawMessage
	require.NoError(t, b.client.GetWorkflow(t.Context(), c.Run.WorkflowID, "").Get(t.Context(), &received))
	require.JSONEq(t, `{"id":"`+task.String()+`","processItemDefinitionCode":"DECIDE","dueAt":"2026-03-02T09:00:00Z","step":2,`+
		`"requestTime":"2026-03-02T10:30:15.123456Z","requestTimeZone":"Europe/Madrid"}`, string(received))
}
