package shapeb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

const (
	planning = "/task/planning"
	dueAt    = "2024-05-01T10:00:00Z"
)

func TestPlanning(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	plain := s.Item(process, "LOAN_APPLICATION", "")
	require.Nil(t, plain.Task.DueAt)
	require.Equal(t, oasb.ProcessItemTaskPriorityNORMAL, *plain.Task.Priority)
	task := s.Item(process, "LOAN_APPLICATION", `,"task":{"dueAt":"`+dueAt+`","followUpAt":"2024-04-30T12:00:00+02:00","priority":"URGENT"}`)
	require.Equal(t, dueAt, task.Task.DueAt.Format(time.RFC3339))
	require.Equal(t, "2024-04-30T10:00:00Z", task.Task.FollowUpAt.Format(time.RFC3339))
	later := s.Item(process, "LOAN_APPLICATION", `,"task":{"dueAt":"2099-01-01T00:00:00Z","priority":"LOW"}`)
	list := "/process-items?processId=" + process.String() + "&"
	of := "processId=" + process.String() + "&"
	s.Filtered(demo.LoanWorker(), "/process-items", map[string][]uuid.UUID{
		of + "taskOverdue=true": {task.ID}, of + "taskOverdue=false": {plain.ID, later.ID},
		of + "taskPriority=URGENT&taskPriority=LOW": {task.ID, later.ID}, of + "taskPriority=NORMAL": {plain.ID}, of + "taskPriority=HIGH": {},
		of + "taskDueBefore=2024-05-01T10:00:00Z": {}, of + "taskDueAfter=2024-05-01T10:00:00Z": {task.ID, later.ID},
		of + "taskDueAfter=2024-05-01T10:00:00Z&taskDueBefore=2024-05-01T10:00:01Z": {task.ID},
	})
	for sort, want := range map[string][]uuid.UUID{
		"dueAt": {task.ID, later.ID, plain.ID}, "dueAt,desc": {later.ID, task.ID, plain.ID},
		"priority,desc": {task.ID, plain.ID, later.ID}, "followUpAt": {task.ID, plain.ID, later.ID},
	} {
		found := apitest.Decode[oasb.ProcessItemPage](t, s.Get(200, demo.LoanWorker(), list+"sort="+sort))
		ids := make([]uuid.UUID, len(found.Content))
		for i, item := range found.Content {
			ids[i] = item.ID
		}
		require.Equal(t, want, ids, sort)
	}

	// Members that are missing are cleared.
	put := func(status int, as demo.Account, body string) apitest.Answer {
		return s.Call(status, as, http.MethodPut, apitest.ItemPath(task.ID, planning), body)
	}
	planned := apitest.Decode[oasb.ProcessItem](t, put(200, demo.LoanWorker(), `{"priority":"HIGH"}`))
	require.Nil(t, planned.Task.DueAt)
	require.Nil(t, planned.Task.FollowUpAt)
	require.Equal(t, oasb.ProcessItemTaskPriorityHIGH, *planned.Task.Priority)
	require.Equal(t, planned, s.RetrieveItem(task.ID))
	before := s.Snapshot()
	put(200, demo.LoanWorker(), `{"priority":"HIGH"}`)
	require.Equal(t, before, s.Snapshot(), "the same again")
	s.Refused(400, "VALIDATION", demo.LoanWorker(), http.MethodPut, apitest.ItemPath(task.ID, planning), `{"dueAt":"1815-12-10T00:00:00Z"}`)
	s.Refused(400, "VALIDATION", demo.LoanWorker(), http.MethodPut, apitest.ItemPath(task.ID, planning), `{"priority":"SOON"}`)
	s.Refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPut, apitest.ItemPath(task.ID, planning), `{}`)
	require.Equal(t, before, s.Snapshot(), "refusals change nothing")
	put(200, demo.LoanWorker(), `{}`)
	require.Equal(t, oasb.ProcessItemTaskPriorityNORMAL, *s.RetrieveItem(task.ID).Task.Priority)
	s.Call(200, demo.Alice(), http.MethodPost, apitest.ProcessPath(process, "/~actions/cancel-process-items"), "")
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPut, apitest.ItemPath(task.ID, planning), `{}`)
	require.Equal(t, 0, s.Total(demo.LoanWorker(), list+"taskOverdue=true"))
}

func TestDueDateOfProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	given := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes", `{"processDefinitionId":"`+demo.Loan().String()+`","dueAt":"`+dueAt+`"}`))
	require.Equal(t, dueAt, given.DueAt.Format(time.RFC3339))
	// The definition says 14 days.
	byRule := s.Loan()
	require.Equal(t, 14*24*time.Hour, byRule.DueAt.Sub(*byRule.CreatedAt))
	require.Equal(t, byRule.DueAt, s.RetrieveProcess(byRule.ID).DueAt)
	s.Refused(400, "VALIDATION", demo.Carol(), http.MethodPost, "/processes", `{"processDefinitionId":"`+demo.Loan().String()+`","dueAt":"1815-12-10T00:00:00Z"}`)
}

// Definitions plan tasks by the values of their processes, in the working time of a calendar.
func TestPlanningByDefinition(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	calendar := func(from, to string) string {
		return apitest.Identified("demo", "Calendar", "NIGHTS", uuid.MustParse("01970000-0000-7000-8000-00000000fe02"), `{"name":"Nights","timeZone":"UTC",`+
			`"hours":[{"days":["MONDAY","TUESDAY","WEDNESDAY","THURSDAY","FRIDAY","SATURDAY","SUNDAY"],"from":"`+from+`","to":"`+to+`"}]}`)
	}
	definition := uuid.MustParse("01970000-0000-7000-8000-00000000fe01")
	s.Define(calendar("22:00", "24:00"), apitest.Identified("demo", "ProcessDefinition", "REPAIR", definition, `{"name":"Repair","calendar":"NIGHTS",`+
		`"due":"${ .process.metadata.UNTIL }","items":[{"code":"FIX","type":"TASK","name":"Fix it","due":"${ .process.metadata.FIX // \"PT3H\" }",`+
		`"followUp":"${ .task.data.AGAIN }","priority":"${ if .process.metadata.LEVEL >= 3 then \"URGENT\" else \"LOW\" end }"}],`+
		`"permissions":{"initiators":[{"application":"loan-worker"}],"managers":[{"application":"loan-worker"}]}}`))
	start := func(metadata string) oasb.Process {
		return apitest.Decode[oasb.Process](t, s.Post(201, demo.LoanWorker(), "/processes",
			`{"processDefinitionId":"`+definition.String()+`","metadata":{"value":`+metadata+`}}`))
	}
	p := start(`{"UNTIL":"2031-05-06","LEVEL":3}`)
	require.Equal(t, "2031-05-07T00:00:00Z", p.DueAt.Format(time.RFC3339))
	task := s.Item(p.ID, "FIX", `,"task":{"data":{"value":{"AGAIN":"2030-01-02T03:04"}}}`)
	require.Equal(t, oasb.ProcessItemTaskPriorityURGENT, *task.Task.Priority)
	require.Equal(t, "2030-01-02T03:04:00Z", task.Task.FollowUpAt.Format(time.RFC3339))
	require.GreaterOrEqual(t, task.Task.DueAt.Sub(*task.CreatedAt), 23*time.Hour, "three hours need two nights")

	// Another calendar does not move due dates before they are calculated again.
	s.Define(calendar("00:00", "24:00"))
	require.Equal(t, task.Task.DueAt, s.RetrieveItem(task.ID).Task.DueAt)
	caller := domain.Caller{
		PrincipalID: demo.LoanWorker().ID, Type: domain.PrincipalApplication, Memberships: []domain.Membership{{TenantID: demo.TenantDemo()}},
	}
	_, err := s.App.RecalculateTaskPlanning(t.Context(), domain.Call{Caller: caller}, task.ID)
	require.NoError(t, err)
	moved := s.RetrieveItem(task.ID).Task
	require.Equal(t, 3*time.Hour, moved.DueAt.Sub(*task.CreatedAt))
	require.Equal(t, task.Task.FollowUpAt, moved.FollowUpAt)
	p = start(`{"UNTIL":7,"FIX":"soon","LEVEL":"high"}`)
	require.Nil(t, p.DueAt)
	task = s.Item(p.ID, "FIX", `,"task":{"priority":"HIGH"}`)
	require.Nil(t, task.Task.DueAt)
	require.Nil(t, task.Task.FollowUpAt)
	require.Equal(t, oasb.ProcessItemTaskPriorityHIGH, *task.Task.Priority)
}
