package shapeb_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// draftDefinition returns a process definition with a task that has drafted fields; more are
// further members of its assistance.
func draftDefinition(s *apitest.Service, fields, more string) uuid.UUID {
	s.T.Helper()
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "DRAFTS", id, `{"name":"Drafts","items":[{"code":"WRITE","type":"TASK",`+
		`"name":"Write","dataSchema":{"type":"object","properties":{"SUMMARY":{"type":"string"},"SCORE":{"type":"integer"}}},`+
		`"assistance":{"prompt":"Summarise {{ data.TOPIC }}.","answer":"DRAFT","draftFields":`+fields+more+`},`+
		`"candidates":[{"user":"bob"},{"user":"alice"}]}],`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	return id
}

const draftSchema = `,"outputSchema":{"type":"object"}`

// draftedTask returns a task of such a definition that Bob owns.
func draftedTask(s *apitest.Service, definition uuid.UUID, data string) uuid.UUID {
	s.T.Helper()
	process := s.Process(demo.Alice(), definition).ID
	return apitest.Decode[oasb.ProcessItem](s.T, s.Post(201, demo.Alice(), "/process-items", `{"type":"TASK","processId":"`+
		process.String()+`","processItemDefinitionCode":"WRITE"`+apitest.OwnedBy(demo.Bob())+`,"task":{"data":{"value":`+data+`}}}`)).ID
}

func saveData(s *apitest.Service, as demo.Account, task uuid.UUID, data string) {
	s.T.Helper()
	s.Call(200, as, http.MethodPut, apitest.ItemPath(task, "/task/data"), `{"data":{"value":`+data+`}}`)
}

// draft carries out a run that is asked for by an account; meanwhile happens
// before the answer is written.
func draft(s *apitest.Service, as demo.Account, task uuid.UUID, meanwhile func()) (oasb.ProcessItemAiAssistance, oasb.ProcessItem) {
	s.T.Helper()
	s.Assist(202, as, task, uuid.New())
	if meanwhile != nil {
		meanwhile()
	}
	require.NoError(s.T, s.CarryOut(task))
	return s.RunOf(as, task), apitest.Decode[oasb.ProcessItem](s.T, s.Get(200, demo.Alice(), apitest.ItemPath(task, "")))
}

func TestDraftsAreWrittenIntoTheData(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := draftDefinition(s, `["/SUMMARY","/SCORE","/OPINION/WHY","/NONE/X","/ABSENT"]`, draftSchema)
	s.Provider.Says("text", `{"SUMMARY":"short","SCORE":"high","OPINION":{"WHY":"so","MORE":1},"NONE":{"X":1},"OTHER":1}`)
	task := draftedTask(s, definition, `{"TOPIC": "rain", "OPINION": {"A": 1.50}, "SUMMARY": ""}`)
	run, item := draft(s, demo.Bob(), task, nil)
	require.Equal(t, oasb.ProcessItemAiAssistanceAnswerTypeDRAFT, run.Answer.Type)
	require.Equal(t, []string{"/SUMMARY", "/SCORE", "/OPINION/WHY"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"TOPIC":"rain","OPINION":{"A":1.50,"WHY":"so"},"SUMMARY":"short","SCORE":"high"}`, string(item.Task.Data.Value))
	require.Contains(t, string(item.Task.Data.Value), "1.50")
	require.False(t, *item.Task.Data.Valid, "what does not fit the schema is saved and marked, as by a save")
	require.Equal(t, demo.Bob().ID, *item.LastModifiedBy)
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM events WHERE type = 'PROCESS_ITEM.TASK_DATA_SAVED'
		AND resource_id = $1 AND details->>'assistance' = 'true'`, task), "the event marks a draft")
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, item.Task.State, "it is not completed")
}

// Fields written since the run began are kept.
func TestDraftsLeaveLaterEditsAlone(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := draftDefinition(s, `["/SUMMARY","/SCORE","/NOTE"]`, draftSchema)
	s.Provider.Says("text", `{"SUMMARY":"short","SCORE":5,"NOTE":"n"}`)
	task := draftedTask(s, definition, `{"SUMMARY":"mine before","SCORE":3}`)
	run, item := draft(s, demo.Bob(), task, func() {
		saveData(s, demo.Bob(), task, `{ "SUMMARY" : "mine before", "SCORE": 4 }`)
	})
	require.Equal(t, []string{"/SUMMARY", "/NOTE"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"SUMMARY":"short","SCORE":4,"NOTE":"n"}`, string(item.Task.Data.Value))

	run, item = draft(s, demo.Bob(), task, func() {
		saveData(s, demo.Bob(), task, `{"SUMMARY":"","SCORE":null,"NOTE":"later"}`)
	})
	require.Equal(t, []string{"/SUMMARY", "/SCORE"}, run.Answer.DraftedFields, "what was cleared is empty")
	require.JSONEq(t, `{"SUMMARY":"short","SCORE":5,"NOTE":"later"}`, string(item.Task.Data.Value))
}

func TestDraftsWithoutSchemaAreTheText(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	s.Provider.Says("all \"of\" it <b>", "")
	task := draftedTask(s, draftDefinition(s, `["/SUMMARY"]`, ""), `{}`)
	_, item := draft(s, demo.Bob(), task, nil)
	require.JSONEq(t, `{"SUMMARY":"all \"of\" it <b>"}`, string(item.Task.Data.Value))
}

// A draft is not written when the requester may no longer write to the task;
// the answer is still stored.
func TestDraftsTakeTheRightToSave(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := draftDefinition(s, `["/SUMMARY"]`, draftSchema)
	s.Provider.Says("text", `{"SUMMARY":"short"}`)
	for name, meanwhile := range map[string]func(process, task uuid.UUID){
		"completed": func(_, task uuid.UUID) {
			s.Post(200, demo.Bob(), apitest.ItemPath(task, "/task/~actions/complete"), "")
		},
		"cancelled": func(process, _ uuid.UUID) {
			s.Post(200, demo.Alice(), apitest.ProcessPath(process, "/~actions/cancel"), "")
		},
		"taken away": func(_, task uuid.UUID) {
			s.Post(200, demo.Alice(), apitest.ItemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
		},
	} {
		task := draftedTask(s, definition, `{}`)
		process := apitest.Decode[oasb.ProcessItem](t, s.Get(200, demo.Alice(), apitest.ItemPath(task, ""))).ProcessID
		run, item := draft(s, demo.Bob(), task, func() { meanwhile(process, task) })
		require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, run.State, name)
		require.JSONEq(t, `{"SUMMARY":"short"}`, string(run.Answer.Value), name)
		require.Empty(t, run.Answer.DraftedFields, name)
		require.JSONEq(t, `{}`, string(item.Task.Data.Value), name)
	}

	// An open task of a finished process is drafted into as any other.
	left := draftedTask(s, definition, `{}`)
	process := apitest.Decode[oasb.ProcessItem](t, s.Get(200, demo.Alice(), apitest.ItemPath(left, ""))).ProcessID
	s.Post(200, demo.Alice(), apitest.ProcessPath(process, "/~actions/complete"), "")
	run, item := draft(s, demo.Bob(), left, nil)
	require.Equal(t, []string{"/SUMMARY"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"SUMMARY":"short"}`, string(item.Task.Data.Value))

	// A candidate may look at suggestions and not have a draft written.
	task := draftedTask(s, definition, `{}`)
	s.Post(200, demo.Alice(), apitest.ItemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
	s.Refused(403, "TASK_NOT_OWNED", demo.Bob(), "POST", apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
	s.Assist(202, demo.Alice(), task, uuid.New())
	s.Refused(403, "TASK_NOT_OWNED", demo.Bob(), "POST", apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
	s.Post(200, demo.Alice(), apitest.ItemPath(task, "/task/~actions/complete"), "")
	s.Refused(409, "INVALID_STATE", demo.Alice(), "POST", apitest.ItemPath(task, apitest.AssistanceAction), apitest.AssistanceBody(uuid.New()))
}

// A reference that a model makes up gives no access to a document.
func TestDraftsFollowReferencesAsSavesDo(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	foreign := s.Upload(demo.LoanWorker(), apitest.ProcessPath(s.Loan().ID, ""), "not Bob's")
	task := draftedTask(s, draftDefinition(s, `["/SUMMARY"]`, draftSchema), `{}`)
	s.Provider.Says("text", `{"SUMMARY":"`+foreign+`"}`)
	_, item := draft(s, demo.Bob(), task, nil)
	require.False(t, *item.Task.Data.Valid)
	require.Zero(t, s.Count("SELECT count(*) FROM document_links WHERE holder_id = $1", task))
}
