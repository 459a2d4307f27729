package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// principalsByName maps each way to name a principal to the principal it names.
// Names without a principal have the location of the expected error.
func principalsByName() map[string]struct {
	member string
	named  uuid.UUID
	wrong  string
} {
	type row = struct {
		member string
		named  uuid.UUID
		wrong  string
	}
	bob, worker, stranger := demo.Bob().ID.String(), demo.LoanWorker().ID.String(), uuid.NewString()
	return map[string]row{
		"id":                     {`{"id":"` + bob + `"}`, demo.Bob().ID, ""},
		"id of an application":   {`{"id":"` + worker + `","type":"APPLICATION"}`, demo.LoanWorker().ID, ""},
		"user":                   {`{"user":{"id":"` + bob + `"}}`, demo.Bob().ID, ""},
		"e-mail":                 {`{"user":{"email":"BOB@demo.example"}}`, demo.Bob().ID, ""},
		"application":            {`{"application":{"id":"` + worker + `"}}`, demo.LoanWorker().ID, ""},
		"all of it":              {`{"id":"` + bob + `","type":"USER","name":"B","user":{"id":"` + bob + `","email":"bob@demo.example"}}`, demo.Bob().ID, ""},
		"unknown id":             {`{"id":"` + stranger + `"}`, uuid.Nil, "/id"},
		"unknown user":           {`{"user":{"id":"` + stranger + `"}}`, uuid.Nil, "/user/id"},
		"unknown e-mail":         {`{"user":{"email":"no@demo.example"}}`, uuid.Nil, "/user/email"},
		"unknown application":    {`{"application":{"id":"` + stranger + `"}}`, uuid.Nil, "/application/id"},
		"application as a user":  {`{"user":{"id":"` + worker + `"}}`, uuid.Nil, "/user/id"},
		"user as an application": {`{"application":{"id":"` + bob + `"}}`, uuid.Nil, "/application/id"},
		"two principals":         {`{"id":"` + bob + `","user":{"id":"` + worker + `"}}`, uuid.Nil, "/user/id"},
		"user and application":   {`{"user":{"email":"bob@demo.example"},"application":{"id":"` + worker + `"}}`, uuid.Nil, "/application"},
		"of another tenant":      {`{"id":"` + demo.OtherWorker().ID.String() + `"}`, uuid.Nil, "/id"},
	}
}

func TestInitiatorsOfNewProcesses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := func(members string) string {
		return `{"processDefinition":{"id":"` + demo.Loan().String() + `"}` + members + `}`
	}
	for name, c := range principalsByName() {
		made := body(`,"initiator":` + c.member)
		if c.wrong != "" {
			failure := s.refused(400, "VALIDATION", demo.LoanWorker(), "POST", shapeA+"/processes", made)
			require.Equal(t, "/initiator"+c.wrong, failure.Errors[0].Location, name)
			continue
		}
		process := decode[oasa.Process](t, s.post(201, demo.LoanWorker(), shapeA+"/processes", made))
		require.Equal(t, c.named, *process.Initiator.ID, name)
	}
	for _, none := range []string{"", `,"initiator":{}`, `,"initiator":{"type":"USER"}`} {
		process := decode[oasa.Process](t, s.post(201, demo.LoanWorker(), shapeA+"/processes", body(none)))
		require.Equal(t, demo.LoanWorker().ID, *process.Initiator.ID)
		require.Equal(t, demo.LoanWorker().ID, *process.Initiator.Application.ID)
	}
}

func TestOwnersOfNewTasks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	for name, c := range principalsByName() {
		made := `{"processId":"` + loan.String() + `","taskDefinition":{"code":"LOAN_APPLICATION"},"owner":` + c.member + `}`
		if c.wrong != "" {
			failure := s.refused(400, "VALIDATION", demo.LoanWorker(), "POST", shapeA+"/tasks", made)
			require.Equal(t, "/owner"+c.wrong, failure.Errors[0].Location, name)
			continue
		}
		task := decode[oasa.Task](t, s.post(201, demo.LoanWorker(), shapeA+"/tasks", made))
		require.Equal(t, c.named, *task.Owner.ID, name)
		require.Equal(t, oasa.TaskStateCLAIMED, *task.State)
	}
}

func TestDefinitionsOfNewTasks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	first := decode[oasa.Task](t, s.post(201, demo.LoanWorker(), shapeA+"/tasks",
		`{"processId":"`+loan.String()+`","taskDefinition":{"code":"LOAN_APPLICATION"}}`))
	require.Equal(t, oasa.TaskStateREADY, *first.State)
	require.Equal(t, "Loan application", *first.TaskDefinition.Name)
	id, version := first.TaskDefinition.ID.String(), first.TaskDefinition.Version.String()
	for definition, status := range map[string]int{
		`{"id":"` + id + `"}`: 201, `{"version":"` + version + `"}`: 201,
		`{"id":"` + id + `","version":"` + version + `","code":"LOAN_APPLICATION","name":"Whatever"}`: 201,
		`{"id":"` + id + `","code":"APPROVE_LOAN"}`:                                                   404, `{"version":"` + uuid.NewString() + `"}`: 404,
		`{"id":"` + version + `"}`: 404, `{"code":"NOTE"}`: 404,
	} {
		got := s.call(status, demo.LoanWorker(), "POST", shapeA+"/tasks",
			`{"processId":"`+loan.String()+`","taskDefinition":`+definition+`}`)
		if status == 201 {
			require.Equal(t, first.TaskDefinition, decode[oasa.Task](t, got).TaskDefinition)
		} else {
			require.Contains(t, got.body, `"location":"/taskDefinition"`)
		}
	}
	unnamed := s.refused(400, "VALIDATION", demo.LoanWorker(), "POST", shapeA+"/tasks",
		`{"processId":"`+loan.String()+`","taskDefinition":{}}`)
	require.Equal(t, "/taskDefinition/id", unnamed.Errors[0].Location)
}

func TestVersionsOfNewProcesses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	version := s.loan().ProcessDefinitionRef.Version.String()
	body := func(version string) string {
		return `{"processDefinition":{"id":"` + demo.Loan().String() + `","version":"` + version + `"}}`
	}
	s.post(201, demo.LoanWorker(), shapeA+"/processes", body(version))
	s.refused(409, "DEFINITION_NOT_PUBLISHED", demo.LoanWorker(), "POST", shapeA+"/processes", body(uuid.NewString()))
}

// Repeating a creation through either shape changes nothing.
func TestCreatingAgainThroughEitherShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process, task := uuid.NewString(), uuid.NewString()
	newA := `{"id":"` + process + `","subject":"S","processDefinition":{"id":"` + demo.Loan().String() + `"}}`
	newB := `{"id":"` + process + `","processDefinitionId":"` + demo.Loan().String() + `"}`
	taskA := `{"id":"` + task + `","processId":"` + process + `","taskDefinition":{"code":"LOAN_APPLICATION"}}`
	taskB := `{"id":"` + task + `","type":"TASK","processId":"` + process + `","processItemDefinitionCode":"LOAN_APPLICATION"}`
	created := s.post(201, demo.LoanWorker(), shapeA+"/processes", newA)
	item := s.post(201, demo.LoanWorker(), "/process-items", taskB)
	before := s.snapshot()
	require.Equal(t, created.body, s.post(200, demo.LoanWorker(), shapeA+"/processes", strings.Replace(newA, `"S"`, `"T"`, 1)).body)
	s.post(200, demo.LoanWorker(), "/processes", newB)
	require.Equal(t, item.body, s.post(200, demo.LoanWorker(), "/process-items", taskB).body)
	s.post(200, demo.LoanWorker(), shapeA+"/tasks", taskA)
	require.Equal(t, before, s.snapshot())
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	subject := func(id uuid.UUID) string {
		return *decode[oasa.Process](t, s.get(200, demo.Alice(), processPathA(id, ""))).Subject
	}
	require.Equal(t, "Mine", *s.survey(surveys, `,"subject":"Mine"`).Subject)
	for metadata, want := range map[string]string{
		`{"CITY":"Bern","SITE":{"NUMBER":1.50}}`:      "Survey of Bern (1.50)",
		`{"CITY":["x"],"SITE":7}`:                     "Survey of  ()",
		`{"CITY":"` + strings.Repeat("é", 300) + `"}`: "Survey of " + strings.Repeat("é", 245),
	} {
		made := decode[oasb.Process](t, s.post(201, demo.Alice(), "/processes",
			`{"processDefinitionId":"`+surveys.String()+`","metadata":{"value":`+metadata+`}}`))
		require.Equal(t, want, subject(made.ID))
	}
	require.Equal(t, "Onboarding", subject(s.process(demo.Alice(), demo.Onboarding()).ID))
}

// A15 and A29 hold a document against the schema at the path.
func TestDocumentsAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.pairThroughA(s.surveys())
	for name, c := range map[string]struct {
		task                    bool
		path, contentType, file string
		size, status            int
		code                    string
	}{
		"media type":              {false, "#/properties/PLAN", "application/pdf", "a.bin", 16, 200, ""},
		"extension":               {false, "/properties/PLAN", "application/octet-stream", "a.DWG", 1, 200, ""},
		"neither":                 {false, "#/properties/PLAN", "image/png", "a.png", 1, 400, "DOCUMENT_TYPE"},
		"too large":               {false, "#/properties/PLAN", "application/pdf", "a.pdf", 17, 413, "DOCUMENT_TOO_LARGE"},
		"by reference":            {false, "#/properties/OTHER", "image/png", "a.png", 4, 200, ""},
		"too large by reference":  {false, "#/properties/OTHER", "image/png", "a.png", 5, 413, "DOCUMENT_TOO_LARGE"},
		"where it is defined":     {false, "#/$defs/small", "image/png", "a.png", 5, 413, "DOCUMENT_TOO_LARGE"},
		"nowhere":                 {false, "#/properties/NONE", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no document":             {false, "#/properties/NAME", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no pointer":              {false, "properties.PLAN", "image/png", "a.png", 1, 400, "VALIDATION"},
		"no media type":           {false, "#/properties/PLAN", "pdf", "a.pdf", 1, 400, "VALIDATION"},
		"of a task":               {true, "#/properties/PHOTO", "image/png", "a.png", 99, 200, ""},
		"of a task, another type": {true, "#/properties/PHOTO", "text/plain", "a.txt", 1, 400, "DOCUMENT_TYPE"},
		"of a task, nowhere":      {true, "#/properties/PLAN", "image/png", "a.png", 1, 400, "VALIDATION"},
	} {
		query := url.Values{"schemaPath": {c.path}, "fileContentType": {c.contentType}, "fileName": {c.file}}
		path := uploadPathA(processPathA(p.process, ""), "save-entity-document", query)
		if c.task {
			path = uploadPathA(taskPathA(p.task, ""), "save-json-forms-value-document", query)
		}
		body := strings.Repeat("x", c.size)
		if c.status == 200 {
			stored := decode[struct{ Value string }](t, s.post(200, demo.Alice(), path, body)).Value
			require.True(t, strings.HasPrefix(stored, "kuflow-file:uri=ku:process/"+p.process.String()), name)
			continue
		}
		s.refused(c.status, c.code, demo.Alice(), "POST", path, body)
	}
	require.Equal(t, 4, s.count("SELECT count(*) FROM documents"))
	// Where there is no schema, every path will do.
	loan := s.loan().ID
	s.post(200, demo.LoanWorker(), uploadPathA(processPathA(loan, ""), "save-entity-document",
		url.Values{"schemaPath": {"#/properties/ANY"}}), "text")
	s.post(200, demo.Alice(), processPathA(p.process, "/~actions/complete"), "")
	s.refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", uploadPathA(processPathA(p.process, ""), "save-entity-document",
		url.Values{"schemaPath": {"#/properties/OTHER"}}), "text")
	s.post(200, demo.Alice(), uploadPathA(taskPathA(p.task, ""), "save-json-forms-value-document",
		url.Values{"schemaPath": {"#/properties/PHOTO"}, "fileContentType": {"image/png"}}), "of an open task")
}

func TestUserActionDocumentsThroughShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	action := s.invoke(demo.LoanWorker(), loan, invokeReport).ID
	path := func(action uuid.UUID) string {
		return uploadPathA(processPathA(loan, ""), "save-user-action-value-document", url.Values{"userActionValueId": {action.String()}})
	}
	process := decode[oasa.Process](t, s.post(200, demo.LoanWorker(), path(action), "text"))
	require.Equal(t, loan, *process.ID)
	require.Empty(t, s.post(304, demo.LoanWorker(), path(action), "text").body)
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", path(uuid.New()), "text")
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", path(s.invoke(demo.LoanWorker(), loan, invokeUserAction("NUDGE")).ID), "text")
}

func TestLogEntriesWithIDs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.item(s.loan().ID, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	entry := `{"id":"` + uuid.NewString() + `","createdAt":"2020-01-02T03:04:05.123456789+01:00","message":"m","level":"ERROR"}`
	path := taskPathA(task, "/~actions/append-log")
	logged := s.post(200, demo.Carol(), path, entry)
	require.Contains(t, logged.body, `"createdAt":"2020-01-02T02:04:05.123456Z"`)
	before := s.snapshot()
	require.Equal(t, logged.body, s.post(200, demo.Carol(), path, entry).body, "a repeated entry is not added twice")
	require.Equal(t, before, s.snapshot())
	for range logLimit {
		s.post(200, demo.Carol(), path, `{"message":"n","level":"INFO"}`)
	}
	logs := decode[oasa.Task](t, s.get(200, demo.Carol(), taskPathA(task, ""))).Logs
	require.Len(t, logs, logLimit)
	require.Equal(t, "n", logs[0].Message)
}

func TestAuthenticationsOfShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, asked := range []string{"ENGINE", "ENGINE_TOKEN"} {
		issued := decode[oasa.Authentication](t, s.post(200, demo.LoanWorker(), shapeA+"/authentications", `{"type":"`+asked+`"}`))
		require.EqualValues(t, asked, *issued.Type)
		require.Equal(t, oasa.AuditedObjectTypeAUTHENTICATION, *issued.ObjectType)
		require.NotEmpty(t, issued.EngineToken.Token)
		require.Equal(t, issued.EngineToken.Token, *issued.Token)
		require.Equal(t, issued.EngineToken.ExpiredAt, *issued.ExpiredAt)
		require.Nil(t, issued.EngineCertificate)
	}
	issued := decode[oasa.Authentication](t, s.post(200, demo.LoanWorker(), shapeA+"/authentications",
		`{"type":"ENGINE_CERTIFICATE","token":"ignored"}`))
	require.Equal(t, "demo", issued.EngineCertificate.Namespace)
	require.Nil(t, issued.Token)
	require.Nil(t, issued.ExpiredAt)
	require.Nil(t, issued.EngineToken)
}

func TestWorkersOfEitherShape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := `{"id":"` + uuid.NewString() + `","objectType":"WORKER","identity":"w","taskQueue":"QUEUE_INSPECTION","hostname":"h","ip":"127.0.0.1"}`
	first := s.post(201, demo.LoanWorker(), shapeA+"/workers", body)
	require.Equal(t, "300", first.header.Get("X-KF-DELAY-WINDOW"))
	again := s.post(200, demo.LoanWorker(), "/workers", body)
	require.Equal(t, *decode[oasa.Worker](t, first).ID, *decode[oasb.Worker](t, again).ID)
	require.Equal(t, oasa.AuditedObjectTypeWORKER, *decode[oasa.Worker](t, s.post(200, demo.LoanWorker(), shapeA+"/workers", body)).ObjectType)
}
