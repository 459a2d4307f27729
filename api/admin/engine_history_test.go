package admin_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestManagersLookIntoTheEngine(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	process := s.Process(s.As("initiator"), s.Definition("north"))
	another := s.Process(s.As("initiator"), s.Definition("north"))
	s.Post(201, s.As("worker"), "/process-items", `{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`)
	look := func(id, query string) string {
		return apitest.AdminAPI + "/processes/" + id + "/engine-history" + query
	}
	path := look(process.ID.String(), "")

	newest := apitest.Decode[oasadmin.EngineHistory](t, s.Get(200, s.As("manager"), path))
	require.Len(t, newest.Workflows, 1)
	require.Equal(t, "process-"+process.ID.String(), newest.Workflows[0].WorkflowID)
	require.Equal(t, oasadmin.WorkflowWaitKindTASK, newest.Workflow.Waits[0].Kind)
	require.Equal(t, "APPROVE", newest.Workflow.Waits[0].Name)
	require.Equal(t, "no answer", *newest.Workflow.Waits[1].Message)
	require.Equal(t, "ActivityTaskScheduled", newest.Workflow.Events[0].Kind)

	older := apitest.Decode[oasadmin.EngineHistory](t, s.Get(200, s.As("manager"), path+"?after="+*newest.Next))
	require.Equal(t, "WorkflowExecutionStarted", older.Workflow.Events[0].Kind)
	require.Nil(t, older.Next)
	// Temporal does not verify cursors, so they are valid for their own process only.
	s.Refused(400, "VALIDATION", s.As("manager"), http.MethodGet, look(another.ID.String(), "?after="+*newest.Next), "")
	s.Refused(400, "VALIDATION", s.As("manager"), http.MethodGet, path+"?after=cGFnZSAy", "")
	s.Refused(404, "NOT_FOUND", s.As("manager"), http.MethodGet, path+"?workflowId=process-"+another.ID.String(), "")
	s.Refused(403, "ACCESS_DENIED", s.As("viewer"), http.MethodGet, path, "")
	s.Refused(404, "NOT_FOUND", s.As("owner"), http.MethodGet, path, "")
	s.Refused(404, "NOT_FOUND", s.Operator, http.MethodGet, path, "")
	s.Refused(503, "UNAVAILABLE", s.As("manager"), http.MethodGet, path+"?workflowId="+apitest.LostWorkflow, "")
}
