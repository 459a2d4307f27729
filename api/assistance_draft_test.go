package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
)

// drafts returns a process definition with a task whose fields are drafted;
// more are further members of its assistance.
func (s *service) drafts(fields, more string) uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	s.define(identified("demo", "ProcessDefinition", "DRAFTS", id, `{"name":"Drafts","items":[{"code":"WRITE","type":"TASK",`+
		`"name":"Write","dataSchema":{"type":"object","properties":{"SUMMARY":{"type":"string"},"SCORE":{"type":"integer"}}},`+
		`"assistance":{"prompt":"Summarise {{ data.TOPIC }}.","answer":"DRAFT","draftFields":`+fields+more+`},`+
		`"candidates":[{"user":"bob"},{"user":"alice"}]}],`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	return id
}

const draftSchema = `,"outputSchema":{"type":"object"}`

// writing is a task of such a definition that Bob owns.
func (s *service) writing(definition uuid.UUID, data string) uuid.UUID {
	s.t.Helper()
	process := s.process(demo.Alice(), definition).ID
	return decode[oasb.ProcessItem](s.t, s.post(201, demo.Alice(), "/process-items", `{"type":"TASK","processId":"`+
		process.String()+`","processItemDefinitionCode":"WRITE"`+ownedBy(demo.Bob())+`,"task":{"data":{"value":`+data+`}}}`)).ID
}

func (s *service) saveData(as demo.Account, task uuid.UUID, data string) {
	s.t.Helper()
	s.call(200, as, http.MethodPut, itemPath(task, "/task/data"), `{"data":{"value":`+data+`}}`)
}

// draft carries out a run that is asked for by an account; meanwhile happens
// before the answer is written.
func (s *service) draft(as demo.Account, task uuid.UUID, meanwhile func()) (oasb.ProcessItemAiAssistance, oasb.ProcessItem) {
	s.t.Helper()
	s.assist(202, as, task, uuid.New())
	if meanwhile != nil {
		meanwhile()
	}
	require.NoError(s.t, s.carryOut(task))
	return s.runOf(as, task), decode[oasb.ProcessItem](s.t, s.get(200, demo.Alice(), itemPath(task, "")))
}

func TestDraftsAreWrittenIntoTheData(t *testing.T) {
	t.Parallel()
	s := newService(t)
	definition := s.drafts(`["/SUMMARY","/SCORE","/OPINION/WHY","/NONE/X","/ABSENT"]`, draftSchema)
	s.provider.says("text", `{"SUMMARY":"short","SCORE":"high","OPINION":{"WHY":"so","MORE":1},"NONE":{"X":1},"OTHER":1}`)
	task := s.writing(definition, `{"TOPIC": "rain", "OPINION": {"A": 1.50}, "SUMMARY": ""}`)
	run, item := s.draft(demo.Bob(), task, nil)
	require.Equal(t, oasb.ProcessItemAiAssistanceAnswerTypeDRAFT, run.Answer.Type)
	require.Equal(t, []string{"/SUMMARY", "/SCORE", "/OPINION/WHY"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"TOPIC":"rain","OPINION":{"A":1.50,"WHY":"so"},"SUMMARY":"short","SCORE":"high"}`, string(item.Task.Data.Value))
	require.Contains(t, string(item.Task.Data.Value), "1.50")
	require.False(t, *item.Task.Data.Valid, "what does not fit the schema is saved and marked, as by a save")
	require.Equal(t, demo.Bob().ID, *item.LastModifiedBy)
	require.Equal(t, 1, s.count(`SELECT count(*) FROM events WHERE type = 'PROCESS_ITEM.TASK_DATA_SAVED'
		AND resource_id = $1 AND details->>'assistance' = 'true'`, task), "the event marks a draft")
	require.Equal(t, oasb.ProcessItemTaskStateCLAIMED, item.Task.State, "it is not completed")
}

// Fields written since the run began are kept.
func TestDraftsLeaveLaterEditsAlone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	definition := s.drafts(`["/SUMMARY","/SCORE","/NOTE"]`, draftSchema)
	s.provider.says("text", `{"SUMMARY":"short","SCORE":5,"NOTE":"n"}`)
	task := s.writing(definition, `{"SUMMARY":"mine before","SCORE":3}`)
	run, item := s.draft(demo.Bob(), task, func() {
		s.saveData(demo.Bob(), task, `{ "SUMMARY" : "mine before", "SCORE": 4 }`)
	})
	require.Equal(t, []string{"/SUMMARY", "/NOTE"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"SUMMARY":"short","SCORE":4,"NOTE":"n"}`, string(item.Task.Data.Value))

	run, item = s.draft(demo.Bob(), task, func() {
		s.saveData(demo.Bob(), task, `{"SUMMARY":"","SCORE":null,"NOTE":"later"}`)
	})
	require.Equal(t, []string{"/SUMMARY", "/SCORE"}, run.Answer.DraftedFields, "what was cleared is empty")
	require.JSONEq(t, `{"SUMMARY":"short","SCORE":5,"NOTE":"later"}`, string(item.Task.Data.Value))
}

func TestDraftsWithoutSchemaAreTheText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.provider.says("all \"of\" it <b>", "")
	task := s.writing(s.drafts(`["/SUMMARY"]`, ""), `{}`)
	_, item := s.draft(demo.Bob(), task, nil)
	require.JSONEq(t, `{"SUMMARY":"all \"of\" it <b>"}`, string(item.Task.Data.Value))
}

// A draft is not written when the requester may no longer write to the task;
// the answer is still stored.
func TestDraftsTakeTheRightToSave(t *testing.T) {
	t.Parallel()
	s := newService(t)
	definition := s.drafts(`["/SUMMARY"]`, draftSchema)
	s.provider.says("text", `{"SUMMARY":"short"}`)
	for name, meanwhile := range map[string]func(process, task uuid.UUID){
		"completed": func(_, task uuid.UUID) {
			s.post(200, demo.Bob(), itemPath(task, "/task/~actions/complete"), "")
		},
		"cancelled": func(process, _ uuid.UUID) { s.post(200, demo.Alice(), processPath(process, "/~actions/cancel"), "") },
		"taken away": func(_, task uuid.UUID) {
			s.post(200, demo.Alice(), itemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
		},
	} {
		task := s.writing(definition, `{}`)
		process := decode[oasb.ProcessItem](t, s.get(200, demo.Alice(), itemPath(task, ""))).ProcessID
		run, item := s.draft(demo.Bob(), task, func() { meanwhile(process, task) })
		require.Equal(t, oasb.ProcessItemAiAssistanceStateCOMPLETED, run.State, name)
		require.JSONEq(t, `{"SUMMARY":"short"}`, string(run.Answer.Value), name)
		require.Empty(t, run.Answer.DraftedFields, name)
		require.JSONEq(t, `{}`, string(item.Task.Data.Value), name)
	}

	// An open task of a finished process is drafted into as any other.
	left := s.writing(definition, `{}`)
	process := decode[oasb.ProcessItem](t, s.get(200, demo.Alice(), itemPath(left, ""))).ProcessID
	s.post(200, demo.Alice(), processPath(process, "/~actions/complete"), "")
	run, item := s.draft(demo.Bob(), left, nil)
	require.Equal(t, []string{"/SUMMARY"}, run.Answer.DraftedFields)
	require.JSONEq(t, `{"SUMMARY":"short"}`, string(item.Task.Data.Value))

	// A candidate may look at suggestions and not have a draft written.
	task := s.writing(definition, `{}`)
	s.post(200, demo.Alice(), itemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
	s.refused(403, "TASK_NOT_OWNED", demo.Bob(), "POST", itemPath(task, assistanceAction), assistanceBody(uuid.New()))
	s.post(200, demo.Alice(), itemPath(task, "/task/~actions/complete"), "")
	s.refused(409, "INVALID_STATE", demo.Alice(), "POST", itemPath(task, assistanceAction), assistanceBody(uuid.New()))
}

// A reference that a model makes up gives no access to a document.
func TestDraftsFollowReferencesAsSavesDo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := s.upload(demo.LoanWorker(), processPath(s.loan().ID, ""), "not Bob's")
	task := s.writing(s.drafts(`["/SUMMARY"]`, draftSchema), `{}`)
	s.provider.says("text", `{"SUMMARY":"`+foreign+`"}`)
	_, item := s.draft(demo.Bob(), task, nil)
	require.False(t, *item.Task.Data.Valid)
	require.Zero(t, s.count("SELECT count(*) FROM document_links WHERE holder_id = $1", task))
}

// says sets an answer of the provider with a value, which may be "".
func (p *provider) says(text, value string) {
	p.answers(func(assistance.Request) (assistance.Answer, error) {
		return assistance.Answer{Text: text, Value: []byte(value), Model: "m", FinishReason: "stop"}, nil
	})
}
