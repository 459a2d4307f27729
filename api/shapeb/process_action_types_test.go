package shapeb_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// everyType is a definition with a user action of each type that needs no
// worker, and one that is named after the type of each.
const everyType = `{"name":"Types","engine":{"workflowType":"W","taskQueue":"LOANS","runner":"worker"},` +
	`"items":[{"code":"REVIEW","type":"TASK","name":"Review","dataSchema":{"type":"object","required":["A"]},"candidates":[{"user":"candidate"}]},` +
	`{"code":"NOTE","type":"MESSAGE","name":"Note"},{"code":"TALK","type":"THREAD","name":"Talk","viewers":[{"user":"initiator"}]}],` +
	`"userActions":[` +
	`{"code":"TASK","name":"Task","type":"CREATE_TASK","permissions":["MANAGER"],"item":"REVIEW"},` +
	`{"code":"MESSAGE","name":"Message","type":"CREATE_PROCESS_ITEM_MESSAGE","permissions":["INITIATOR","VIEWER"]},` +
	`{"code":"NOTE","name":"Note","type":"CREATE_PROCESS_ITEM_MESSAGE","permissions":["INITIATOR"],"item":"NOTE"},` +
	`{"code":"THREAD","name":"Thread","type":"CREATE_PROCESS_ITEM_THREAD","permissions":["INITIATOR"],"item":"TALK"},` +
	`{"code":"SIGNAL","name":"Signal","type":"SEND_WORKFLOW_SIGNAL","permissions":["INITIATOR"],"signalName":"Hurry up"},` +
	`{"code":"START","name":"Start","type":"START_WORKFLOW","permissions":["INITIATOR"],"workflowType":"W","taskQueue":"OTHERS","runner":"stranger"},` +
	`{"code":"FILE","name":"File","type":"DOWNLOADABLE","permissions":["MANAGER"],"workflowType":"W","taskQueue":"LOANS"},` +
	`{"code":"RELATED","name":"Related","type":"START_RELATED_PROCESS","permissions":["MANAGER"],"processDefinition":"TYPES"}],` +
	`"permissions":{"initiators":[{"user":"initiator"},{"user":"manager"}],"viewers":[{"user":"viewer"}],"managers":[{"user":"manager"}]}}`

// newTypes returns the service with a process of everyType.
func newTypes(t *testing.T) (*apitest.Administered, uuid.UUID) {
	t.Helper()
	s := apitest.NewAdministered(t)
	s.Apply(s.As("owner"), apitest.Document("north", "ProcessDefinition", "TYPES", everyType))
	definition := *s.Resource(s.As("owner"), "north", "ProcessDefinition", "TYPES").Metadata.ID
	return s, s.Process(s.As("initiator"), definition).ID
}

func TestUserActionCreatesATask(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	events := s.Events(process)
	got := s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("TASK"))
	require.EqualValues(t, "COMPLETED", got.Status)
	task := apitest.Decode[oasb.ProcessItem](t, s.Get(200, s.As("candidate"), apitest.ItemPath(got.CreateTask.ProcessItemID, "")))
	require.EqualValues(t, "READY", task.Task.State)
	require.Equal(t, "REVIEW", task.ProcessItemDefinitionRef.Code)
	require.Equal(t, process, task.ProcessID)
	require.Equal(t, s.As("manager").ID, *task.CreatedBy)
	require.False(t, *task.Task.Data.Valid, "it begins as one that is created without data")
	require.Equal(t, events+2, s.Events(process))
	s.Post(200, s.As("candidate"), apitest.ItemPath(task.ID, apitest.Claim), "")
}

func TestUserActionCreatesAMessageAndAThread(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.As("initiator")
	events := s.Events(process)
	thread := s.Invoke(initiator, process, apitest.InvokeUserAction("THREAD")).CreateProcessItemThread.ProcessItemID
	item := apitest.Decode[oasb.ProcessItem](t, s.Get(200, initiator, apitest.ItemPath(thread, "")))
	require.EqualValues(t, "THREAD", item.Type)
	require.Equal(t, "TALK", item.ProcessItemDefinitionRef.Code)

	body := `"createProcessItemMessage":{"text":"Is *this* all?","processItemThreadId":"` + thread.String() + `"}`
	message := s.Invoke(initiator, process, apitest.InvokeUserAction("MESSAGE", body)).CreateProcessItemMessage.ProcessItemID
	note := s.Invoke(initiator, process, apitest.InvokeUserAction("NOTE", body)).CreateProcessItemMessage.ProcessItemID
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM process_actions WHERE thread_id = $1`, thread))
	for id, code := range map[uuid.UUID]string{message: "", note: "NOTE"} {
		item = apitest.Decode[oasb.ProcessItem](t, s.Get(200, s.As("manager"), apitest.ItemPath(id, "")))
		require.EqualValues(t, "MESSAGE", item.Type)
		require.Equal(t, "Is *this* all?", *item.Message.Text)
		require.Equal(t, code == "", item.ProcessItemDefinitionRef == nil)
	}
	require.Equal(t, events+3, s.Events(process))
	require.Equal(t, 3, s.Count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = 'SIGNAL' AND c.item_type IN ('MESSAGE', 'THREAD')`, process),
		"a person made them: the workflow is signalled")

	items := s.Count("SELECT count(*) FROM process_items")
	for block, location := range map[string]string{
		`"createTask":{}`:                        "/createProcessItemMessage/text",
		`"createProcessItemMessage":{}`:          "/createProcessItemMessage/text",
		`"createProcessItemMessage":{"text":""}`: "/createProcessItemMessage/text",
		`"createProcessItemMessage":{"text":"t","processItemThreadId":"` + uuid.NewString() + `"}`: "/createProcessItemMessage/processItemThreadId",
		`"createProcessItemMessage":{"text":"t","processItemThreadId":"` + message.String() + `"}`: "/createProcessItemMessage/processItemThreadId",
		// The block of another type is ignored.
		`"createTask":{"processItemThreadId":"` + thread.String() + `"},"createProcessItemMessage":{"text":"t","processItemThreadId":"` +
			uuid.NewString() + `"}`: "/createProcessItemMessage/processItemThreadId",
	} {
		requireFailed(s.Service, initiator, apitest.ProcessPath(process, "/actions"), apitest.InvokeUserAction("MESSAGE", apitest.WithID(uuid.New()), block), location)
	}
	// Threads are visible both to a viewer of the item only and to a viewer of
	// the process.
	requireFailed(s.Service, s.As("manager"), apitest.ProcessPath(process, "/actions"),
		apitest.InvokeUserAction("TASK", apitest.WithID(uuid.New()), `"createTask":{"processItemThreadId":"`+note.String()+`"}`), "/createTask/processItemThreadId")
	require.Equal(t, items, s.Count("SELECT count(*) FROM process_items"))
	s.Invoke(s.As("viewer"), process, apitest.InvokeUserAction("MESSAGE", body))
}

// requireFailed invokes an action that is in ERROR from the start, with an error at
// each of the places, and stays so when the invocation is repeated.
func requireFailed(s *apitest.Service, as demo.Account, path, body string, locations ...string) apitest.Answer {
	s.T.Helper()
	type action struct {
		ID     uuid.UUID
		Status string
		Errors []struct{ Code, Location string }
	}
	first := s.Post(201, as, path, body)
	got := apitest.Decode[action](s.T, first)
	require.Equal(s.T, "ERROR", got.Status)
	var found []string
	for _, e := range got.Errors {
		found = append(found, e.Location)
	}
	require.Equal(s.T, locations, found, body)
	before := s.Snapshot()
	require.Equal(s.T, first.Body, s.Get(200, as, path+"/"+got.ID.String()).Body)
	require.Equal(s.T, first.Body, s.Post(200, as, path, body).Body)
	require.Equal(s.T, before, s.Snapshot())
	return first
}

// Every process has an action that creates a message, for its managers.
func TestMessageActionOfEveryProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Process(demo.Alice(), demo.Onboarding()).ID
	path, body := apitest.ProcessPath(process, "/actions"), apitest.InvokeUserAction("__KF_MESSAGE__", `"createProcessItemMessage":{"text":"Hello"}`)
	got := apitest.Decode[oasb.ProcessAction](t, s.Post(201, demo.Alice(), path, body))
	require.EqualValues(t, "CREATE_PROCESS_ITEM_MESSAGE", got.Type)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, "__KF_MESSAGE__", got.ProcessActionDefinitionRef.Code)
	item := apitest.Decode[oasb.ProcessItem](t, s.Get(200, demo.Alice(), apitest.ItemPath(got.CreateProcessItemMessage.ProcessItemID, "")))
	require.Equal(t, "Hello", *item.Message.Text)
	require.Nil(t, item.ProcessItemDefinitionRef)
	requireFailed(s, demo.Alice(), path, apitest.InvokeUserAction("__KF_MESSAGE__", apitest.WithID(uuid.New())), "/createProcessItemMessage/text")
	loan := s.Loan().ID
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", apitest.ProcessPath(loan, "/actions"), body)
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "POST", path, body)
}

func TestUserActionSendsASignal(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.As("initiator")
	got := s.Invoke(initiator, process, apitest.InvokeUserAction("SIGNAL"))
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, "Hurry up", got.SendWorkflowSignal.SignalName)
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = 'SIGNAL_ACTION' AND c.signal_name = 'Hurry up' AND c.action_code = 'SIGNAL'`, process))

	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE engine_runs SET state = 'COMPLETED', run_id = 'r', closed_at = created_at WHERE owner_id = $1`, process)
	require.NoError(t, err)
	before := s.Snapshot()
	s.Refused(409, "INVALID_STATE", initiator, "POST", apitest.ProcessPath(process, "/actions"), apitest.InvokeUserAction("SIGNAL"))
	require.NotContains(t, availableActions(s.Service, initiator, process), "SIGNAL")
	require.Equal(t, before, s.Snapshot())
}

// The other things that need a running process are refused to the same callers.
func TestUserActionsOnAFinishedProcess(t *testing.T) {
	t.Parallel()
	for _, end := range []string{apitest.Cancel, apitest.Finish} {
		s, process := newTypes(t)
		s.Post(200, s.As("manager"), apitest.ProcessPath(process, end), "")
		require.Equal(t, []string{"TASK", "FILE", "RELATED"}, availableActions(s.Service, s.As("manager"), process))
		requireDoable(s, process, s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("TASK")).CreateTask.ProcessItemID)
		s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("RELATED"))
		s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("FILE"))
		s.Invoke(s.As("initiator"), process, apitest.InvokeUserAction("START"))
		s.Invoke(s.As("initiator"), process, apitest.InvokeUserAction("MESSAGE", `"createProcessItemMessage":{"text":"t"}`))
		require.Zero(t, s.Count(`SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'`), "its workflow has ended")
		s.Refused(403, "PROCESS_FINISHED", s.As("manager"), "POST", "/process-items",
			`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`)
	}
}

// requireDoable claims, fills and completes a task of a finished process, files
// included.
func requireDoable(s *apitest.Administered, process, task uuid.UUID) {
	s.T.Helper()
	candidate := s.As("candidate")
	s.Refused(403, "ACCESS_DENIED", candidate, "POST", apitest.UploadPath(apitest.ProcessPath(process, ""), "text/plain", "a.txt"), "text")
	s.Post(200, candidate, apitest.ItemPath(task, apitest.Claim), "")
	file := s.Upload(candidate, apitest.ProcessPath(process, ""), "text")
	s.Upload(s.As("manager"), apitest.ProcessPath(process, ""), "text")
	s.Call(200, candidate, "PUT", apitest.ItemPath(task, "/task/data"), `{"data":{"value":{"A":"`+file+`"}}}`)
	s.Call(200, candidate, "PATCH", apitest.ItemPath(task, "/task/data"), `[{"op":"add","path":"/B","value":1}]`)
	s.Refused(403, "ACCESS_DENIED", candidate, "PUT", apitest.ItemPath(task, "/task/context-data"), `{"data":{"value":{}}}`)
	s.Call(200, s.As("manager"), "PUT", apitest.ItemPath(task, "/task/context-data"), `{"data":{"value":{}}}`)
	s.Post(200, candidate, apitest.ItemPath(task, apitest.LogEntry), `{"message":"m","level":"INFO"}`)
	s.Get(200, candidate, apitest.DownloadPath(apitest.ProcessPath(process, ""), file))
	s.Post(200, candidate, apitest.ItemPath(task, apitest.Complete), "")
	s.Refused(403, "PROCESS_FINISHED", s.As("manager"), "POST", apitest.UploadPath(apitest.ProcessPath(process, ""), "text/plain", "a.txt"), "text")
}

func TestGoldenBodiesOfUserActions(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	_, err := s.Connect().Exec(t.Context(), `UPDATE processes SET initiator_id = $2 WHERE id = $1`, process, s.As("manager").ID)
	require.NoError(t, err)
	for code, name := range map[string]string{
		"TASK": "create_task", "NOTE": "create_message", "THREAD": "create_thread", "SIGNAL": "send_signal",
		"START": "start_workflow", "FILE": "downloadable", "RELATED": "start_related_process",
	} {
		got := s.Post(201, s.As("manager"), apitest.ProcessPath(process, "/actions"),
			apitest.InvokeUserAction(code, `"createProcessItemMessage":{"text":"t"}`))
		apitest.RequireGolden(t, "process_action_"+name, got.HidingRandomIDs())
	}
	report := s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("FILE")).ID
	apitest.RequireGolden(t, "process_action_downloadable_completed", s.Post(200, s.As("manager"),
		apitest.UploadPath(apitest.UserActionPath(process, report, ""), "text/plain", "a.txt"), "text").HidingRandomIDs())
	apitest.RequireGolden(t, "process_action_canceled", s.Post(200, s.As("manager"), apitest.UserActionPath(process,
		s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("START")).ID, "/~actions/cancel"), "").HidingRandomIDs())
}

// A runner of its own manages the processes and serves the queue. An administrator of the
// definition alone cannot name another one.
func TestRunnerOfAUserAction(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	s.Get(200, s.As("stranger"), apitest.ProcessPath(process, ""))
	access := apitest.Decode[oasb.Authentication](t, s.Post(200, s.As("stranger"), "/authentications", `{"type":"ENGINE_TOKEN"}`))
	require.Equal(t, []string{"OTHERS"}, apitest.ClaimsOf(t, access).TaskQueues)
	report := s.Invoke(s.As("manager"), process, apitest.InvokeUserAction("FILE")).ID
	s.Post(200, s.As("stranger"), apitest.UploadPath(apitest.UserActionPath(process, report, ""), "text/plain", "a.txt"), "text")

	own := func(queue, runner string) string {
		return s.LoanOf("north", `"userActions":[{"code":"A","name":"A","type":"START_WORKFLOW","permissions":["MANAGER"],`+
			`"workflowType":"W","taskQueue":"`+queue+`"`+runner+`}],`)
	}
	s.RefusedApply(403, "ACCESS_DENIED", s.As("definer"), own("LOANS", ""))
	s.Apply(s.As("administrator"), own("LOANS", ""))
	s.RefusedApply(403, "ACCESS_DENIED", s.As("definer"), own("OTHERS", ""))
	s.RefusedApply(403, "ACCESS_DENIED", s.As("definer"), own("LOANS", `,"runner":"stranger"`))
	s.RefusedApply(400, "VALIDATION", s.As("owner"), own("LOANS", `,"runner":"absent"`))
	s.Apply(s.As("administrator"), own("OTHERS", `,"runner":"stranger"`))
	s.RefusedApply(403, "ACCESS_DENIED", s.As("definer"), own("LOANS", ""))
	s.Get(200, s.As("stranger"), apitest.ProcessPath(process, ""))
}

func TestAvailabilityFaultsAreRecorded(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	faulty := s.LoanOf("north", `"userActions":[{"code":"LATE","name":"Late","type":"CREATE_PROCESS_ITEM_MESSAGE","permissions":["INITIATOR"],`+
		`"availability":"${ .tasks.APPROVE.createdAt | startswith(\"2026\") }"}],`)
	s.Apply(s.As("owner"), faulty)
	process := s.Process(s.As("initiator"), s.Definition("north"))
	faults := func() []oasadmin.AvailabilityFault {
		return apitest.Decode[oasadmin.AvailabilityFaultPage](t, s.Get(200, s.As("administrator"), apitest.AdminAPI+"/availability/faults")).Content
	}
	require.Empty(t, availableActions(s.Service, s.As("viewer"), process.ID), "it is not evaluated for callers who may not invoke it")
	require.Empty(t, faults())

	require.Empty(t, availableActions(s.Service, s.As("initiator"), process.ID))
	first := faults()
	require.Len(t, first, 1)
	require.Equal(t, oasadmin.AvailabilityFault{
		TenantID: process.TenantID, ProcessDefinitionID: process.ProcessDefinitionRef.ID,
		ProcessDefinitionVersion: process.ProcessDefinitionRef.Version, ProcessDefinitionCode: "LOAN", ActionCode: "LATE",
		ProcessID: process.ID, Message: first[0].Message, FirstAt: first[0].FirstAt, LastAt: first[0].FirstAt,
	}, first[0])
	require.Contains(t, first[0].Message, "startswith")
	require.Empty(t, apitest.Decode[oasadmin.AvailabilityFaultPage](t, s.Get(200, s.As("initiator"), apitest.AdminAPI+"/availability/faults")).Content)

	// The fault is recorded once, not by each read. An invocation is refused
	// without the reason.
	before := s.Snapshot()
	require.Empty(t, availableActions(s.Service, s.As("initiator"), process.ID))
	failure := s.Refused(403, "ACCESS_DENIED", s.As("initiator"), "POST", apitest.ProcessPath(process.ID, "/actions"),
		apitest.InvokeUserAction("LATE", `"createProcessItemMessage":{"text":"t"}`))
	require.NotContains(t, failure.Message, "startswith")
	require.Equal(t, before, s.Snapshot())

	s.Ticks.Add((2 * time.Minute).Milliseconds())
	s.Refused(403, "ACCESS_DENIED", s.As("initiator"), "POST", apitest.ProcessPath(process.ID, "/actions"),
		apitest.InvokeUserAction("LATE", `"createProcessItemMessage":{"text":"t"}`))
	second := faults()
	require.Len(t, second, 1)
	require.Equal(t, first[0].FirstAt, second[0].FirstAt)
	require.True(t, second[0].LastAt.After(first[0].LastAt))

	s.Post(201, s.As("worker"), "/process-items", `{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`)
	require.Equal(t, []string{"LATE"}, availableActions(s.Service, s.As("initiator"), process.ID))
}

func TestEvaluateAvailability(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	process := s.Process(s.As("initiator"), s.Definition("north")).ID
	s.Post(201, s.As("worker"), "/process-items", `{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"}`)
	const path = apitest.AdminAPI + "/availability/~actions/evaluate"
	evaluate := func(expression, against string) oasadmin.AvailabilityEvaluation {
		text, err := json.Marshal(expression)
		require.NoError(t, err)
		return apitest.Decode[oasadmin.AvailabilityEvaluation](t, s.Post(200, s.As("owner"), path, `{"expression":`+string(text)+`,`+against+`}`))
	}
	before := s.Snapshot()
	for _, against := range []string{`"processId":"` + process.String() + `"`, `"model":` + apitest.SampleModel} {
		for expression, want := range map[string]bool{
			`${ .process.state == "RUNNING" }`: true, `${ .tasks.APPROVE.state == "READY" }`: true, `${ .tasks | length > 1 }`: false,
		} {
			got := evaluate(expression, against)
			require.Nil(t, got.Error, expression)
			require.Equal(t, want, *got.Result, expression)
			require.EqualValues(t, "RUNNING", got.Model.Process.State)
			require.EqualValues(t, "READY", got.Model.Tasks["APPROVE"].State)
		}
		got := evaluate(`${ .process.stat == "RUNNING" }`, against)
		require.Nil(t, got.Result)
		require.Equal(t, 12, *got.Error.Column)
		got = evaluate(`${ .tasks.NONE.createdAt | startswith("2026") }`, against)
		require.Nil(t, got.Result)
		require.Nil(t, got.Error.Column)
		require.Contains(t, got.Error.Message, "startswith")
	}
	require.Equal(t, before, s.Snapshot())
}
