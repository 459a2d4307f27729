package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
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

// newTypes is the service with a process of everyType.
func newTypes(t *testing.T) (*administered, uuid.UUID) {
	t.Helper()
	s := newAdministered(t)
	s.apply(s.as("owner"), document("north", "ProcessDefinition", "TYPES", everyType))
	definition := *s.resource(s.as("owner"), "north", "ProcessDefinition", "TYPES").Metadata.ID
	return s, s.process(s.as("initiator"), definition).ID
}

func TestUserActionCreatesATask(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	events := s.events(process)
	got := s.invoke(s.as("manager"), process, invokeUserAction("TASK"))
	require.EqualValues(t, "COMPLETED", got.Status)
	task := decode[oasb.ProcessItem](t, s.get(200, s.as("candidate"), itemPath(got.CreateTask.ProcessItemID, "")))
	require.EqualValues(t, "READY", task.Task.State)
	require.Equal(t, "REVIEW", task.ProcessItemDefinitionRef.Code)
	require.Equal(t, process, task.ProcessID)
	require.Equal(t, s.as("manager").ID, *task.CreatedBy)
	require.False(t, *task.Task.Data.Valid, "it begins as one that is created without data")
	require.Equal(t, events+2, s.events(process))
	s.post(200, s.as("candidate"), itemPath(task.ID, claim), "")
}

func TestUserActionCreatesAMessageAndAThread(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.as("initiator")
	events := s.events(process)
	thread := s.invoke(initiator, process, invokeUserAction("THREAD")).CreateProcessItemThread.ProcessItemID
	item := decode[oasb.ProcessItem](t, s.get(200, initiator, itemPath(thread, "")))
	require.EqualValues(t, "THREAD", item.Type)
	require.Equal(t, "TALK", item.ProcessItemDefinitionRef.Code)

	body := `"createProcessItemMessage":{"text":"Is *this* all?","processItemThreadId":"` + thread.String() + `"}`
	message := s.invoke(initiator, process, invokeUserAction("MESSAGE", body)).CreateProcessItemMessage.ProcessItemID
	note := s.invoke(initiator, process, invokeUserAction("NOTE", body)).CreateProcessItemMessage.ProcessItemID
	require.Equal(t, 2, s.count(`SELECT count(*) FROM process_actions WHERE thread_id = $1`, thread))
	for id, code := range map[uuid.UUID]string{message: "", note: "NOTE"} {
		item = decode[oasb.ProcessItem](t, s.get(200, s.as("manager"), itemPath(id, "")))
		require.EqualValues(t, "MESSAGE", item.Type)
		require.Equal(t, "Is *this* all?", *item.Message.Text)
		require.Equal(t, code == "", item.ProcessItemDefinitionRef == nil)
	}
	require.Equal(t, events+3, s.events(process))
	require.Equal(t, 3, s.count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = 'SIGNAL' AND c.item_type IN ('MESSAGE', 'THREAD')`, process),
		"a person made them: the workflow is signalled")

	items := s.count("SELECT count(*) FROM process_items")
	for block, location := range map[string]string{
		`"createTask":{}`:                        "/createProcessItemMessage/text",
		`"createProcessItemMessage":{}`:          "/createProcessItemMessage/text",
		`"createProcessItemMessage":{"text":""}`: "/createProcessItemMessage/text",
		`"createProcessItemMessage":{"text":"t","processItemThreadId":"` + uuid.NewString() + `"}`: "/createProcessItemMessage/processItemThreadId",
		`"createProcessItemMessage":{"text":"t","processItemThreadId":"` + message.String() + `"}`: "/createProcessItemMessage/processItemThreadId",
		// That of another type does not count.
		`"createTask":{"processItemThreadId":"` + thread.String() + `"},"createProcessItemMessage":{"text":"t","processItemThreadId":"` +
			uuid.NewString() + `"}`: "/createProcessItemMessage/processItemThreadId",
	} {
		s.requireFailed(initiator, processPath(process, "/actions"), invokeUserAction("MESSAGE", withID(uuid.New()), block), location)
	}
	// Threads are visible both to a viewer of the item only and to a viewer of
	// the process.
	s.requireFailed(s.as("manager"), processPath(process, "/actions"),
		invokeUserAction("TASK", withID(uuid.New()), `"createTask":{"processItemThreadId":"`+note.String()+`"}`), "/createTask/processItemThreadId")
	require.Equal(t, items, s.count("SELECT count(*) FROM process_items"))
	s.invoke(s.as("viewer"), process, invokeUserAction("MESSAGE", body))
}

// requireFailed invokes an action that is in ERROR from the start, with an error at
// each of the places, and stays so when the invocation is repeated.
func (s *service) requireFailed(as demo.Account, path, body string, locations ...string) answer {
	s.t.Helper()
	type action struct {
		ID     uuid.UUID
		Status string
		Errors []struct{ Code, Location string }
	}
	first := s.post(201, as, path, body)
	got := decode[action](s.t, first)
	require.Equal(s.t, "ERROR", got.Status)
	var found []string
	for _, e := range got.Errors {
		found = append(found, e.Location)
	}
	require.Equal(s.t, locations, found, body)
	before := s.snapshot()
	require.Equal(s.t, first.body, s.get(200, as, path+"/"+got.ID.String()).body)
	require.Equal(s.t, first.body, s.post(200, as, path, body).body)
	require.Equal(s.t, before, s.snapshot())
	return first
}

// Every process has an action that creates a message, for its managers.
func TestMessageActionOfEveryProcess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.process(demo.Alice(), demo.Onboarding()).ID
	path, body := processPath(process, "/actions"), invokeUserAction("__KF_MESSAGE__", `"createProcessItemMessage":{"text":"Hello"}`)
	got := decode[oasb.ProcessAction](t, s.post(201, demo.Alice(), path, body))
	require.EqualValues(t, "CREATE_PROCESS_ITEM_MESSAGE", got.Type)
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, "__KF_MESSAGE__", got.ProcessActionDefinitionRef.Code)
	item := decode[oasb.ProcessItem](t, s.get(200, demo.Alice(), itemPath(got.CreateProcessItemMessage.ProcessItemID, "")))
	require.Equal(t, "Hello", *item.Message.Text)
	require.Nil(t, item.ProcessItemDefinitionRef)
	s.requireFailed(demo.Alice(), path, invokeUserAction("__KF_MESSAGE__", withID(uuid.New())), "/createProcessItemMessage/text")
	loan := s.loan().ID
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", processPath(loan, "/actions"), body)
	s.refused(404, "NOT_FOUND", demo.Stranger(), "POST", path, body)
}

func TestUserActionSendsASignal(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	initiator := s.as("initiator")
	got := s.invoke(initiator, process, invokeUserAction("SIGNAL"))
	require.EqualValues(t, "COMPLETED", got.Status)
	require.Equal(t, "Hurry up", got.SendWorkflowSignal.SignalName)
	require.Equal(t, 1, s.count(`SELECT count(*) FROM engine_commands c JOIN engine_runs r ON r.id = c.engine_run_id
		WHERE r.owner_id = $1 AND c.kind = 'SIGNAL_ACTION' AND c.signal_name = 'Hurry up' AND c.action_code = 'SIGNAL'`, process))

	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE engine_runs SET state = 'COMPLETED', run_id = 'r', closed_at = created_at WHERE owner_id = $1`, process)
	require.NoError(t, err)
	before := s.snapshot()
	s.refused(409, "INVALID_STATE", initiator, "POST", processPath(process, "/actions"), invokeUserAction("SIGNAL"))
	require.NotContains(t, s.available(initiator, process), "SIGNAL")
	require.Equal(t, before, s.snapshot())
}

// The other things that need a running process are refused to the same callers.
func TestUserActionsOnAFinishedProcess(t *testing.T) {
	t.Parallel()
	for _, end := range []string{cancel, finish} {
		s, process := newTypes(t)
		s.post(200, s.as("manager"), processPath(process, end), "")
		require.Equal(t, []string{"TASK", "FILE", "RELATED"}, s.available(s.as("manager"), process))
		s.requireDoable(process, s.invoke(s.as("manager"), process, invokeUserAction("TASK")).CreateTask.ProcessItemID)
		s.invoke(s.as("manager"), process, invokeUserAction("RELATED"))
		s.invoke(s.as("manager"), process, invokeUserAction("FILE"))
		s.invoke(s.as("initiator"), process, invokeUserAction("START"))
		s.invoke(s.as("initiator"), process, invokeUserAction("MESSAGE", `"createProcessItemMessage":{"text":"t"}`))
		require.Zero(t, s.count(`SELECT count(*) FROM engine_commands WHERE kind = 'SIGNAL'`), "its workflow has ended")
		s.refused(403, "PROCESS_FINISHED", s.as("manager"), "POST", "/process-items",
			`{"type":"MESSAGE","processId":"`+process.String()+`","message":{"text":"t"}}`)
	}
}

// requireDoable claims, fills and completes a task of a finished process, files
// included.
func (s *administered) requireDoable(process, task uuid.UUID) {
	s.t.Helper()
	candidate := s.as("candidate")
	s.refused(403, "ACCESS_DENIED", candidate, "POST", uploadPath(processPath(process, ""), "text/plain", "a.txt"), "text")
	s.post(200, candidate, itemPath(task, claim), "")
	file := s.upload(candidate, processPath(process, ""), "text")
	s.upload(s.as("manager"), processPath(process, ""), "text")
	s.call(200, candidate, "PUT", itemPath(task, "/task/data"), `{"data":{"value":{"A":"`+file+`"}}}`)
	s.call(200, candidate, "PATCH", itemPath(task, "/task/data"), `[{"op":"add","path":"/B","value":1}]`)
	s.call(200, candidate, "PUT", itemPath(task, "/task/context-data"), `{"data":{"value":{}}}`)
	s.post(200, candidate, itemPath(task, logEntry), `{"message":"m","level":"INFO"}`)
	s.get(200, candidate, downloadPath(processPath(process, ""), file))
	s.post(200, candidate, itemPath(task, complete), "")
	s.refused(403, "PROCESS_FINISHED", s.as("manager"), "POST", uploadPath(processPath(process, ""), "text/plain", "a.txt"), "text")
}

func TestGoldenBodiesOfUserActions(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	_, err := s.connect().Exec(t.Context(), `UPDATE processes SET initiator_id = $2 WHERE id = $1`, process, s.as("manager").ID)
	require.NoError(t, err)
	for code, name := range map[string]string{
		"TASK": "create_task", "NOTE": "create_message", "THREAD": "create_thread", "SIGNAL": "send_signal",
		"START": "start_workflow", "FILE": "downloadable", "RELATED": "start_related_process",
	} {
		got := s.post(201, s.as("manager"), processPath(process, "/actions"),
			invokeUserAction(code, `"createProcessItemMessage":{"text":"t"}`))
		requireGolden(t, "shape_b/process_action_"+name, got.hidingRandomIDs())
	}
	report := s.invoke(s.as("manager"), process, invokeUserAction("FILE")).ID
	requireGolden(t, "shape_b/process_action_downloadable_completed", s.post(200, s.as("manager"),
		uploadPath(userActionPath(process, report, ""), "text/plain", "a.txt"), "text").hidingRandomIDs())
	requireGolden(t, "shape_b/process_action_canceled", s.post(200, s.as("manager"), userActionPath(process,
		s.invoke(s.as("manager"), process, invokeUserAction("START")).ID, "/~actions/cancel"), "").hidingRandomIDs())
}

// A runner other than that of the engine manages the processes and serves the
// queue, and who administers the definition only cannot name another one.
func TestRunnerOfAUserAction(t *testing.T) {
	t.Parallel()
	s, process := newTypes(t)
	s.get(200, s.as("stranger"), processPath(process, ""))
	access := decode[oasb.Authentication](t, s.post(200, s.as("stranger"), "/authentications", `{"type":"ENGINE_TOKEN"}`))
	require.Equal(t, []string{"OTHERS"}, claimsOf(t, access).TaskQueues)
	report := s.invoke(s.as("manager"), process, invokeUserAction("FILE")).ID
	s.post(200, s.as("stranger"), uploadPath(userActionPath(process, report, ""), "text/plain", "a.txt"), "text")

	own := func(queue, runner string) string {
		return s.loanOf("north", `"userActions":[{"code":"A","name":"A","type":"START_WORKFLOW","permissions":["MANAGER"],`+
			`"workflowType":"W","taskQueue":"`+queue+`"`+runner+`}],`)
	}
	s.refusedApply(403, "ACCESS_DENIED", s.as("definer"), own("LOANS", ""))
	s.apply(s.as("administrator"), own("LOANS", ""))
	s.refusedApply(403, "ACCESS_DENIED", s.as("definer"), own("OTHERS", ""))
	s.refusedApply(403, "ACCESS_DENIED", s.as("definer"), own("LOANS", `,"runner":"stranger"`))
	s.refusedApply(400, "VALIDATION", s.as("owner"), own("LOANS", `,"runner":"absent"`))
	s.apply(s.as("administrator"), own("OTHERS", `,"runner":"stranger"`))
	s.refusedApply(403, "ACCESS_DENIED", s.as("definer"), own("LOANS", ""))
	s.get(200, s.as("stranger"), processPath(process, ""))
}

func TestAvailabilityFaultsAreRecorded(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	faulty := s.loanOf("north", `"userActions":[{"code":"LATE","name":"Late","type":"CREATE_PROCESS_ITEM_MESSAGE","permissions":["INITIATOR"],`+
		`"availability":"${ .tasks.APPROVE.createdAt | startswith(\"2026\") }"}],`)
	s.apply(s.as("owner"), faulty)
	process := s.process(s.as("initiator"), s.definition("north"))
	faults := func() []oasadmin.AvailabilityFault {
		return decode[oasadmin.AvailabilityFaultPage](t, s.get(200, s.as("administrator"), adminAPI+"/availability/faults")).Content
	}
	require.Empty(t, s.available(s.as("viewer"), process.ID), "it is not evaluated for who may not invoke it")
	require.Empty(t, faults())

	require.Empty(t, s.available(s.as("initiator"), process.ID))
	first := faults()
	require.Len(t, first, 1)
	require.Equal(t, oasadmin.AvailabilityFault{
		TenantID: process.TenantID, ProcessDefinitionID: process.ProcessDefinitionRef.ID,
		ProcessDefinitionVersion: process.ProcessDefinitionRef.Version, ProcessDefinitionCode: "LOAN", ActionCode: "LATE",
		ProcessID: process.ID, Message: first[0].Message, FirstAt: first[0].FirstAt, LastAt: first[0].FirstAt,
	}, first[0])
	require.Contains(t, first[0].Message, "startswith")
	require.Empty(t, decode[oasadmin.AvailabilityFaultPage](t, s.get(200, s.as("initiator"), adminAPI+"/availability/faults")).Content)

	// The fault is recorded once, not by each read. An invocation is refused
	// without the reason.
	before := s.snapshot()
	require.Empty(t, s.available(s.as("initiator"), process.ID))
	failure := s.refused(403, "ACCESS_DENIED", s.as("initiator"), "POST", processPath(process.ID, "/actions"),
		invokeUserAction("LATE", `"createProcessItemMessage":{"text":"t"}`))
	require.NotContains(t, failure.Message, "startswith")
	require.Equal(t, before, s.snapshot())

	s.ticks.Add((2 * time.Minute).Milliseconds())
	s.refused(403, "ACCESS_DENIED", s.as("initiator"), "POST", processPath(process.ID, "/actions"),
		invokeUserAction("LATE", `"createProcessItemMessage":{"text":"t"}`))
	second := faults()
	require.Len(t, second, 1)
	require.Equal(t, first[0].FirstAt, second[0].FirstAt)
	require.True(t, second[0].LastAt.After(first[0].LastAt))

	s.post(201, s.as("worker"), "/process-items", `{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`)
	require.Equal(t, []string{"LATE"}, s.available(s.as("initiator"), process.ID))
}

func TestEvaluateAvailability(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	process := s.process(s.as("initiator"), s.definition("north")).ID
	s.post(201, s.as("worker"), "/process-items", `{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"}`)
	const path = adminAPI + "/availability/~actions/evaluate"
	evaluate := func(expression, against string) oasadmin.AvailabilityEvaluation {
		text, err := json.Marshal(expression)
		require.NoError(t, err)
		return decode[oasadmin.AvailabilityEvaluation](t, s.post(200, s.as("owner"), path, `{"expression":`+string(text)+`,`+against+`}`))
	}
	before := s.snapshot()
	for _, against := range []string{`"processId":"` + process.String() + `"`, `"model":` + sampleModel} {
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
	require.Equal(t, before, s.snapshot())
}
