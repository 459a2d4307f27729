package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

const (
	claim    = "/task/~actions/claim"
	assign   = "/task/~actions/assign"
	complete = "/task/~actions/complete"
	logEntry = "/task/~actions/append-log"
	toBob    = `{"ownerEmail":"bob@demo.example"}`
)

func TestClaiming(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	task := s.item(process, "APPROVE_LOAN", "")
	require.Equal(t, oasb.ProcessItemTaskStateREADY, task.Task.State)
	require.Nil(t, task.OwnerID)

	first := s.post(200, demo.Bob(), itemPath(task.ID, claim), "")
	claimed := decode[oasb.ProcessItem](t, first)
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, claimed.Task.State)
	require.Equal(t, demo.Bob().ID, *claimed.OwnerID)
	require.Equal(t, demo.Bob().ID, *claimed.LastModifiedBy)

	before := s.snapshot()
	again := s.post(200, demo.Bob(), itemPath(task.ID, claim), "")
	require.Equal(t, first.body, again.body)
	s.refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), http.MethodPost, itemPath(task.ID, claim), "")
	require.Equal(t, before, s.snapshot())

	s.post(200, demo.Bob(), itemPath(task.ID, complete), "")
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, itemPath(task.ID, claim), "")

	message := decode[oasb.ProcessItem](t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`))
	require.Nil(t, message.Task)
	require.Equal(t, "t", *message.Message.Text)
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, itemPath(message.ID, claim), "")
}

func TestAssigning(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	task := s.item(process, "LOAN_APPLICATION", "").ID

	first := s.post(200, demo.Alice(), itemPath(task, assign), toBob)
	assigned := decode[oasb.ProcessItem](t, first)
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, assigned.Task.State)
	require.Equal(t, demo.Bob().ID, *assigned.OwnerID)
	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.Alice(), itemPath(task, assign), toBob).body)
	require.Equal(t, before, s.snapshot())

	s.refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, itemPath(task, assign), toBob)
	// The owner may hand it on.
	handed := decode[oasb.ProcessItem](t, s.post(200, demo.Bob(), itemPath(task, assign),
		`{"ownerId":"`+demo.Carol().ID.String()+`"}`))
	require.Equal(t, demo.Carol().ID, *handed.OwnerID)

	s.post(200, demo.Carol(), itemPath(task, complete), "")
	s.refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, itemPath(task, assign), toBob)
	cancelled := s.item(process, "LOAN_APPLICATION", "").ID
	s.post(200, demo.Alice(), processPath(process, "/~actions/cancel-process-items"), "")
	s.refused(409, "INVALID_STATE", demo.Alice(), http.MethodPost, itemPath(cancelled, assign), toBob)
}

func TestCompleting(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	ready := s.item(process, "LOAN_APPLICATION", "").ID
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), http.MethodPost, itemPath(ready, complete), "")

	task := s.item(process, "LOAN_APPLICATION", ownedBy(demo.Carol()))
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, task.Task.State)
	require.False(t, *task.Task.Data.Valid)
	s.refused(403, "TASK_NOT_OWNED", demo.Alice(), http.MethodPost, itemPath(task.ID, complete), "")
	// This definition takes invalid data.
	first := s.post(200, demo.Carol(), itemPath(task.ID, complete), "")
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, decode[oasb.ProcessItem](t, first).Task.State)
	require.Equal(t, 1, s.count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'"))

	before := s.snapshot()
	require.Equal(t, first.body, s.post(200, demo.Carol(), itemPath(task.ID, complete), "").body)
	s.refused(403, "TASK_NOT_OWNED", demo.LoanWorker(), http.MethodPost, itemPath(task.ID, complete), "")
	s.call(409, demo.Carol(), http.MethodPut, itemPath(task.ID, "/task/data"), `{"data":{"value":{}}}`)
	s.call(409, demo.Carol(), http.MethodPatch, itemPath(task.ID, "/task/data"), `[]`)
	s.call(409, demo.Carol(), http.MethodPut, itemPath(task.ID, "/task/context-data"), `{"data":{"value":{}}}`)
	require.Equal(t, before, s.snapshot())
}

func TestCancelledTaskTakesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.loan().ID
	task := s.item(process, "LOAN_APPLICATION", ownedBy(demo.LoanWorker())).ID
	s.post(200, demo.LoanWorker(), processPath(process, "/~actions/cancel-process-items"), "")
	before := s.snapshot()
	for _, c := range []struct{ method, path, body string }{
		{"POST", claim, ""},
		{"POST", complete, ""},
		{"POST", assign, toBob},
		{"POST", logEntry, `{"message":"m","level":"INFO"}`},
		{"PUT", "/task/data", `{"data":{"value":{}}}`},
		{"PATCH", "/task/data", `[]`},
		{"PUT", "/task/context-data", `{"data":{"value":{}}}`},
	} {
		s.refused(409, "INVALID_STATE", demo.LoanWorker(), c.method, itemPath(task, c.path), c.body)
	}
	require.Equal(t, before, s.snapshot())
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.item(s.loan().ID, "LOAN_APPLICATION", ownedBy(demo.LoanWorker()))
	require.NotNil(t, task.Task.Logs)
	require.Empty(t, task.Task.Logs)
	write := func(message string) []string {
		item := decode[oasb.ProcessItem](t, s.post(200, demo.LoanWorker(), itemPath(task.ID, logEntry),
			`{"message":"`+message+`","level":"WARN"}`))
		require.Equal(t, item.Task.Logs, s.retrieveItem(task.ID).Task.Logs)
		var messages []string
		for _, entry := range item.Task.Logs {
			require.Equal(t, oasb.ProcessItemTaskLogLevelWARN, entry.Level)
			messages = append(messages, entry.Message)
		}
		return messages
	}
	for i := range logLimit {
		require.Len(t, write(strconv.Itoa(i)), i+1)
	}
	require.Equal(t, []string{"1", "2", "3"}, write("3"))
	s.post(200, demo.LoanWorker(), itemPath(task.ID, complete), "")
	require.Equal(t, []string{"2", "3", "4"}, write("4"))
	require.Equal(t, logLimit, s.count("SELECT count(*) FROM task_logs"))
	s.refused(403, "TASK_NOT_OWNED", demo.Carol(), http.MethodPost, itemPath(task.ID, logEntry),
		`{"message":"m","level":"INFO"}`)
}

func TestCompletingWithInvalidData(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.process(demo.Alice(), s.claims()).ID
	task := s.item(process, "CHECK", ownedBy(demo.Alice()))
	require.False(t, *task.Task.Data.Valid)
	before := s.snapshot()
	s.refused(409, "TASK_DATA_INVALID", demo.Alice(), http.MethodPost, itemPath(task.ID, complete), "")
	s.refused(403, "TASK_NOT_OWNED", demo.LoanWorker(), http.MethodPost, itemPath(task.ID, complete), "")
	require.Equal(t, before, s.snapshot())

	// The context data does not count.
	s.call(200, demo.Alice(), http.MethodPatch, itemPath(task.ID, "/task/data"), `[{"op":"add","path":"/OK","value":true}]`)
	s.call(200, demo.Alice(), http.MethodPut, itemPath(task.ID, "/task/context-data"), `{"data":{"value":{"AGE":"x"}}}`)
	done := decode[oasb.ProcessItem](t, s.post(200, demo.Alice(), itemPath(task.ID, complete), ""))
	require.Equal(t, oasb.ProcessItemTaskStateCOMPLETED, done.Task.State)
	require.False(t, *done.Task.ContextData.Valid)
	require.Equal(t, 1, s.count("SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL' AND item_code = 'CHECK'"))
}

// requiredOnUpdate counts from the first save on, not for what a task is created
// with.
func TestRequiredOnUpdate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.process(demo.Alice(), s.claims()).ID
	task := s.item(process, "CHECK", `,"task":{"contextData":{"value":{"A":1}}}`)
	require.True(t, *task.Task.ContextData.Valid)
	path := itemPath(task.ID, "/task/context-data")
	saved := decode[oasb.ProcessItem](t, s.call(200, demo.Alice(), http.MethodPut, path, `{"data":{"value":{"A":1}}}`))
	require.False(t, *saved.Task.ContextData.Valid)
	require.Equal(t, "/AGE", *saved.Task.ContextData.Errors[0].PropertyPath)
	require.Equal(t, "requiredOnUpdate", *saved.Task.ContextData.Errors[0].Type)
	saved = decode[oasb.ProcessItem](t, s.call(200, demo.Alice(), http.MethodPut, path, `{"data":{"value":{"AGE":1}}}`))
	require.True(t, *saved.Task.ContextData.Valid)
}

// Messages of any length are logged, in both shapes: workers that log a stack
// trace go on.
func TestLongLogMessagesAreCut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.item(s.loan().ID, "LOAN_APPLICATION", "").ID
	for _, path := range []string{taskPathA(task, "/~actions/append-log"), itemPath(task, logEntry)} {
		got := s.post(200, demo.LoanWorker(), path, `{"message":"`+strings.Repeat("x", 100_000)+`","level":"ERROR"}`)
		require.Contains(t, got.body, `xx… [cut, 100000 characters]"`)
	}
}
