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
)

// pair is a survey and a task of it that Alice owns, made through one shape.
type pair struct{ process, task uuid.UUID }

func (s *service) pairThroughA(surveys uuid.UUID) pair {
	s.t.Helper()
	process := *s.survey(surveys, "").ID
	return pair{process, *s.visit(process, "VISIT", "").ID}
}

func (s *service) pairThroughB(surveys uuid.UUID) pair {
	s.t.Helper()
	process := s.process(demo.Alice(), surveys).ID
	return pair{process, s.item(process, "VISIT", ownedBy(demo.Alice())).ID}
}

// requireAgreement requires both shapes to say the same of a process and a task,
// as far as both say it.
func (s *service) requireAgreement(p pair) {
	s.t.Helper()
	t := s.t
	a := decode[oasa.Process](t, s.get(200, demo.Alice(), processPathA(p.process, "")))
	b := decode[oasb.Process](t, s.get(200, demo.Alice(), processPath(p.process, "")))
	require.Equal(t, b.ID, *a.ID)
	require.EqualValues(t, b.State, *a.State)
	require.Equal(t, *b.InitiatorID, *a.Initiator.ID)
	require.Equal(t, b.ProcessDefinitionRef.Version, *a.ProcessDefinition.Version)
	require.Equal(t, b.LastModifiedAt, a.LastModifiedAt)
	require.Equal(t, b.LastModifiedBy, a.LastModifiedBy)
	require.Equal(t, b.ProcessRelated.Incoming, a.RelatedProcess.Incoming)
	requireSameValue(t, a.Entity, b.Entity)

	task := decode[oasa.Task](t, s.get(200, demo.Alice(), taskPathA(p.task, "")))
	item := decode[oasb.ProcessItem](t, s.get(200, demo.Alice(), itemPath(p.task, "")))
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
func TestWhatOneShapeDoesTheOtherShows(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	steps := []struct {
		name string
		// a and b are the paths of the same operation.
		a, b                  func(p pair) (path string)
		bodyA, bodyB, methodB string
		after                 func(t *testing.T, s *service, p pair)
	}{
		{
			name: "change the initiator", bodyA: `{"email":"bob@demo.example"}`, bodyB: `{"initiatorEmail":"bob@demo.example"}`,
			a: func(p pair) string { return processPathA(p.process, "/~actions/change-initiator") },
			b: func(p pair) string { return processPath(p.process, "/~actions/change-initiator") },
			after: func(t *testing.T, s *service, p pair) {
				t.Helper()
				shown := decode[oasa.Process](t, s.get(200, demo.Alice(), processPathA(p.process, "")))
				require.Equal(t, "bob@demo.example", *shown.Initiator.User.Email)
			},
		},
		{
			name: "save the entity", bodyA: `{"data":{"NAME":"N","n":1.50}}`, bodyB: `{"entity":{"value":{"NAME":"N","n":1.50}}}`,
			methodB: http.MethodPut,
			a:       func(p pair) string { return processPathA(p.process, "/~actions/save-entity-data") },
			b:       func(p pair) string { return processPath(p.process, "/entity") },
		},
		{
			name: "save an entity that is not valid", bodyA: `{"data":{"NAME":5}}`, bodyB: `{"entity":{"value":{"NAME":5}}}`,
			methodB: http.MethodPut,
			a:       func(p pair) string { return processPathA(p.process, "/~actions/save-entity-data") },
			b:       func(p pair) string { return processPath(p.process, "/entity") },
		},
		{
			name: "save the data", bodyA: `{"data":{"A":"é","n":1E22}}`, bodyB: `{"data":{"value":{"A":"é","n":1E22}}}`,
			methodB: http.MethodPut,
			a:       func(p pair) string { return taskPathA(p.task, "/~actions/save-json-forms-value-data") },
			b:       func(p pair) string { return itemPath(p.task, "/task/data") },
		},
		{
			name: "save no data", bodyA: `{}`, bodyB: `{"data":{"value":{}}}`, methodB: http.MethodPut,
			a: func(p pair) string { return taskPathA(p.task, "/~actions/save-json-forms-value-data") },
			b: func(p pair) string { return itemPath(p.task, "/task/data") },
		},
		{
			name: "append to the log", bodyA: `{"message":"m","level":"WARN"}`, bodyB: `{"message":"m","level":"WARN"}`,
			a: func(p pair) string { return taskPathA(p.task, "/~actions/append-log") },
			b: func(p pair) string { return itemPath(p.task, "/task/~actions/append-log") },
		},
		{
			name: "assign the task", bodyA: `{"email":"bob@demo.example"}`, bodyB: `{"ownerEmail":"bob@demo.example"}`,
			a: func(p pair) string { return taskPathA(p.task, "/~actions/assign") },
			b: func(p pair) string { return itemPath(p.task, "/task/~actions/assign") },
		},
		{
			name: "assign it back", bodyA: `{"principalId":"` + demo.Alice().ID.String() + `"}`,
			bodyB: `{"ownerId":"` + demo.Alice().ID.String() + `"}`,
			a:     func(p pair) string { return taskPathA(p.task, "/~actions/assign") },
			b:     func(p pair) string { return itemPath(p.task, "/task/~actions/assign") },
		},
		{
			name: "complete the task",
			a:    func(p pair) string { return taskPathA(p.task, "/~actions/complete") },
			b:    func(p pair) string { return itemPath(p.task, "/task/~actions/complete") },
		},
		{
			name: "complete the process",
			a:    func(p pair) string { return processPathA(p.process, "/~actions/complete") },
			b:    func(p pair) string { return processPath(p.process, "/~actions/complete") },
		},
	}
	for name, made := range map[string]pair{"made through A": s.pairThroughA(surveys), "made through B": s.pairThroughB(surveys)} {
		s.requireAgreement(made)
		for i, step := range steps {
			// Turn by turn, so that each shape works on what the other one left.
			path, body, method := step.a(made), step.bodyA, http.MethodPost
			if (i%2 == 0) == (name == "made through A") {
				path, body = step.b(made), step.bodyB
				if step.methodB != "" {
					method = step.methodB
				}
			}
			s.call(200, demo.Alice(), method, path, body)
			s.requireAgreement(made)
			if step.after != nil {
				step.after(t, s, made)
			}
		}
	}
}

func TestClaimingAndCancellingThroughEitherShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	ready := func(p pair) uuid.UUID { return s.item(p.process, "VISIT", "").ID }
	a, b := s.pairThroughA(surveys), s.pairThroughB(surveys)
	for _, made := range []pair{a, b} {
		task := ready(made)
		s.post(200, demo.Alice(), taskPathA(task, "/~actions/claim"), "")
		s.requireAgreement(pair{made.process, task})
		s.refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), "POST", itemPath(task, "/task/~actions/claim"), "")
		task = ready(made)
		s.post(200, demo.Alice(), itemPath(task, "/task/~actions/claim"), "")
		s.requireAgreement(pair{made.process, task})
		s.refused(409, "TASK_ALREADY_CLAIMED", demo.LoanWorker(), "POST", taskPathA(task, "/~actions/claim"), "")
	}
	s.post(200, demo.Alice(), processPath(a.process, "/~actions/cancel"), "")
	s.post(200, demo.Alice(), processPathA(b.process, "/~actions/cancel"), "")
	for _, made := range []pair{a, b} {
		s.requireAgreement(made)
		task := decode[oasa.Task](t, s.get(200, demo.Alice(), taskPathA(made.task, "")))
		require.Equal(t, oasa.TaskStateCANCELLED, *task.State)
	}
}

// A document uploaded through one shape can be used through the other.
func TestDocumentsOfEitherShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.pairThroughB(s.surveys())
	photo := documentIn(t, s.uploadPhoto(demo.Alice(), p.task, "a photo", nil).ElementValues["PHOTO"][0])
	require.Equal(t, "a photo", s.download(demo.Alice(), processPath(p.process, ""), photo.URI))

	uploaded := decode[oasa.ProcessSaveEntityDocumentResponseCommand](t, s.post(200, demo.Alice(), uploadPathA(
		processPathA(p.process, ""), "save-entity-document", url.Values{
			"schemaPath": {"/properties/PLAN"}, "fileContentType": {"application/pdf"},
		}), "a plan")).Value
	saved := s.call(200, demo.Alice(), http.MethodPut, processPath(p.process, "/entity"),
		`{"entity":{"value":{"NAME":"N","PLAN":"`+uploaded+`"}}}`)
	require.True(t, *decode[oasb.Process](t, saved).Entity.Valid, saved.body)
	require.Equal(t, "a plan", s.download(demo.Alice(), processPath(p.process, ""), uploaded))
	require.Equal(t, "a plan", s.get(200, demo.Alice(), processPathA(p.process, "/~actions/download-entity-document?")+
		url.Values{"documentUri": {uploaded}}.Encode()).body)

	// An element of Shape A can hold a document uploaded through Shape B.
	other := s.upload(demo.Alice(), processPath(p.process, ""), "of B")
	held := decode[oasa.Task](t, s.post(200, demo.Alice(), taskPathA(p.task, saveElementAction),
		saveElement("PHOTO", `[{"type":"DOCUMENT","value":{"uri":"`+other+`"}}]`)))
	require.Equal(t, "of B", s.photo(p.task, documentIn(t, held.ElementValues["PHOTO"][0]).ID))
}

// A write through Shape B keeps what only Shape A shows, and the reverse.
func TestShapesLeaveEachOthersPartsAlone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.pairThroughA(s.surveys())
	s.post(200, demo.Alice(), processPathA(p.process, saveElementAction), saveElement("REF", `[{"type":"STRING","value":"R"}]`))
	s.post(200, demo.Alice(), taskPathA(p.task, saveElementAction), saveElement("NOTE", `[{"type":"STRING","value":"N"}]`))
	s.call(200, demo.Alice(), http.MethodPut, processPath(p.process, "/metadata"), `{"metadata":{"value":{"CITY":"Bern"}}}`)
	s.call(200, demo.Alice(), http.MethodPut, itemPath(p.task, "/task/context-data"), `{"data":{"value":{"C":1}}}`)
	s.call(200, demo.Alice(), http.MethodPut, itemPath(p.task, "/task/data"), `{"data":{"value":{"D":1}}}`)
	process := decode[oasa.Process](t, s.get(200, demo.Alice(), processPathA(p.process, "")))
	require.Equal(t, `"R"`, string(process.ElementValues["REF"][0].Value))
	require.Equal(t, "Survey of  ()", *process.Subject, "the subject is that of the beginning")
	task := decode[oasa.Task](t, s.get(200, demo.Alice(), taskPathA(p.task, "")))
	require.Equal(t, `"N"`, string(task.ElementValues["NOTE"][0].Value))

	s.post(200, demo.Alice(), processPathA(p.process, deleteElementAction), `{"elementDefinitionCode":"REF"}`)
	s.post(200, demo.Alice(), taskPathA(p.task, deleteElementAction), `{"elementDefinitionCode":"NOTE"}`)
	require.JSONEq(t, `{"CITY":"Bern"}`, string(s.retrieveProcess(p.process).Metadata.Value))
	item := decode[oasb.ProcessItem](t, s.get(200, demo.Alice(), itemPath(p.task, "")))
	require.JSONEq(t, `{"C":1}`, string(item.Task.ContextData.Value))
	require.JSONEq(t, `{"D":1}`, string(item.Task.Data.Value))
}

// Messages and threads do not exist for Shape A: they are as absent as what was
// never there.
func TestWhatIsNoTaskIsAbsentInShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	message := decode[oasb.ProcessItem](t, s.post(201, demo.LoanWorker(), "/process-items",
		`{"type":"MESSAGE","processId":"`+f.process.String()+`","message":{"text":"t"}}`)).ID
	before := s.snapshot()
	absent := uuid.New()
	tested := 0
	for name, op := range f.taskOperationsOfShapeA() {
		if !op.byID {
			continue
		}
		tested++
		ask := func(id uuid.UUID) answer {
			path := taskPathA(id, op.path[len(taskPathA(f.task, "")):])
			return s.call(404, demo.LoanWorker(), op.method, path, op.body)
		}
		require.Equal(t, ask(absent).timeless(), ask(message).timeless(), name)
	}
	require.Equal(t, 14, tested)
	require.Equal(t, before, s.snapshot())
	tasks := decode[listed](t, s.get(200, demo.LoanWorker(), shapeA+"/tasks?processId="+f.process.String()))
	require.Len(t, tasks.Content, 1)
	require.Equal(t, f.task, tasks.Content[0].ID)
	s.refused(409, "CONFLICT", demo.LoanWorker(), "POST", shapeA+"/tasks",
		`{"id":"`+message.String()+`","processId":"`+f.process.String()+`","taskDefinition":{"code":"LOAN_APPLICATION"}}`)
}
