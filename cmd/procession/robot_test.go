package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/sdk/encryption"
)

// robotDocuments are a robot, a manual process and an encrypted one, of both of
// which it assists with tasks.
const robotDocuments = `
apiVersion: procession/v1
kind: Robot
metadata: {code: HELPER, tenant: demo}
spec: {name: Helper, workflowType: HelperWorkflow, taskQueue: QUEUE_ROBOTS, runner: loan-worker}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: HELPED, tenant: demo}
spec:
  name: Helped
  items:
    - {code: LOOK, type: TASK, name: Look, robot: {code: HELPER, operation: LOOK}, candidates: [{user: bob}]}
    - {code: FAIL, type: TASK, name: Fail, robot: {code: HELPER, operation: FAIL}, candidates: [{user: bob}]}
    - {code: WAIT, type: TASK, name: Wait, robot: {code: HELPER, operation: WAIT}, candidates: [{user: bob}]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: SEALED, tenant: demo}
spec:
  name: Sealed
  engine: {workflowType: SealedWorkflow, taskQueue: QUEUE_ROBOTS, runner: loan-worker, encryptionKey: demo-key}
  items:
    - {code: LOOK, type: TASK, name: Look, robot: {code: HELPER, operation: LOOK}, candidates: [{user: bob}]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`

func TestRobotAssistsEndToEnd(t *testing.T) { //nolint:funlen // one story, from the upload to the suggestion
	t.Parallel()
	s := newStack(t, false)
	documents := filepath.Join(t.TempDir(), "robot.yaml")
	require.NoError(t, os.WriteFile(documents, []byte(robotDocuments), 0o600))
	asAlice := s.asking(demo.Alice())
	printed(t, append([]string{"apply", "-f", documents}, asAlice...)...)
	var robot string
	s.query(`SELECT id::text FROM robots WHERE code = 'HELPER'`, &robot)

	received := make(chan map[string]any, 10)
	// The application that runs the robot may serve its queue.
	w := worker.New(s.clientOf(demo.LoanWorker(), func(o *client.Options) {
		o.DataConverter, o.ContextPropagators = s.decrypting(), []workflow.ContextPropagator{encryption.Propagator{}}
	}), "QUEUE_ROBOTS", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, in map[string]any) (map[string]any, error) {
		received <- in
		switch in["robotOperation"] {
		case "FAIL":
			return nil, errors.New("no screen")
		case "WAIT":
			ctx.Done().Receive(ctx, nil)
			return nil, ctx.Err()
		}
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: testTimeout})
		var seen string
		err := workflow.ExecuteActivity(ctx, "look", in["processItemId"]).Get(ctx, &seen)
		return map[string]any{"message": seen}, err
	}, workflow.RegisterOptions{Name: "HelperWorkflow"})
	w.RegisterActivityWithOptions(func(item string) (string, error) { return "saw " + item, nil }, activity.RegisterOptions{Name: "look"})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ any) error {
		return workflow.Await(ctx, func() bool { return false })
	}, workflow.RegisterOptions{Name: "SealedWorkflow"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	created := func(definition string) map[string]any {
		status, process := s.call(demo.Alice(), http.MethodPost, "/processes",
			map[string]any{"processDefinitionCode": definition, "tenantId": demo.TenantDemo()})
		require.Equal(t, http.StatusCreated, status, process)
		return process
	}
	process := created("HELPED")
	claimed := func(process map[string]any, code string) uuid.UUID {
		status, item := s.call(demo.Alice(), http.MethodPost, "/process-items", map[string]any{
			"type": "TASK", "processId": process["id"], "processItemDefinitionCode": code,
		})
		require.Equal(t, http.StatusCreated, status, item)
		id := field[string](t, item, "id")
		status, item = s.call(demo.Bob(), http.MethodPost, "/process-items/"+id+"/task/~actions/claim", nil)
		require.Equal(t, http.StatusOK, status, item)
		return uuid.MustParse(id)
	}

	look := claimed(process, "LOOK")
	in := <-received
	require.Equal(t, process["id"], in["processId"])
	require.Equal(t, look.String(), in["processItemId"])
	require.Equal(t, robot, in["robotId"])
	require.Equal(t, "LOOK", in["robotOperation"])
	require.NotEmpty(t, in["requestTime"])
	require.NotEmpty(t, in["requestTimeZone"])
	s.await("the robot to end", func() bool { return s.runState(look) == "COMPLETED" })

	failed := claimed(process, "FAIL")
	<-received
	incident := s.awaitIncident(uuid.MustParse(field[string](t, process, "id")))
	require.Equal(t, failed.String(), strings.TrimSpace(
		printed(t, append([]string{"incidents", "list", "-o", "jq=.[].processItemId"}, asAlice...)...)))
	require.Equal(t, incident+" RETRIED\n", printed(t, append([]string{"incidents", "retry", incident}, asAlice...)...))
	require.Equal(t, failed.String(), (<-received)["processItemId"], "it receives the same again")

	waiting := claimed(process, "WAIT")
	<-received
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes/"+field[string](t, process, "id")+
		"/~actions/cancel-process-items?processItemId="+waiting.String(), nil)
	require.Equal(t, http.StatusOK, status, body)
	s.await("the robot to stop", func() bool { return s.runState(waiting) == "CANCELLED" })

	sealed := claimed(created("SEALED"), "LOOK")
	require.Equal(t, sealed.String(), (<-received)["processItemId"])
	s.await("the robot to end", func() bool { return s.runState(sealed) == "COMPLETED" })
	var workflowID string
	s.query("SELECT workflow_id FROM engine_runs WHERE owner_id = $1", &workflowID, sealed)
	s.requireHiddenIn(workflowID, "demo-key", map[string][]string{
		"workflow_execution_started.input":         {sealed.String(), robot},
		"workflow_execution_started.header.fields": {},
		"activity_task_scheduled.input":            {sealed.String()},
		"activity_task_scheduled.header.fields":    {},
		"activity_task_completed.result":           {"saw " + sealed.String()},
		"workflow_execution_completed.result":      {"saw " + sealed.String()},
	})
}
