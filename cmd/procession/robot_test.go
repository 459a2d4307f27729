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
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
)

// robotDocuments are a robot and a manual process that it assists with tasks of.
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
`

func TestRobotAssistsEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	documents := filepath.Join(t.TempDir(), "robot.yaml")
	require.NoError(t, os.WriteFile(documents, []byte(robotDocuments), 0o600))
	asAlice := s.asking(demo.Alice())
	printed(t, append([]string{"apply", "-f", documents}, asAlice...)...)
	var robot string
	s.query(`SELECT id::text FROM robots WHERE code = 'HELPER'`, &robot)

	told := make(chan map[string]any, 10)
	// Whoever runs the robot may serve its queue.
	w := worker.New(s.clientOf(demo.LoanWorker()), "QUEUE_ROBOTS", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, in map[string]any) (map[string]any, error) {
		told <- in
		switch in["robotOperation"] {
		case "FAIL":
			return nil, errors.New("no screen")
		case "WAIT":
			ctx.Done().Receive(ctx, nil)
			return nil, ctx.Err()
		}
		return map[string]any{"message": "done"}, nil
	}, workflow.RegisterOptions{Name: "HelperWorkflow"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)

	status, process := s.call(demo.Alice(), http.MethodPost, "/processes",
		map[string]any{"processDefinitionCode": "HELPED", "tenantId": demo.TenantDemo()})
	require.Equal(t, http.StatusCreated, status, process)
	claimed := func(code string) uuid.UUID {
		status, item := s.call(demo.Alice(), http.MethodPost, "/process-items", map[string]any{
			"type": "TASK", "processId": process["id"], "processItemDefinitionCode": code,
		})
		require.Equal(t, http.StatusCreated, status, item)
		id := field[string](t, item, "id")
		status, item = s.call(demo.Bob(), http.MethodPost, "/process-items/"+id+"/task/~actions/claim", nil)
		require.Equal(t, http.StatusOK, status, item)
		return uuid.MustParse(id)
	}

	look := claimed("LOOK")
	in := <-told
	require.Equal(t, process["id"], in["processId"])
	require.Equal(t, look.String(), in["processItemId"])
	require.Equal(t, robot, in["robotId"])
	require.Equal(t, "LOOK", in["robotOperation"])
	require.NotEmpty(t, in["requestTime"])
	require.NotEmpty(t, in["requestTimeZone"])
	s.await("the robot to end", func() bool { return s.runState(look) == "COMPLETED" })

	failed := claimed("FAIL")
	<-told
	incident := s.awaitIncident(uuid.MustParse(field[string](t, process, "id")))
	require.Equal(t, failed.String(), strings.TrimSpace(
		printed(t, append([]string{"incidents", "list", "-o", "jq=.[].processItemId"}, asAlice...)...)))
	require.Equal(t, incident+" RETRIED\n", printed(t, append([]string{"incidents", "retry", incident}, asAlice...)...))
	require.Equal(t, failed.String(), (<-told)["processItemId"], "it is told the same again")

	waiting := claimed("WAIT")
	<-told
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes/"+field[string](t, process, "id")+
		"/~actions/cancel-process-items?processItemId="+waiting.String(), nil)
	require.Equal(t, http.StatusOK, status, body)
	s.await("the robot to stop", func() bool { return s.runState(waiting) == "CANCELLED" })
}
