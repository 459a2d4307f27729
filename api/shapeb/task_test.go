package shapeb_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestClaiming(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	task := s.Item(process, "APPROVE_LOAN", "")
	require.Equal(t, oasb.ProcessItemTaskStateREADY, task.Task.State)
	require.Nil(t, task.OwnerID)

	first := s.Post(200, demo.Bob(), apitest.ItemPath(task.ID, apitest.Claim), "")
	claimed := apitest.Decode[oasb.ProcessItem](t, first)
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, claimed.Task.State)
	require.Equal(t, demo.Bob().ID, *claimed.OwnerID)
	require.Equal(t, demo.Bob().ID, *claimed.LastModifiedBy)

	before := s.Snapshot()
	again := s.Post(200, demo.Bob(), apitest.ItemPath(task.ID, apitest.Claim), "")
	require.Equal(t, first.Body, again.Body)
	s.Refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Claim), "")
	require.Equal(t, before, s.Snapshot())

	s.Post(200, demo.Bob(), apitest.ItemPath(task.ID, apitest.Complete), "")
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Claim), "")

	message := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`))
	require.Nil(t, message.Task)
	require.Equal(t, "t", *message.Message.Text)
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(message.ID, apitest.Claim), "")
}

func TestAssigning(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	task := s.Item(process, "LOAN_APPLICATION", "").ID

	first := s.Post(200, demo.Alice(), apitest.ItemPath(task, apitest.Assign), apitest.ToBob)
	assigned := apitest.Decode[oasb.ProcessItem](t, first)
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, assigned.Task.State)
	require.Equal(t, demo.Bob().ID, *assigned.OwnerID)
	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.Alice(), apitest.ItemPath(task, apitest.Assign), apitest.ToBob).Body)
	require.Equal(t, before, s.Snapshot())

	s.Refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, apitest.ItemPath(task, apitest.Assign), apitest.ToBob)
	// The owner may hand it on.
	handed := apitest.Decode[oasb.ProcessItem](t, s.Post(200, demo.Bob(), apitest.ItemPath(task, apitest.Assign),
		`{"ownerId":"`+demo.Carol().ID.String()+`"}`))
	require.Equal(t, demo.Carol().ID, *handed.OwnerID)

	s.Post(200, demo.Carol(), apitest.ItemPath(task, apitest.Complete), "")
	s.Refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, apitest.ItemPath(task, apitest.Assign), apitest.ToBob)
	cancelled := s.Item(process, "LOAN_APPLICATION", "").ID
	s.Post(200, demo.Alice(), apitest.ProcessPath(process, "/~actions/cancel-process-items"), "")
	s.Refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, apitest.ItemPath(cancelled, apitest.Assign), apitest.ToBob)
}

func TestCompleting(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	ready := s.Item(process, "LOAN_APPLICATION", "").ID
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(ready, apitest.Complete), "")

	task := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol()))
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, task.Task.State)
	require.False(t, *task.Task.Data.Valid)
	s.Refused(403, "TASK_NOT_OWNED", demo.Alice(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Complete), "")
	// This definition takes invalid data.
	first := s.Post(200, demo.Carol(), apitest.ItemPath(task.ID, apitest.Complete), "")
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, apitest.Decode[oasb.ProcessItem](t, first).Task.State)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'"))

	before := s.Snapshot()
	require.Equal(t, first.Body, s.Post(200, demo.Carol(), apitest.ItemPath(task.ID, apitest.Complete), "").Body)
	s.Refused(403, "TASK_NOT_OWNED", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Complete), "")
	s.Call(409, demo.Carol(), http.MethodPut, apitest.ItemPath(task.ID, "/task/data"), `{"data":{"value":{}}}`)
	s.Call(409, demo.Carol(), http.MethodPatch, apitest.ItemPath(task.ID, "/task/data"), `[]`)
	s.Call(409, demo.LoanWorker(), http.MethodPut, apitest.ItemPath(task.ID, "/task/context-data"), `{"data":{"value":{}}}`)
	require.Equal(t, before, s.Snapshot())
}

func TestCancelledTaskRefusesWrites(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	task := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, "/~actions/cancel-process-items"), "")
	before := s.Snapshot()
	for _, c := range []struct{ method, path, body string }{
		{"POST", apitest.Claim, ""},
		{"POST", apitest.Complete, ""},
		{"POST", apitest.Assign, apitest.ToBob},
		{"POST", apitest.LogEntry, `{"message":"m","level":"INFO"}`},
		{"PUT", "/task/data", `{"data":{"value":{}}}`},
		{"PATCH", "/task/data", `[]`},
		{"PUT", "/task/context-data", `{"data":{"value":{}}}`},
	} {
		s.Refused(409, "INVALID_STATE", demo.LoanWorker(), c.method, apitest.ItemPath(task, c.path), c.body)
	}
	require.Equal(t, before, s.Snapshot())
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker()))
	require.NotNil(t, task.Task.Logs)
	require.Empty(t, task.Task.Logs)
	write := func(message string) []string {
		item := apitest.Decode[oasb.ProcessItem](t, s.Post(200, demo.LoanWorker(), apitest.ItemPath(task.ID, apitest.LogEntry),
			`{"message":"`+message+`","level":"WARN"}`))
		require.Equal(t, item.Task.Logs, s.RetrieveItem(task.ID).Task.Logs)
		var messages []string
		for _, entry := range item.Task.Logs {
			require.Equal(t, oasb.ProcessItemTaskLogLevelWARN, entry.Level)
			messages = append(messages, entry.Message)
		}
		return messages
	}
	for i := range apitest.LogLimit {
		require.Len(t, write(strconv.Itoa(i)), i+1)
	}
	require.Equal(t, []string{"1", "2", "3"}, write("3"))
	s.Post(200, demo.LoanWorker(), apitest.ItemPath(task.ID, apitest.Complete), "")
	require.Equal(t, []string{"2", "3", "4"}, write("4"))
	require.Equal(t, apitest.LogLimit, s.Count("SELECT count(*) FROM task_logs"))
	s.Refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, apitest.ItemPath(task.ID, apitest.LogEntry),
		`{"message":"m","level":"INFO"}`)
}

func TestCompletingWithInvalidData(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	task := s.Item(process, "CHECK", apitest.OwnedBy(demo.Alice()))
	require.False(t, *task.Task.Data.Valid)
	before := s.Snapshot()
	errorBody := s.Refused(409, "TASK_DATA_INVALID", demo.Alice(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Complete), "")
	require.Equal(t, []contracttest.ErrorInfo{
		{Code: "TASK_DATA_INVALID", Message: "violates the keyword required of its schema", Location: "/OK"},
	}, errorBody.Errors)
	s.Refused(403, "TASK_NOT_OWNED", demo.LoanWorker(), http.MethodPost, apitest.ItemPath(task.ID, apitest.Complete), "")
	require.Equal(t, before, s.Snapshot())

	// The context data does not count.
	s.Call(200, demo.Alice(), http.MethodPatch, apitest.ItemPath(task.ID, "/task/data"), `[{"op":"add","path":"/OK","value":true}]`)
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(task.ID, "/task/context-data"), `{"data":{"value":{"AGE":"x"}}}`)
	done := apitest.Decode[oasb.ProcessItem](t, s.Post(200, demo.Alice(), apitest.ItemPath(task.ID, apitest.Complete), ""))
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, done.Task.State)
	require.False(t, *done.Task.ContextData.Valid)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL' AND item_code = 'CHECK'"))
}

// requiredOnUpdate applies from the first save on, not to the initial data of a task.
func TestRequiredOnUpdate(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), claims(s)).ID
	task := s.Item(process, "CHECK", `,"task":{"contextData":{"value":{"A":1}}}`)
	require.True(t, *task.Task.ContextData.Valid)
	path := apitest.ItemPath(task.ID, "/task/context-data")
	saved := apitest.Decode[oasb.ProcessItem](t, s.Call(200, demo.Alice(), http.MethodPut, path, `{"data":{"value":{"A":1}}}`))
	require.False(t, *saved.Task.ContextData.Valid)
	require.Equal(t, "/AGE", *saved.Task.ContextData.Errors[0].PropertyPath)
	require.Equal(t, "requiredOnUpdate", *saved.Task.ContextData.Errors[0].Type)
	saved = apitest.Decode[oasb.ProcessItem](t, s.Call(200, demo.Alice(), http.MethodPut, path, `{"data":{"value":{"AGE":1}}}`))
	require.True(t, *saved.Task.ContextData.Valid)
}

// Messages of any length are logged, in both shapes: workers that log a stack
// trace go on.
func TestLongLogMessagesAreCut(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "LOAN_APPLICATION", "").ID
	for _, path := range []string{apitest.TaskPathA(task, "/~actions/append-log"), apitest.ItemPath(task, apitest.LogEntry)} {
		got := s.Post(200, demo.LoanWorker(), path, `{"message":"`+strings.Repeat("x", 100_000)+`","level":"ERROR"}`)
		require.Contains(t, got.Body, `xx… [cut, 100000 characters]"`)
	}
}
