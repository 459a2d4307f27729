package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func pairThroughB(s *apitest.Service, surveys uuid.UUID) apitest.Pair {
	s.T.Helper()
	process := s.Process(demo.Alice(), surveys).ID
	return apitest.Pair{Process: process, Task: s.Item(process, "VISIT", apitest.OwnedBy(demo.Alice())).ID}
}

// requireAgreement requires both shapes to say the same of a process and a task,
// as far as both say it.
func requireAgreement(s *apitest.Service, p apitest.Pair) {
	s.T.Helper()
	t := s.T
	a := apitest.Decode[oasa.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPathA(p.Process, "")))
	b := apitest.Decode[oasb.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPath(p.Process, "")))
	require.Equal(t, b.ID, *a.ID)
	require.EqualValues(t, b.State, *a.State)
	require.Equal(t, *b.InitiatorID, *a.Initiator.ID)
	require.Equal(t, b.ProcessDefinitionRef.Version, *a.ProcessDefinition.Version)
	require.Equal(t, b.LastModifiedAt, a.LastModifiedAt)
	require.Equal(t, b.LastModifiedBy, a.LastModifiedBy)
	require.Equal(t, b.ProcessRelated.Incoming, a.RelatedProcess.Incoming)
	requireSameValue(t, a.Entity, b.Entity)

	task := apitest.Decode[oasa.Task](t, s.Get(200, demo.Alice(), apitest.TaskPathA(p.Task, "")))
	item := apitest.Decode[oasb.ProcessItem](t, s.Get(200, demo.Alice(), apitest.ItemPath(p.Task, "")))
	require.Equal(t, item.ID, *task.ID)
	require.EqualValues(t, item.Task.State, *task.State)
	require.Equal(t, item.ProcessItemDefinitionRef.Version, *task.TaskDefinition.Version)
	require.Equal(t, item.LastModifiedAt, task.LastModifiedAt)
	if item.OwnerID == nil {
		require.Nil(t, task.Owner)
	} else {
		require.Equal(t, *item.OwnerID, *task.Owner.ID)
	}
	requireSameValue(t, task.JSONFormsValue, item.Task.Data)
	require.Len(t, task.Logs, len(item.Task.Logs))
	for i, entry := range item.Task.Logs {
		require.Equal(t, oasa.Log{
			ID: &entry.ID, CreatedAt: &entry.Timestamp, Message: entry.Message, Level: oasa.LogLevel(entry.Level),
		}, task.Logs[i])
	}
}

func requireSameValue(t *testing.T, a *oasa.JSONFormsValue, b *oasb.JSONValue) {
	t.Helper()
	if b == nil {
		require.Nil(t, a)
		return
	}
	require.Equal(t, *b.Valid, *a.Valid)
	require.Equal(t, string(b.Value), string(a.Data))
}

// Changes made through one shape are visible through the other, which can
// continue from there.
func TestShapesShowEachOthersChanges(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	steps := []struct {
		name string
		// a and b are the paths of the same operation.
		a, b                  func(p apitest.Pair) (path string)
		bodyA, bodyB, methodB string
		after                 func(t *testing.T, s *apitest.Service, p apitest.Pair)
	}{
		{
			name: "change the initiator", bodyA: `{"email":"bob@demo.example"}`, bodyB: `{"initiatorEmail":"bob@demo.example"}`,
			a: func(p apitest.Pair) string { return apitest.ProcessPathA(p.Process, "/~actions/change-initiator") },
			b: func(p apitest.Pair) string { return apitest.ProcessPath(p.Process, "/~actions/change-initiator") },
			after: func(t *testing.T, s *apitest.Service, p apitest.Pair) {
				t.Helper()
				shown := apitest.Decode[oasa.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPathA(p.Process, "")))
				require.Equal(t, "bob@demo.example", *shown.Initiator.User.Email)
			},
		},
		{
			name: "save the entity", bodyA: `{"data":{"NAME":"N","n":1.50}}`, bodyB: `{"entity":{"value":{"NAME":"N","n":1.50}}}`,
			methodB: http.MethodPut,
			a:       func(p apitest.Pair) string { return apitest.ProcessPathA(p.Process, "/~actions/save-entity-data") },
			b:       func(p apitest.Pair) string { return apitest.ProcessPath(p.Process, "/entity") },
		},
		{
			name: "save an entity that is not valid", bodyA: `{"data":{"NAME":5}}`, bodyB: `{"entity":{"value":{"NAME":5}}}`,
			methodB: http.MethodPut,
			a:       func(p apitest.Pair) string { return apitest.ProcessPathA(p.Process, "/~actions/save-entity-data") },
			b:       func(p apitest.Pair) string { return apitest.ProcessPath(p.Process, "/entity") },
		},
		{
			name: "save the data", bodyA: `{"data":{"A":"é","n":1E22}}`, bodyB: `{"data":{"value":{"A":"é","n":1E22}}}`,
			methodB: http.MethodPut,
			a:       func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/save-json-forms-value-data") },
			b:       func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/data") },
		},
		{
			name: "save no data", bodyA: `{}`, bodyB: `{"data":{"value":{}}}`, methodB: http.MethodPut,
			a: func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/save-json-forms-value-data") },
			b: func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/data") },
		},
		{
			name: "append to the log", bodyA: `{"message":"m","level":"WARN"}`, bodyB: `{"message":"m","level":"WARN"}`,
			a: func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/append-log") },
			b: func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/~actions/append-log") },
		},
		{
			name: "assign the task", bodyA: `{"email":"bob@demo.example"}`, bodyB: `{"ownerEmail":"bob@demo.example"}`,
			a: func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/assign") },
			b: func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/~actions/assign") },
		},
		{
			name: "assign it back", bodyA: `{"principalId":"` + demo.Alice().ID.String() + `"}`,
			bodyB: `{"ownerId":"` + demo.Alice().ID.String() + `"}`,
			a:     func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/assign") },
			b:     func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/~actions/assign") },
		},
		{
			name: "complete the task",
			a:    func(p apitest.Pair) string { return apitest.TaskPathA(p.Task, "/~actions/complete") },
			b:    func(p apitest.Pair) string { return apitest.ItemPath(p.Task, "/task/~actions/complete") },
		},
		{
			name: "complete the process",
			a:    func(p apitest.Pair) string { return apitest.ProcessPathA(p.Process, "/~actions/complete") },
			b:    func(p apitest.Pair) string { return apitest.ProcessPath(p.Process, "/~actions/complete") },
		},
	}
	for name, made := range map[string]apitest.Pair{"made through A": s.PairThroughA(surveys), "made through B": pairThroughB(s, surveys)} {
		requireAgreement(s, made)
		for i, step := range steps {
			// By turns, so that each shape continues from the state that the other one left.
			path, body, method := step.a(made), step.bodyA, http.MethodPost
			if (i%2 == 0) == (name == "made through A") {
				path, body = step.b(made), step.bodyB
				if step.methodB != "" {
					method = step.methodB
				}
			}
			s.Call(200, demo.Alice(), method, path, body)
			requireAgreement(s, made)
			if step.after != nil {
				step.after(t, s, made)
			}
		}
	}
}

func TestClaimingAndCancellingThroughEitherShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	ready := func(p apitest.Pair) uuid.UUID { return s.Item(p.Process, "VISIT", "").ID }
	a, b := s.PairThroughA(surveys), pairThroughB(s, surveys)
	for _, made := range []apitest.Pair{a, b} {
		task := ready(made)
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, "/~actions/claim"), "")
		requireAgreement(s, apitest.Pair{Process: made.Process, Task: task})
		s.Refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), "POST", apitest.ItemPath(task, "/task/~actions/claim"), "")
		task = ready(made)
		s.Post(200, demo.Alice(), apitest.ItemPath(task, "/task/~actions/claim"), "")
		requireAgreement(s, apitest.Pair{Process: made.Process, Task: task})
		s.Refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), "POST", apitest.TaskPathA(task, "/~actions/claim"), "")
	}
	s.Post(200, demo.Alice(), apitest.ProcessPath(a.Process, "/~actions/cancel"), "")
	s.Post(200, demo.Alice(), apitest.ProcessPathA(b.Process, "/~actions/cancel"), "")
	for _, made := range []apitest.Pair{a, b} {
		requireAgreement(s, made)
		task := apitest.Decode[oasa.Task](t, s.Get(200, demo.Alice(), apitest.TaskPathA(made.Task, "")))
		require.Equal(t, oasa.TaskStateCANCELLED, *task.State)
	}
}

// A document uploaded through one shape can be used through the other.
func TestDocumentsOfEitherShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := pairThroughB(s, s.Surveys())
	photo := apitest.DocumentIn(t, s.UploadPhoto(demo.Alice(), p.Task, "a photo", nil).ElementValues["PHOTO"][0])
	require.Equal(t, "a photo", s.Download(demo.Alice(), apitest.ProcessPath(p.Process, ""), photo.URI))

	uploaded := apitest.Decode[oasa.ProcessSaveEntityDocumentResponseCommand](t, s.Post(200, demo.Alice(), apitest.UploadPathA(
		apitest.ProcessPathA(p.Process, ""), "save-entity-document", url.Values{
			"schemaPath": {"/properties/PLAN"}, "fileContentType": {"application/pdf"},
		}), "a plan")).Value
	saved := s.Call(200, demo.Alice(), http.MethodPut, apitest.ProcessPath(p.Process, "/entity"),
		`{"entity":{"value":{"NAME":"N","PLAN":"`+uploaded+`"}}}`)
	require.True(t, *apitest.Decode[oasb.Process](t, saved).Entity.Valid, saved.Body)
	require.Equal(t, "a plan", s.Download(demo.Alice(), apitest.ProcessPath(p.Process, ""), uploaded))
	require.Equal(t, "a plan", s.Get(200, demo.Alice(), apitest.ProcessPathA(p.Process, "/~actions/download-entity-document?")+
		url.Values{"documentUri": {uploaded}}.Encode()).Body)

	// An element of Shape A can hold a document uploaded through Shape B.
	other := s.Upload(demo.Alice(), apitest.ProcessPath(p.Process, ""), "of B")
	held := apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, apitest.SaveElementAction),
		apitest.SaveElement("PHOTO", `[{"type":"DOCUMENT","value":{"uri":"`+other+`"}}]`)))
	require.Equal(t, "of B", s.Photo(p.Task, apitest.DocumentIn(t, held.ElementValues["PHOTO"][0]).ID))
}

// A write through Shape B keeps the values that only Shape A has, and the reverse.
func TestShapesKeepEachOthersValues(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := s.PairThroughA(s.Surveys())
	s.Post(200, demo.Alice(), apitest.ProcessPathA(p.Process, apitest.SaveElementAction), apitest.SaveElement("REF", `[{"type":"STRING","value":"R"}]`))
	s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, apitest.SaveElementAction), apitest.SaveElement("NOTE", `[{"type":"STRING","value":"N"}]`))
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ProcessPath(p.Process, "/metadata"), `{"metadata":{"value":{"CITY":"Bern"}}}`)
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(p.Task, "/task/context-data"), `{"data":{"value":{"C":1}}}`)
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(p.Task, "/task/data"), `{"data":{"value":{"D":1}}}`)
	process := apitest.Decode[oasa.Process](t, s.Get(200, demo.Alice(), apitest.ProcessPathA(p.Process, "")))
	require.Equal(t, `"R"`, string(process.ElementValues["REF"][0].Value))
	require.Equal(t, "Survey of  ()", *process.Subject, "the subject is that of the beginning")
	task := apitest.Decode[oasa.Task](t, s.Get(200, demo.Alice(), apitest.TaskPathA(p.Task, "")))
	require.Equal(t, `"N"`, string(task.ElementValues["NOTE"][0].Value))

	s.Post(200, demo.Alice(), apitest.ProcessPathA(p.Process, apitest.DeleteElementAction), `{"elementDefinitionCode":"REF"}`)
	s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, apitest.DeleteElementAction), `{"elementDefinitionCode":"NOTE"}`)
	require.JSONEq(t, `{"CITY":"Bern"}`, string(s.RetrieveProcess(p.Process).Metadata.Value))
	item := apitest.Decode[oasb.ProcessItem](t, s.Get(200, demo.Alice(), apitest.ItemPath(p.Task, "")))
	require.JSONEq(t, `{"C":1}`, string(item.Task.ContextData.Value))
	require.JSONEq(t, `{"D":1}`, string(item.Task.Data.Value))
}

// Messages and threads do not exist for Shape A.
func TestShapeAHasTasksOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	message := apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+f.process.String()+`","message":{"text":"t"}}`)).ID
	before := s.Snapshot()
	absent := uuid.New()
	tested := 0
	for name, op := range f.taskOperationsOfShapeA() {
		if !op.byID {
			continue
		}
		tested++
		ask := func(id uuid.UUID) apitest.Answer {
			path := apitest.TaskPathA(id, op.path[len(apitest.TaskPathA(f.task, "")):])
			return s.Call(404, demo.LoanWorker(), op.method, path, op.body)
		}
		require.Equal(t, ask(absent).Timeless(), ask(message).Timeless(), name)
	}
	require.Equal(t, 14, tested)
	require.Equal(t, before, s.Snapshot())
	tasks := apitest.Decode[apitest.Listed](t, s.Get(200, demo.LoanWorker(), apitest.ShapeA+"/tasks?processId="+f.process.String()))
	require.Len(t, tasks.Content, 1)
	require.Equal(t, f.task, tasks.Content[0].ID)
	s.Refused(409, "CONFLICT", demo.LoanWorker(), "POST", apitest.ShapeA+"/tasks",
		`{"id":"`+message.String()+`","processId":"`+f.process.String()+`","taskDefinition":{"code":"LOAN_APPLICATION"}}`)
}
