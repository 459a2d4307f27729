package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// statesOfTasks contains the responses of the operations by state of a task in a running
// process. The caller is a Manager who is a candidate. A cell is a status, with "="
// without a change; refusals make no change. The columns are a task without an owner, of
// the caller, and of another principal, the latter two completed, a cancelled task of the
// caller, and an item that is not a task.
const statesOfTasks = `
operation   READY mine others completed others-completed cancelled MESSAGE THREAD
claim       200   200= 409c   409       409              409       409     409
assign      200   200= 200    409       409              409       409     409
complete    409   200  403o   200=      403o             409       409     409
log         200   200  200    200       200              409       409     409
put         200   200  200    409       409              409       409     409
patch       200   200  200    409       409              409       409     409
patch-empty 200=  200= 200=   409       409              409       409     409
put-context 200   200  200    409       409              409       409     409
cancel      200   200  200    200=      200=             200=      200=    200=
`

// statesOfProcesses does the same for the states of a process that has an open
// task of the caller's.
const statesOfProcesses = `
operation       RUNNING COMPLETED CANCELLED
finish          200     200=      409
cancel          200     409       200=
cancel-items    200     200       200=
initiator       200     403f      403f
same-initiator  200=    403f      403f
put-metadata    200     403f      403f
patch-metadata  200     403f      403f
patch-nothing   200=    403f      403f
put-entity      200     403f      403f
patch-entity    200     403f      403f
create-task     201     403f      403f
create-message  201     403f      403f
relate          201     201       201
assign          200     200       409
complete        200     200       409
log             200     200       409
put             200     200       409
patch           200     200       409
put-context     200     200       409
upload          200     200       403f
`

// stateCodes returns the error codes of the cells of refusals.
func stateCodes() map[string]string {
	return map[string]string{
		"403f": "PROCESS_FINISHED", "403o": "TASK_NOT_OWNED", "409": "INVALID_STATE", "409c": "TASK_ALREADY_CLAIMED",
	}
}

// stateRequest returns the request of a row for a process and an item of it.
func stateRequest(t *testing.T, row string, process, item uuid.UUID) operation {
	t.Helper()
	const value, aPatch = `{"value":{"A":1}}`, `[{"op":"add","path":"/A","value":1}]`
	newItem := func(members string) operation {
		return operation{method: "POST", path: "/process-items", body: `{"processId":"` + process.String() + `",` + members + `}`}
	}
	op, ok := map[string]operation{
		"claim":          {method: "POST", path: apitest.ItemPath(item, apitest.Claim)},
		"assign":         {method: "POST", path: apitest.ItemPath(item, apitest.Assign), body: `{"ownerId":"` + demo.LoanWorker().ID.String() + `"}`},
		"complete":       {method: "POST", path: apitest.ItemPath(item, apitest.Complete)},
		"log":            {method: "POST", path: apitest.ItemPath(item, apitest.LogEntry), body: `{"message":"m","level":"INFO"}`},
		"put":            {method: "PUT", path: apitest.ItemPath(item, "/task/data"), body: `{"data":` + value + `}`},
		"patch":          {method: "PATCH", path: apitest.ItemPath(item, "/task/data"), body: aPatch},
		"patch-empty":    {method: "PATCH", path: apitest.ItemPath(item, "/task/data"), body: `[]`},
		"put-context":    {method: "PUT", path: apitest.ItemPath(item, "/task/context-data"), body: `{"data":` + value + `}`},
		"upload":         {method: "POST", path: apitest.UploadPath(apitest.ProcessPath(process, ""), "text/plain", "a.txt"), body: "text"},
		"finish":         {method: "POST", path: apitest.ProcessPath(process, apitest.Finish)},
		"cancel-items":   {method: "POST", path: apitest.ProcessPath(process, apitest.CancelItems)},
		"initiator":      {method: "POST", path: apitest.ProcessPath(process, apitest.ChangeInitiator), body: apitest.ToInitiator(demo.Bob())},
		"same-initiator": {method: "POST", path: apitest.ProcessPath(process, apitest.ChangeInitiator), body: apitest.ToInitiator(demo.Carol())},
		"put-metadata":   {method: "PUT", path: apitest.ProcessPath(process, "/metadata"), body: apitest.MetadataOfBody},
		"patch-metadata": {method: "PATCH", path: apitest.ProcessPath(process, "/metadata"), body: aPatch},
		"patch-nothing":  {method: "PATCH", path: apitest.ProcessPath(process, "/metadata"), body: `[]`},
		"put-entity":     {method: "PUT", path: apitest.ProcessPath(process, "/entity"), body: `{"entity":` + value + `}`},
		"patch-entity":   {method: "PATCH", path: apitest.ProcessPath(process, "/entity"), body: aPatch},
		"create-task":    newItem(`"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION"`),
		"create-message": newItem(`"type":"MESSAGE","message":{"text":"t"}`),
		"relate": {method: "POST", path: "/processes", body: `{"processDefinitionCode":"LOAN","relatedProcessId":"` +
			process.String() + `"}`},
	}[row]
	require.True(t, ok, row)
	return op
}

// requireState sends the request of a row and requires the answer of a cell.
func requireState(s *apitest.Service, cell, row string, op operation) {
	s.T.Helper()
	before := s.Snapshot()
	got := s.Send(apitest.Request(s.T, demo.LoanWorker(), op.method, op.path, op.body))
	require.Equal(s.T, cell[:3], strconv.Itoa(got.Status), "%s: %s", row, got.Body)
	code, isRefused := stateCodes()[cell]
	if isRefused {
		require.Equal(s.T, code, apitest.Decode[contracttest.ErrorBody](s.T, got).Errors[0].Code, row)
	}
	if isRefused || strings.HasSuffix(cell, "=") {
		require.Equal(s.T, before, s.Snapshot(), row)
	} else {
		require.NotEqual(s.T, before, s.Snapshot(), row)
	}
}

// eachCell visits the cells of a table.
func eachCell(t *testing.T, table string, visit func(row, column, cell string)) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(table), "\n")
	columns := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		require.Len(t, cells, len(columns), line)
		for i, cell := range cells[1:] {
			visit(cells[0], columns[i+1], cell)
		}
	}
}

// A caller whom the matrix refuses for a lack of rights gets the same refusal in every state of the resource.
func TestRightsPrecedeStates(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	c := newCast(s)
	worker := demo.LoanWorker()
	states := map[string]things{}
	for _, state := range []string{"completed", "cancelled", "deleted"} {
		of := c.things(s, "owner", false)
		states[state] = of
		s.Post(200, worker, of.operations()["B.cancelProcessAction"].path, "")
		if state == "completed" {
			s.Post(200, c.accounts["owner"], apitest.ItemPath(of.task, apitest.Complete), "")
			s.Post(200, worker, apitest.ProcessPath(of.process, apitest.Finish), "")
			continue
		}
		s.Post(200, worker, apitest.ProcessPath(of.process, apitest.Cancel), "")
		if state == "deleted" {
			for _, path := range []string{
				apitest.ProcessPath(of.process, ""), apitest.ProcessPath(of.finished, ""), apitest.ArtifactPath(of.artifact, ""),
			} {
				s.Call(204, worker, http.MethodDelete, path, "")
			}
		}
	}
	before := s.Snapshot()
	eachCell(t, matrix, func(row, caller, cell string) {
		if !strings.HasPrefix(cell, "403") || caller == "foreign" || strings.HasSuffix(row, ".claim_READY") {
			return
		}
		for state, of := range states {
			got := c.ask(s, caller, row, of)
			require.Equal(t, 403, got.Status, "%s by %s, %s: %s", row, caller, state, got.Body)
			requireCell(t, cell, got)
		}
	})
	require.Equal(t, before, s.Snapshot())
}

func TestStatesOfTasks(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	process := s.Loan().ID
	eachCell(t, statesOfTasks, func(row, column, cell string) {
		var item uuid.UUID
		switch column {
		case "READY":
			item = s.Item(process, "LOAN_APPLICATION", "").ID
		case "others", "others-completed":
			item = s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
		case "MESSAGE", "THREAD":
			code := map[string]string{"MESSAGE": "NOTE", "THREAD": "DISCUSSION"}[column]
			body := `{"type":"` + column + `","processId":"` + process.String() + `","processItemDefinitionCode":"` + code + `"`
			if column == "MESSAGE" {
				body += `,"message":{"text":"t"}`
			}
			item = apitest.Decode[struct{ ID uuid.UUID }](t, s.Post(201, worker, "/process-items", body+apitest.OwnedBy(worker)+`}`)).ID
		default:
			item = s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(worker)).ID
		}
		cancelling := apitest.ProcessPath(process, apitest.CancelItems+"?processItemId="+item.String())
		switch column {
		case "completed":
			s.Post(200, worker, apitest.ItemPath(item, apitest.Complete), "")
		case "others-completed":
			s.Post(200, demo.Carol(), apitest.ItemPath(item, apitest.Complete), "")
		case "cancelled":
			s.Post(200, worker, cancelling, "")
		}
		op := operation{method: "POST", path: cancelling}
		if row != "cancel" {
			op = stateRequest(t, row, process, item)
		}
		requireState(s, cell, row+" "+column, op)
	})
}

func TestStatesOfProcesses(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	eachCell(t, statesOfProcesses, func(row, column, cell string) {
		process := s.Loan().ID
		task := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
		switch column {
		case "COMPLETED":
			s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, apitest.Finish), "")
		case "CANCELLED":
			s.Post(200, demo.LoanWorker(), apitest.ProcessPath(process, apitest.Cancel), "")
		}
		op := operation{method: "POST", path: apitest.ProcessPath(process, apitest.Cancel)}
		if row != "cancel" {
			op = stateRequest(t, row, process, task)
		}
		if row == "assign" {
			op.body = apitest.ToBob
		}
		requireState(s, cell, row+" "+column, op)
	})
}
